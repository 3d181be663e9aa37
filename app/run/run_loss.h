/* The packets offered to a run, and those lost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <rte_ethdev.h>

#include <stdbool.h>

struct run;
struct stream;
struct stream_count;

/* Whether the streams of a run receive from a port and send to it. */
struct run_loss_port {
	bool receives, sends;
};

/*
 * Fill port[RTE_MAX_ETHPORTS], by port id, for the current or last run. An engine that never
 * receives has no Rx loss, one that never sends no Tx loss. Thread: control, or any that holds the
 * run's lock; for all of this file.
 */
void run_loss_ports(const struct run *r, struct run_loss_port *port);

/* Add the counters c of a stream, including those of its engine. */
void run_loss_add_stream(struct stat_loss *sum, const struct stream *s,
	const struct stream_count *c);

/* Add the counters of a port of the run. */
void run_loss_add_port(struct stat_loss *sum, const struct run_loss_port *port,
	const struct rte_eth_stats *stats);

/* Add up all streams and ports since the start or the last clear; r->streams must not be NULL. */
void run_loss_read(const struct run *r, struct stat_loss *loss);
