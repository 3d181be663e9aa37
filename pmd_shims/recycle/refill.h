/* Refill a receive ring out of contiguous blocks of its pool: a pair without a Tx queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct recycle;

/*
 * Fill what is missing of a pair whose Rx queue is bound. ENOTSUP: the queue's pool has no blocks of
 * more than one mbuf. Thread: control.
 */
int refill_open(struct recycle *r, struct err *e);
