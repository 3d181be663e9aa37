/* Change the configuration of ports and single queues (port config, port P rxq Q, set), in
 * testpmd's words; where something fails nothing changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * All: id PORT_ALL is every port where said; 0, or -errno with e in testpmd's words where it has
 * any. Common errors: ENODEV no such port; EBUSY for ports that should be stopped, or started;
 * ERANGE; what the driver returned. Thread: control.
 */

/* Queues or descriptors of every port; what: "rxq", "txq", "rxd", "txd". All ports stopped. */
int port_conf_queues(struct ports *ps, const char *what, uint64_t n, struct err *e);

/*
 * A setting of every port that the next start takes: thresholds ("rxpt", ...). All ports stopped.
 */
int port_conf_setting(struct ports *ps, const char *name, const char *value, struct err *e);

/*
 * Packets asked of one receive call; 0: what the driver of the first port prefers. All ports
 * stopped.
 */
int port_conf_burst(struct ports *ps, uint64_t n, struct err *e);

/* Drop packets of a full Rx queue, or not. All ports stopped. */
int port_conf_drop(struct ports *ps, bool on, struct err *e);

/* Longest frame of every port in bytes, checksum included. All ports stopped. */
int port_conf_max_pkt_len(struct ports *ps, uint64_t bytes, struct err *e);

/*
 * Longest packet that every port joins in hardware in bytes, 0: the driver's choice. All ports
 * stopped.
 */
int port_conf_max_lro_pkt_size(struct ports *ps, uint64_t bytes, struct err *e);

/* MTU in bytes of one port; acts at once where the driver can. */
int port_conf_mtu(struct ports *ps, uint16_t id, uint64_t mtu, struct err *e);

/*
 * Link speed in Mbit/s ("10000", "auto") and duplex ("half", "full", "auto"). Port or PORT_ALL
 * stopped.
 */
int port_conf_speed(struct ports *ps, uint16_t id, const char *speed, const char *duplex,
	struct err *e);

/* Descriptors of one queue, 0: the setting's. */
int port_conf_ring_size(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint64_t n,
	struct err *e);

/*
 * Mempool driver of one receive queue's pool, or of all that the settings give the port
 * (PORT_CONF_QUEUES); "default": that of the setting. Taken when the port starts. Errors: ENOENT for
 * a driver that is not here, EOPNOTSUPP for one that the port's does not take.
 */
#define PORT_CONF_QUEUES UINT16_MAX
int port_conf_pool_ops(struct ports *ps, uint16_t id, uint16_t queue, const char *ops,
	struct err *e);

/* Start or stop one queue of a started port; not while forwarding. */
int port_conf_queue_run(struct ports *ps, uint16_t id, bool rx, uint16_t queue, bool start,
	struct err *e);

/* Leave the queue stopped when the port starts. Port stopped. */
int port_conf_queue_deferred(struct ports *ps, uint16_t id, bool rx, uint16_t queue, bool on,
	struct err *e);

/* Set the queue up now, with its present configuration; not while forwarding. */
int port_conf_queue_setup(struct ports *ps, uint16_t id, bool rx, uint16_t queue, struct err *e);

#define PORT_CONF_OFFLOADS UINT64_MAX /* all that the port, or the queue, can */

/*
 * Switch offloads (RTE_ETH_{RX,TX}_OFFLOAD_* bits) of a port or PORT_ALL, or of one queue. Ports
 * stopped.
 */
int port_conf_offload(struct ports *ps, uint16_t id, bool rx, uint64_t offload, bool on,
	struct err *e);
int port_conf_queue_offload(struct ports *ps, uint16_t id, bool rx, uint16_t queue,
	uint64_t offload, bool on, struct err *e);
