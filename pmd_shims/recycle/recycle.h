/* Mbuf recycling: mbufs that a Tx queue has sent are armed in an Rx queue without going through the
 * mempool. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <stdbool.h>
#include <stdint.h>

struct pool_blocks_count;
struct recycle;
struct recycle_window;
struct shim_layouts;

/* Whether the driver of a port is known, as zcfwd_recycle_supports(). */
int recycle_supports(uint16_t port, const struct shim_layouts *known,
	struct zcfwd_recycle_error *e);

/*
 * Pair two queues of started ports; does not change the queues. known: may be
 * NULL; its file, if any, must live as long as the pair. Returns NULL with e filled: ENOTSUP if a
 * driver, its version, layout or burst function cannot be paired (e names it), EINVAL if a queue
 * does not exist, ENOMEM. Thread: control, or the lcore of the queues outside of burst functions.
 */
struct recycle *recycle_bind(const struct recycle_ends *ends, enum zcfwd_recycle_mode mode,
	const struct shim_layouts *known, struct zcfwd_recycle_error *e);

/*
 * Return the mbufs that the pair keeps for its next run to their pool; only ZCFWD_RECYCLE_MODE_BLOCKS keeps
 * any. The lcore must not run the pair at the same time.
 */
void recycle_rest(struct recycle *r);

/* Free the pair and return any mbufs it keeps; NULL is fine. The lcore must no longer run it. */
void recycle_unbind(struct recycle *r);

/*
 * Move sent mbufs of the Tx queue into free slots of the Rx queue; call it before
 * rte_eth_rx_burst(). After a port was restarted it moves nothing until recycle_bind() is called
 * again. Returns mbufs moved. Thread: the lcore that calls the burst functions of both queues.
 */
uint16_t recycle_run(struct recycle *r);

/* The live counters, owned by the pair. */
const struct recycle_count *recycle_count(const struct recycle *r);
const struct pool_blocks_count *recycle_blocks_count(const struct recycle *r);

/* The queues that were bound. */
const struct recycle_ends *recycle_ends(const struct recycle *r);

/* Driver and burst function of the Rx queue and of the Tx queue: "net_i40e Vector AVX2". */
const char *recycle_rx_path(const struct recycle *r);
const char *recycle_tx_path(const struct recycle *r);

/* Source of the queue's layout: "table", "check" or "file". */
const char *recycle_rx_layout(const struct recycle *r);
const char *recycle_tx_layout(const struct recycle *r);

/* State of the proof of layouts that are not from the table. */
enum recycle_proof recycle_proof(const struct recycle *r);

/*
 * Why the pair moves nothing, or not all, a static text; FINE: it is active. Reads the Rx queue. Thread:
 * control.
 */
enum zcfwd_recycle_reason recycle_reason(const struct recycle *r, const char **text);

/*
 * Claim the Tx queue for the thread that runs the pair. Returns false if another thread has it: then
 * the pair moves nothing until it is bound again. Thread: the lcore.
 */
bool recycle_claim(struct recycle *r, void *thread);

/* Undo recycle_claim(). Thread: the lcore, or control when the lcore runs the pair no more. */
void recycle_unclaim(struct recycle *r);

/*
 * True if the pair may move mbufs: its queues are those that were bound, and no other thread had the Tx
 * queue. recycle_rx_stands(): the Rx queue is the one that was bound. Thread: any.
 */
bool recycle_stands(const struct recycle *r);
bool recycle_rx_stands(const struct recycle *r);

/* The mbufs in the Tx queue, sent or not; 0 if it was set up again. Thread: any; approximate. */
uint16_t recycle_in_flight(const struct recycle *r);

/*
 * Keep only the window of the Rx queue armed; mode ZCFWD_RECYCLE_MODE_RING only. Thread: control, before the
 * lcore runs the pair.
 */
void recycle_window_use(struct recycle *r, struct recycle_window *w);
