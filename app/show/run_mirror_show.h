/* Statistics of port mirrors: per queue, and per port in forward statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct run;

/*
 * `show port mirror`. JSON: {"mirrors":[{"from", "to", "queues":[{"rx_queue", "tx_queue",
 * "lcore", "manner", "reason", "received", "sent", "no_mbuf", "full", "segments"}]}],
 * "pool_in_use"}. Thread: control, all of this file.
 */
void run_mirror_show_all(const struct run *r);

/*
 * The mirror's part of a port's forward statistics; nothing for a port that is not mirrored. JSON:
 * "mirror":{"to", "received", "sent", "no_mbuf", "full", "segments"}.
 */
void run_mirror_show_port(const struct run *r, uint16_t port);
