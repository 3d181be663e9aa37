/* The plan of a run: which Rx queue is forwarded to which Tx queue on which lcore; a pure function
 * of the settings. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: from ports, queues, lcores and a topology follows who polls what. testpmd's users know
 * its order by heart, and their scripts rely on it: stream 0 is the first port's queue 0, the last
 * lcores get one stream more when the division leaves a remainder. Spread over the code that starts
 * a run, these rules could not be tried without ports.
 *
 * The idea: the plan is a value. plan_make() is a pure function of struct plan_choice; it opens
 * nothing, reads no setting and knows neither engines nor devices. What changes a plan afterwards
 * also takes and gives plans: plan_assign() moves streams to other lcores, plan_keep() leaves out
 * queues that are stopped. The run turns a finished plan into streams (run.h). "show config fwd"
 * prints the plan that a start would use, made by the same function.
 *
 * Why not let each lcore find its queues at its start: the answer to "who sends to this queue" would
 * be spread over lcores, and a queue that two of them use is a corrupted ring. In a plan it is one
 * look, and a test needs no port.
 *
 * Limits: an lcore's streams are consecutive, so that a worker gets one array; n_rxq and n_txq are
 * the same for all ports, in [1, PORT_QUEUES_MAX]; helpers (lcores that work for others) are only
 * carried along, the engine decides what they do.
 */
#pragma once

#include <rte_config.h>
#include <rte_ethdev.h>

#include <stdbool.h>
#include <stdint.h>

struct err;

enum plan_topology { PLAN_PAIRED, PLAN_CHAINED, PLAN_LOOP };

/* What the operator chose. */
struct plan_choice {
	uint16_t ports[RTE_MAX_ETHPORTS];   /* forwarding ports in their order (portlist) */
	unsigned int n_ports;               /* length of ports */
	unsigned int use_ports;             /* number of them in use, from the first on (nbport) */
	unsigned int lcores[RTE_MAX_LCORE]; /* forwarding lcores in their order (corelist) */
	unsigned int n_lcores;
	unsigned int use_lcores; /* number of them in use, from the first on (nbcore) */
	/* lcores that work for other lcores' streams; a helper may own streams too */
	unsigned int helpers[RTE_MAX_LCORE];
	unsigned int n_helpers;
	enum plan_topology topology;
	unsigned int n_rxq, n_txq; /* queues per port */
	bool echo;                 /* every stream transmits on its own port and queue */
};

struct plan_stream {
	uint16_t rx_port, rx_queue, tx_port, tx_queue;
	unsigned int lcore; /* lcore id */
	bool tx_stopped;    /* nothing may be sent to the Tx queue: plan_keep() */
};

/* The streams of one lcore are consecutive. */
struct plan_lcore {
	unsigned int lcore; /* lcore id */
	unsigned int first, n;
	unsigned int idle; /* of n: the last ones, which the lcore does not poll: plan_keep() */
};

struct plan {
	struct plan_stream *streams;
	unsigned int n_streams;
	struct plan_lcore lcores[RTE_MAX_LCORE];
	unsigned int n_lcores;
	unsigned int helpers[RTE_MAX_LCORE]; /* as chosen */
	unsigned int n_helpers;
	unsigned int n_ports;
};

/* Check that there is something to plan. EINVAL: no port, no lcore or no queue. */
int plan_check(const struct plan_choice *c, struct err *e);

/*
 * Make the streams: one per used port and queue, ordered by queue, then port (with echo by port,
 * then queue). Each lcore gets consecutive streams; if the division leaves a remainder, the last
 * lcores get one more each, as in testpmd. EINVAL: no port, lcore or queue; ENOMEM. Free with
 * plan_free().
 */
int plan_make(struct plan *p, const struct plan_choice *c, struct err *e);

/*
 * Assign stream i to lcore[i]. The streams are sorted by lcore; lcores without streams leave the
 * plan. ENOMEM: nothing has changed.
 */
int plan_assign(struct plan *p, const unsigned int *lcore, struct err *e);

/* What remains of a stream, of which queues may be stopped. */
enum plan_part {
	PLAN_KEPT = 1 << 0,     /* the stream stays in the plan */
	PLAN_RECEIVES = 1 << 1, /* its Rx queue is polled */
	PLAN_SENDS = 1 << 2,    /* packets may be sent to its Tx queue */
};

/*
 * Leave of each stream i what parts[i] has, bits of enum plan_part; lcores without streams leave
 * the plan. If no stream is left, all of them stay in the plan, and no lcore runs them. ENOMEM:
 * nothing has changed.
 */
int plan_keep(struct plan *p, const unsigned int *parts, struct err *e);
void plan_free(struct plan *p);

/* Return the number of lcores in the plan: those with streams and those that only help. */
unsigned int plan_lcores(const struct plan *p);

/* Return whether the lcore has streams. */
bool plan_deals(const struct plan *p, unsigned int lcore);

/*
 * Return the index in the port list of the port that index i transmits to: paired 0<->1 2<->3 (an
 * odd last one to itself), chained, loop.
 */
unsigned int plan_peer(enum plan_topology topology, unsigned int i, unsigned int n_ports);

/* The plan of a run by traffic classes: chosen classes, each on separate lcores; a pure function of
 * the settings and of the drivers' queue mapping. */

struct plan_classes {
	uint8_t mask;                         /* bit mask of the classes to forward */
	unsigned int each;                    /* lcores per class and port, 1.. */
	const struct rte_eth_dcb_info *ports; /* queues of each class, by index of the port */
};

/*
 * Make the streams, port by port and class by class: from the receive queues of a class, in all its
 * pools, to the transmit queues of that class of the port's peer. The smaller number of queues
 * limits them; queues that are not configured are omitted. Classes get the used lcores in order.
 * EINVAL: as plan_check(); no queue; too few lcores; a number of queues that is not a multiple of
 * the class's lcores. ENOMEM. Free with plan_free().
 */
int plan_classes_make(struct plan *p, const struct plan_choice *c,
	const struct plan_classes *classes, struct err *e);
