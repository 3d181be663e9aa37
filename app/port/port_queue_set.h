/* Change single queues of a configured port: rate, threshold, statistics, buffers that wait in
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Let a Tx queue send at most so many Mbit/s, 0: as fast as it can. Errors: -ENODEV no such port;
 * -ERANGE above the link's speed; what the driver returned. Thread: control, all of this file.
 */
int port_queue_rate(struct ports *ps, uint16_t id, uint16_t queue, uint32_t mbps, struct err *e);

/*
 * Answer show port P queue Q rate. JSON: {"port", "queue", "rate_mbps"}, 0: no limit. Errors:
 * -ENODEV; -ENOSYS before DPDK 26.07; what the driver returned.
 */
int port_queue_rate_show(struct ports *ps, uint16_t id, uint16_t queue, struct err *e);

/*
 * Raise an event when less than percent of an Rx queue's descriptors are free for the hardware; 0:
 * no longer. Errors: -ENODEV; what the driver returned.
 */
int port_queue_avail_thresh(struct ports *ps, uint16_t id, uint16_t queue, uint8_t percent,
	struct err *e);

/*
 * Free up to n mbufs that a started Tx queue has sent, 0: all, and say how many. Errors: -EBUSY
 * while forwarding; -EINVAL the queue is not started; what the driver returned.
 */
int port_queue_cleanup(struct ports *ps, uint16_t id, uint16_t queue, uint32_t n, struct err *e);

/*
 * Count what a queue receives or sends in the port's queue statistics of that number. Errors:
 * -ENODEV; -ERANGE queue or number; -ENOSYS since DPDK 25.11; what the driver returned.
 */
int port_queue_stats_map(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint16_t slot,
	struct err *e);

/*
 * Send what goes through a Tx queue by that one of the ports that this one joins, 0: any of them.
 * Port stopped. Errors: -ENODEV; -EBUSY; -ERANGE queue; -ENOSYS before DPDK 23.03; what the driver
 * returned.
 */
int port_queue_affinity(struct ports *ps, uint16_t id, uint16_t queue, uint8_t affinity,
	struct err *e);
