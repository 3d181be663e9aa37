/* Batches of packets: filled, given to the GPU, looked after, handed out with their results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct gpu;
struct rte_mbuf;
struct stream;

/*
 * Run the kernel once for no packets, so that the driver has it ready when packets come. Errors:
 * what the driver says, ETIMEDOUT. Thread: control, in init().
 */
int gpu_batch_try(struct gpu *g, struct err *e);

/* Packets that may be added now: 0 while all slots are with the GPU. Thread of all that follow: the
 * worker. */
uint16_t gpu_batch_room(const struct gpu *g);

/* Add packets, no more than there is room for, and launch the kernel when a batch is full. */
void gpu_batch_add(struct stream *s, struct rte_mbuf *const *pkts, uint16_t n);

/*
 * Launch the kernel for a batch that is not full when its first packet has waited for gpu-flush, or
 * now.
 */
void gpu_batch_flush(struct stream *s, bool now);

/*
 * Hand out up to max packets, in the order of their arrival, whose results are there; when the GPU
 * has failed, those without. Returns how many. Counts: results, skipped, unread, verified, wrong.
 */
uint16_t gpu_batch_take(struct stream *s, struct rte_mbuf **pkts, uint16_t max);

/* Ask the GPU nothing any more; the words of e are kept for the operator, the first ones. */
void gpu_batch_fail(struct gpu *g, const struct err *e);
