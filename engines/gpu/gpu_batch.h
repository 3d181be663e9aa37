/* Batches of packets: fills them, passes them to the GPU, monitors it, and returns packets with
 * their results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct gpu;
struct rte_mbuf;
struct stream;

/*
 * Run the kernel once without packets, so that the driver has loaded it before packets arrive.
 * Errors: those of the driver, ETIMEDOUT. Thread: control, in init().
 */
int gpu_batch_try(struct gpu *g, struct err *e);

/*
 * The number of packets that can be added now; 0 while the GPU has all slots. Thread: the stream's
 * worker, for this function and those below.
 */
uint16_t gpu_batch_room(const struct gpu *g);

/* Add packets, at most gpu_batch_room(), and launch the kernel when a batch is full. */
void gpu_batch_add(struct stream *s, struct rte_mbuf *const *pkts, uint16_t n);

/*
 * Launch the kernel for a partial batch if its first packet has waited for gpu-flush, or if now.
 */
void gpu_batch_flush(struct stream *s, bool now);

/*
 * Take up to max packets with results, in the order of arrival; also those without results if the
 * GPU has failed. Returns how many. Counts: results, skipped, unread, verified, wrong.
 */
uint16_t gpu_batch_take(struct stream *s, struct rte_mbuf **pkts, uint16_t max);

/* Stop using the GPU, and keep the text of e to show it, unless there is an earlier one. */
void gpu_batch_fail(struct gpu *g, const struct err *e);
