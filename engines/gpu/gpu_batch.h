/* Batches of packets: fills them, passes them to the GPU, monitors it, and returns packets with
 * their results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/gpu/gpu_kernel.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct gpu;
struct rte_mbuf;
struct stream;

/* The expected result of the engine gpu's kernel for a packet, computed by the CPU. */

/*
 * Compute the one's complement sum of all bytes of a packet, and the 32-bit FNV-1a hash of its IP
 * addresses, its TCP, UDP or SCTP ports if it is not a fragment, and its protocol, in network
 * order. Up to GPU_TAGS_MAX VLAN tags are skipped, IPv6 extension headers are not. Thread: any.
 * Source: RFC 1071, draft-eastlake-fnv.
 */
struct gpu_result gpu_reference(const struct rte_mbuf *m);

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
