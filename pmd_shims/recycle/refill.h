/* Refills a receive ring from contiguous blocks of its pool: a pair without a Tx queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct recycle;

/*
 * Complete a pair whose Rx queue is bound. Errors: ENOTSUP if the queue's pool has no contiguous
 * blocks of more than one mbuf. Thread: control.
 */
int refill_open(struct recycle *r, struct err *e);
