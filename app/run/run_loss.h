/* What a run was offered, and what of it was lost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <rte_ethdev.h>

#include <stdbool.h>

struct run;
struct stream;
struct stream_count;

/* Which way the streams of a run use a port. */
struct run_loss_port {
	bool receives, sends;
};

/*
 * The ports of the current or last run, by number: port[RTE_MAX_ETHPORTS]. An engine that never
 * receives loses nothing that comes to its ports; one that never sends, nothing that they send.
 * Thread: any that holds the run's lock, or control; all of this file.
 */
void run_loss_ports(const struct run *r, struct run_loss_port *port);

/* Add what a stream counted, c: by the rows of every stream, and by its engine's own. */
void run_loss_add_stream(struct stat_loss *sum, const struct stream *s,
	const struct stream_count *c);

/* Add what a port of the run counted. */
void run_loss_add_port(struct stat_loss *sum, const struct run_loss_port *port,
	const struct rte_eth_stats *stats);

/* All streams and ports since the start or the last clear; r->streams must be there. */
void run_loss_read(const struct run *r, struct stat_loss *loss);
