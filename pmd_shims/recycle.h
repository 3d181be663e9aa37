/* Mbuf recycling: what a Tx queue has sent goes straight back into an Rx queue, past the
 * mempool. */
#pragma once

#include "base/base.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

/*
 * One Rx queue and one Tx queue that feeds it. Both are used by one lcore; each Tx queue feeds one
 * Rx queue.
 */
struct recycle;

enum recycle_mode {
	RECYCLE_OFF,
	RECYCLE_RING, /* from ring to ring */
	/*
	 * from the Tx ring into the lcore's mempool cache and from there into the Rx ring, one copy
	 * each
	 */
	RECYCLE_ZC_CACHE,
};

struct recycle_ends {
	uint16_t rx_port, rx_queue, tx_port, tx_queue;
};

/* Mbufs, since bind. Written by the lcore that runs the pair. */
struct recycle_count {
	counter moved;     /* from Tx queue to Rx queue */
	counter topped_up; /* drawn from the pool in place of those that could not be moved */
	counter shared;    /* sent and not movable: somebody else holds them still */
	counter foreign;   /* of another pool: back there */
	counter freed;     /* movable, but with no room or company to fill a batch: to the pool */
};

/*
 * Pair two queues of started ports. NULL with e filled: ENOTSUP when a driver, its version, layout
 * or burst function is not one that can be paired (the reason names it), EINVAL for queues that are
 * not there, ENOMEM. Nothing of the queues is changed. Thread: control, or the lcore of the queues
 * while it is in no burst function.
 */
struct recycle *recycle_bind(const struct recycle_ends *ends, enum recycle_mode mode,
	struct err *e);

/* Forget the pair; NULL is fine. No mbuf is held. Its lcore no longer runs it. */
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

/* Whether the queues are still those that were bound. Thread: any. */
bool recycle_stands(const struct recycle *r);
