/* The account of a run's packets: where each of them went. All reports of a loss use it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"
#include "run/account/run_count.h"

#include <rte_ethdev.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;

/*
 * Each packet is in exactly one of the parts:
 *
 *   asked   == offered + unsent
 *   offered == sent + absorbed + refused + tx_errors + missed + rx_errors + dropped
 *   lost    == refused + tx_errors + missed + rx_errors + dropped
 *
 * For an engine that measures what comes back (struct engine_trial), what it receives is what it
 * sent. Packets that a receiving port missed or received with errors are part of those lost on the
 * way, as far as ports can tell:
 *
 *   offered == sent + refused + tx_errors
 *   sent    == arrived + missed + rx_errors + lost_on_the_way
 *   lost    == refused + tx_errors + missed + rx_errors + lost_on_the_way
 *
 * The law: lost <= offered <= asked.
 */
struct run_account {
	uint64_t asked;     /* due by rate, file or count, or received */
	uint64_t offered;   /* received, missed or created */
	uint64_t sent;      /* accepted by ports, tx_errors excluded */
	uint64_t absorbed;  /* removed by the engine on purpose */
	uint64_t unsent;    /* due, but not sent in time */
	uint64_t refused;   /* not accepted by a port */
	uint64_t tx_errors; /* accepted by a port, which reported that it did not send them */
	uint64_t missed;    /* no Rx descriptor was free */
	uint64_t rx_errors; /* received with errors */
	uint64_t dropped;   /* by the engine */
	/* of an engine that measures; STAT_NONE: another engine, or not known */
	uint64_t lost_on_the_way;
	uint64_t
		lost; /* STAT_NONE: not known, while packets are under way or if they are invalid */
};

/* The rows of struct run_account. */
extern const struct stat_table run_account_stats;

/* An account under construction. */
struct run_account_sums {
	uint64_t part[STAT_PARTS];
	bool measures; /* the engine measures what comes back */
	struct run_account_port {
		bool receives, sends; /* streams receive from the port, send to it */
		bool mirrors;         /* it also sends clones, which streams do not count */
		uint64_t accepted;    /* packets that streams sent to the port */
	} port[RTE_MAX_ETHPORTS];
};

/*
 * Begin an account of the current or last run. An engine that never receives has no Rx loss, one
 * that never sends no Tx loss. Thread: control, or any that holds the run's lock; for all of this
 * file.
 */
void run_account_begin(struct run_account_sums *sums, const struct run *r);

/* Add the counters c of a stream, including those of its engine. Streams come before ports. */
void run_account_add_stream(struct run_account_sums *sums, const struct stream *s,
	const struct stream_count *c);

/*
 * Add the counters of a port; a port that the run does not use adds nothing. Some drivers count
 * refused packets as transmit errors too: errors count only up to the packets that the port accepted
 * and did not report as sent.
 */
void run_account_add_port(struct run_account_sums *sums, uint16_t id,
	const struct rte_eth_stats *stats);

/* Compute the account. Of an engine that measures, what was lost on the way remains unknown. */
void run_account_end(const struct run_account_sums *sums, struct run_account *a);

/*
 * Add what an engine that measures has lost on the way, if a is of its whole run, and the engine has
 * finished its streams; else do nothing.
 */
void run_account_measured(const struct run *r, struct run_account *a);

/* Read the account since the start or the last clear; r->streams must not be NULL. */
void run_account_read(const struct run *r, struct run_account *a);

/*
 * Check the law for the last run, which has ended. EPROTO: it is broken; e has the figures.
 */
int run_account_check(const struct run *r, struct err *e);

/*
 * Check that the last run measured its own packets. EPROTO: its engine measures, and it received
 * more intact packets than it sent, or many of another source.
 */
int run_account_valid(const struct run *r, struct err *e);
