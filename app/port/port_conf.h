/* Change the configuration of ports and single queues (port config, port P rxq Q, set), with
 * testpmd's messages; a failed command changes nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "port/port_setup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct args;
struct err;
struct ports;

/*
 * All functions of this file return 0 or -errno, with testpmd's message in e if it has one. Common
 * errors: ENODEV no such port; EBUSY a port must be stopped, or started, first; ERANGE; errors of
 * the driver. PORT_ALL (every port) is accepted only where mentioned. Thread: control. Those with a
 * struct args do the work of a command and read its arguments, whose names are in <>.
 */

/* Set the number of queues or descriptors of every port. All ports stopped. */
int port_conf_number(struct ports *ps, enum port_number which, uint64_t n, struct err *e);

/* Let the CPU's L2 cache choose the descriptors of every queue, <what> "rxd" or "txd". All stopped. */
int port_conf_auto(struct ports *ps, const struct args *a, struct err *e);

/* Set the setting <what> ("rxpt", ...) to <n>; ports use it at their next start. All stopped. */
int port_conf_setting(struct ports *ps, const struct args *a, struct err *e);

/*
 * Return whether a setting is one of those that ports take at each start: queues, descriptors and
 * thresholds.
 */
bool port_conf_takes(const char *setting);

/*
 * Check a word for such a setting, and whether every port supports it. Errors besides the common
 * ones: EBUSY a queue has a ring_size of its own, which a word for all would replace.
 */
int port_conf_word_check(const struct ports *ps, const char *setting, const char *word,
	struct err *e);

/* Set such a setting, which ports take at their next start. All ports stopped. */
int port_conf_word(struct ports *ps, const char *setting, const char *word, struct err *e);

/*
 * Set the maximum number of packets per receive call to <n>; 0: the recommendation of the first
 * port's driver. All ports stopped.
 */
int port_conf_burst(struct ports *ps, const struct args *a, struct err *e);

/* Set whether (<state> on) packets are dropped when an Rx queue is full. All ports stopped. */
int port_conf_drop(struct ports *ps, const struct args *a, struct err *e);

/* Set the maximum frame length of every port in <bytes>, CRC included. All ports stopped. */
int port_conf_max_pkt_len(struct ports *ps, const struct args *a, struct err *e);

/*
 * Set the maximum length of LRO packets of every port in <bytes>, 0: the driver's choice. All ports
 * stopped.
 */
int port_conf_max_lro_pkt_size(struct ports *ps, const struct args *a, struct err *e);

/* Set the MTU of <port> in <bytes>; takes effect immediately if the driver supports it. */
int port_conf_mtu(struct ports *ps, const struct args *a, struct err *e);

/*
 * Set link <speed> in Mbit/s ("10000", "auto") and <duplex> ("half", "full", "auto") of <port>, or
 * PORT_ALL, stopped.
 */
int port_conf_speed(struct ports *ps, const struct args *a, struct err *e);

/*
 * Set the number of descriptors <n> of <queue> of <port>, where <way> is rxq or txq; 0: use the
 * setting.
 */
int port_conf_ring_size(struct ports *ps, const struct args *a, struct err *e);

/*
 * Set the mempool driver <ops> of a receive <queue> of <port>, or of all its queues; "default": use
 * the setting. Takes effect when the port starts. Errors: ENOENT no such mempool driver; EOPNOTSUPP
 * the port's driver does not support it.
 */
int port_conf_pool_ops(struct ports *ps, const struct args *a, struct err *e);

/*
 * Start or stop (<what>) <queue> of a started <port>, where <way> is rxq or txq; not while
 * forwarding.
 */
int port_conf_queue_run(struct ports *ps, const struct args *a, struct err *e);

/*
 * Set whether (<state> on) <queue> of <port> remains stopped when the port starts; <way> is rxq or
 * txq. Port stopped.
 */
int port_conf_queue_deferred(struct ports *ps, const struct args *a, struct err *e);

/* Set up the queue immediately with its present configuration; not while forwarding. */
int port_conf_queue_setup(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e);

#define PORT_CONF_OFFLOADS UINT64_MAX /* all offloads that the port, or the queue, supports */

/*
 * Switch offloads (RTE_ETH_{RX,TX}_OFFLOAD_* bits) of a port or PORT_ALL, or of one queue. Ports
 * stopped.
 */
int port_conf_offload(struct ports *ps, uint16_t id, bool rx, uint64_t offload, bool on,
	struct err *e);
int port_conf_queue_offload(struct ports *ps, uint16_t id, bool rx, uint16_t queue,
	uint64_t offload, bool on, struct err *e);
