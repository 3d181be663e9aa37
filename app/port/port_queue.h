/* Queues of a port: show configuration, descriptors and support for external buffers; change rates, thresholds, statistics mapping. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "port/port.h"

#include <stdbool.h>
#include <stdint.h>

struct args;
struct err;

/* Start or stop a queue of a started port. Errors: ENOTSUP; those of the driver. */
int port_queue_run(struct port *p, bool rx, uint16_t queue, bool start, struct err *e);

/* Return whether the operator stopped a queue, or left it stopped when the port started. */
bool port_queue_stopped(const struct ports *ps, uint16_t id, bool rx, uint16_t queue);

/* Which queues of a port are stopped: [true] Rx, [false] Tx. */
struct port_queue_states {
	bool stopped[2][PORT_QUEUES_MAX];
};

/* Read which queues are stopped, and stop them again after the port was restarted. */
void port_queue_states_read(const struct port *p, struct port_queue_states *s);
int port_queue_states_apply(struct port *p, const struct port_queue_states *s, struct err *e);

/* Restart a port; queues that were stopped stay so. Errors: those of port_stop() and port_start(). */
int port_queue_restart(struct ports *ps, struct port *p, struct err *e);

/*
 * Print show rxq info P Q (rx) or show txq info P Q. JSON: {"port", "queue", "direction": "rx",
 * ...}. Errors: -ENODEV no such port; "Failed to retrieve information ..." with the driver's error;
 * of the virtual drivers only virtio supports it. Thread: control, all of this file.
 */
int port_queue_show(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e);

/*
 * Print show port P rxq|txq Q desc used count. JSON: {"port", "queue", "direction", "used"}.
 * Errors: -ENODEV; -EINVAL no such queue; -EBUSY the port is stopped; errors of the driver.
 */
int port_queue_used(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e);

/*
 * Print show port P rxq|txq Q desc D status: of <port>, <way>, <queue>, <descriptor>. JSON: {...,
 * "descriptor", "status": "DONE"}. Errors as port_queue_used().
 */
int port_queue_desc(struct ports *ps, const struct args *a, struct err *e);

/*
 * Print show port P extbuf: the burst function of each queue, and for each use of external buffers
 * ok, worked around or refused, with the reason. JSON: {"ports":[{"port", "driver",
 * "rx":[{"queue", "function", "known", "pool", "pinned_pool", "pinned":{"verdict", "reason"},
 * ...}], "tx":[...]}]}. id PORT_ALL: all ports. Errors: ENODEV; EBUSY the port is stopped.
 */
int port_queue_extbuf_show(struct ports *ps, uint16_t id, struct err *e);

/* Return -ERANGE with testpmd's message unless the settings give ports that queue. */
int port_queue_check(const struct ports *ps, bool rx, uint16_t queue, struct err *e);

/* Change single queues of a configured port: rate limit, threshold, statistics mapping, cleanup of
 * sent buffers. */

/*
 * Limit Tx <queue> of <port> to <mbps> Mbit/s, 0: no limit. Errors: -ENODEV no such port; -ERANGE
 * above the link speed; errors of the driver. Thread: control, all of this file.
 */
int port_queue_rate(struct ports *ps, const struct args *a, struct err *e);

/*
 * Print show port P queue Q rate, of <port> and <queue>. JSON: {"port", "queue", "rate_mbps"}, 0:
 * no limit. Errors: -ENODEV; -ENOSYS before DPDK 26.07; errors of the driver.
 */
int port_queue_rate_show(struct ports *ps, const struct args *a, struct err *e);

/*
 * Raise an event if less than <percent> of the descriptors of Rx <queue> of <port> are available to
 * the hardware; 0: disable the event. Errors: -ENODEV; errors of the driver.
 */
int port_queue_avail_thresh(struct ports *ps, const struct args *a, struct err *e);

/*
 * Free up to <n> sent mbufs (0: all) of a started Tx <queue> of <port>, and print how many were
 * freed. Errors: -EBUSY while forwarding; -EINVAL the queue is not started; errors of the driver.
 */
int port_queue_cleanup(struct ports *ps, const struct args *a, struct err *e);

/*
 * Map <queue> of <port>, where <way> is rx or tx, to the port's queue statistics <counter>. Errors:
 * -ENODEV; -ERANGE queue or counter; -ENOSYS since DPDK 25.11; errors of the driver.
 */
int port_queue_stats_map(struct ports *ps, const struct args *a, struct err *e);

/*
 * Send the packets of Tx <queue> through member port <n> (from 1; 0: any) of bonding <port>,
 * stopped. Errors: -ENODEV; -EBUSY; -ERANGE queue; -ENOSYS before DPDK 23.03; errors of the driver.
 */
int port_queue_affinity(struct ports *ps, const struct args *a, struct err *e);
