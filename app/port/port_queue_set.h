/* Change single queues of a configured port: rate limit, threshold, statistics mapping, cleanup of
 * sent buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Limit a Tx queue to mbps Mbit/s, 0: no limit. Errors: -ENODEV no such port; -ERANGE above the
 * link speed; errors of the driver. Thread: control, all of this file.
 */
int port_queue_rate(struct ports *ps, uint16_t id, uint16_t queue, uint32_t mbps, struct err *e);

/*
 * Print show port P queue Q rate. JSON: {"port", "queue", "rate_mbps"}, 0: no limit. Errors:
 * -ENODEV; -ENOSYS before DPDK 26.07; errors of the driver.
 */
int port_queue_rate_show(struct ports *ps, uint16_t id, uint16_t queue, struct err *e);

/*
 * Raise an event if less than percent of an Rx queue's descriptors are available to the hardware;
 * 0: disable the event. Errors: -ENODEV; errors of the driver.
 */
int port_queue_avail_thresh(struct ports *ps, uint16_t id, uint16_t queue, uint8_t percent,
	struct err *e);

/*
 * Free up to n sent mbufs (0: all) of a started Tx queue, and print how many were freed. Errors:
 * -EBUSY while forwarding; -EINVAL the queue is not started; errors of the driver.
 */
int port_queue_cleanup(struct ports *ps, uint16_t id, uint16_t queue, uint32_t n, struct err *e);

/*
 * Map a queue to the port's queue statistics counter slot. Errors: -ENODEV; -ERANGE queue or slot;
 * -ENOSYS since DPDK 25.11; errors of the driver.
 */
int port_queue_stats_map(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint16_t slot,
	struct err *e);

/*
 * Send the packets of a Tx queue through member port affinity (from 1; 0: any) of a bonding port.
 * Port stopped. Errors: -ENODEV; -EBUSY; -ERANGE queue; -ENOSYS before DPDK 23.03; errors of the
 * driver.
 */
int port_queue_affinity(struct ports *ps, uint16_t id, uint16_t queue, uint8_t affinity,
	struct err *e);
