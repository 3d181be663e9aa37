/* The plan of a run: which Rx queue is forwarded to which Tx queue on which lcore; a pure function
 * of the settings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_config.h>

#include <stdbool.h>
#include <stdint.h>

struct err;

enum plan_topology { PLAN_PAIRED, PLAN_CHAINED, PLAN_LOOP };

/* What the operator chose. */
struct plan_choice {
	uint16_t ports[RTE_MAX_ETHPORTS];   /* forwarding ports in their order (portlist) */
	unsigned int n_ports;               /* of the list */
	unsigned int use_ports;             /* of them, the first so many are used (nbport) */
	unsigned int lcores[RTE_MAX_LCORE]; /* forwarding lcores in their order (corelist) */
	unsigned int n_lcores;
	unsigned int use_lcores; /* of them, the first so many are used (nbcore) */
	/* lcores that work for the streams of others; one may own streams too */
	unsigned int helpers[RTE_MAX_LCORE];
	unsigned int n_helpers;
	enum plan_topology topology;
	unsigned int n_rxq, n_txq; /* queues per port */
	bool echo;                 /* every stream leads back to its own port and queue */
};

struct plan_stream {
	uint16_t rx_port, rx_queue, tx_port, tx_queue;
	unsigned int lcore; /* lcore id */
};

/* The streams of one lcore are neighbours. */
struct plan_lcore {
	unsigned int lcore; /* lcore id */
	unsigned int first, n;
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

/* Whether anything can be planned: EINVAL no port, no lcore, no queue. */
int plan_check(const struct plan_choice *c, struct err *e);

/*
 * Make the streams: one per used port and queue; streams are dealt to lcores in neighbours, the
 * later lcores taking one more when the division leaves a rest (as testpmd deals them). With one
 * queue each, order is by port; else by queue, then port. Fails with EINVAL: no port, no lcore;
 * ENOMEM. Free with plan_free().
 */
int plan_make(struct plan *p, const struct plan_choice *c, struct err *e);
void plan_free(struct plan *p);

/* How many lcores take part: those with streams and those that only help. */
unsigned int plan_lcores(const struct plan *p);

/* Whether streams were dealt to the lcore. */
bool plan_deals(const struct plan *p, unsigned int lcore);

/*
 * Index in the port list that port index i transmits to: paired 0<->1 2<->3 (an odd last one to
 * itself), chained, loop.
 */
unsigned int plan_peer(enum plan_topology topology, unsigned int i, unsigned int n_ports);
