/* Mbuf recycling: mbufs that a Tx queue has sent are armed in an Rx queue, past the mempool. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/recycle_ends.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct shim_layouts;

/*
 * Pair two queues of started ports. known: layouts beside the tables, stays as long as the pair; NULL:
 * none. NULL with e filled: ENOTSUP when a driver, its version, layout
 * or burst function is not one that can be paired (the reason names it), EINVAL for queues that are
 * not there, ENOMEM. Nothing of the queues is changed. Thread: control, or the lcore of the queues
 * while it is in no burst function.
 */
struct recycle *recycle_bind(const struct recycle_ends *ends, enum recycle_mode mode,
	const struct shim_layouts *known, struct err *e);

/*
 * Put back the mbufs that the pair keeps for the next time, which only RECYCLE_CONTIG does. Its
 * lcore does not run it meanwhile.
 */
void recycle_rest(struct recycle *r);

/* Forget the pair; NULL is fine. No mbuf is held then. Its lcore no longer runs it. */
void recycle_unbind(struct recycle *r);

/*
 * Move what the Tx queue has sent into what the Rx queue has free; to be called before
 * rte_eth_rx_burst(). Moves nothing once the ports were restarted, until recycle_bind() is called
 * anew. Returns mbufs moved. Thread: the lcore that calls the burst functions of both queues.
 */
uint16_t recycle_run(struct recycle *r);

/* The counts, live; the pair's own. */
const struct recycle_count *recycle_count(const struct recycle *r);

/* What was bound. */
const struct recycle_ends *recycle_ends(const struct recycle *r);

/* "net_i40e Vector AVX2": driver and burst function of the Rx queue, of the Tx queue. */
const char *recycle_rx_path(const struct recycle *r);
const char *recycle_tx_path(const struct recycle *r);

/* Who says how their driver lays them out: "table", "check", "file". */
const char *recycle_rx_layout(const struct recycle *r);
const char *recycle_tx_layout(const struct recycle *r);

/* Where a pair stands whose layouts are not by table. */
enum recycle_proof recycle_proof(const struct recycle *r);

/*
 * Why the pair moves nothing more until it is bound anew, a static text; NULL: it goes on. It reads
 * the Rx queue. Thread: control.
 */
const char *recycle_closed(const struct recycle *r);

/* Whether the queues are still those that were bound. Thread: any. */
bool recycle_stands(const struct recycle *r);
