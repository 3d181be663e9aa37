/* Drivers that accept packets which are too long for them, and lose them: how long a packet may be,
 * and a Tx callback that hides longer ones from the driver. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/frame_limit.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct rte_eth_rxtx_callback;

/*
 * Fill *l with the limit of a Tx queue, from the present MTU; all zero if the driver is not in the
 * table. mtu: the port's, from ethdev; a kernel interface may have another one. Thread: control.
 */
void tx_frame_limit(uint16_t port, uint16_t queue, uint16_t mtu, struct frame_limit *l);

/*
 * Lower *l to the limit of a port that another one, *l's, sends on: a member of a bonding port. Both
 * use the same queue. Thread: control.
 */
void tx_frame_member(uint16_t port, uint16_t queue, struct frame_limit *l);

/* Bytes of tx_frame_remedy()'s text. */
#define TX_FRAME_REMEDY 200

/*
 * Write how to let a port send frames of that length: "use \"ip link set dev eth0 mtu 1786\"".
 * l: its limit, or all zero. Thread: any.
 */
void tx_frame_remedy(uint16_t port, const struct frame_limit *l, uint32_t bytes,
	char text[TX_FRAME_REMEDY]);

/*
 * Return whether the interface of a limit is known to be down; its driver may report the link as up
 * all the same. Thread: any.
 */
bool tx_frame_down(const struct frame_limit *l);

/* One queue whose driver does not see packets that exceed the limit. */
struct tx_frame_queue {
	uint16_t port, queue;
	const struct frame_limit *limit;              /* must outlive the callback */
	const struct rte_eth_rxtx_callback *callback; /* NULL: not active */
};

/*
 * Let rte_eth_tx_burst() leave packets beyond the limit to its caller: it moves them to the end of
 * the array and reports them as not sent. Call this before lcores send. Does nothing if q->limit is
 * all zero. ENOTSUP: DPDK was built without callbacks; ENOMEM. Thread: control.
 */
int tx_frame_open(struct tx_frame_queue *q, struct err *e);

/* Remove the callback, after the lcores. Thread: control. */
void tx_frame_close(struct tx_frame_queue *q);
