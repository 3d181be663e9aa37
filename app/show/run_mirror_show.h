/* What mirrors sent, and dropped and why: by queue, and per port in forward statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct run;

/*
 * Answer show port mirror. JSON: {"mirrors":[{"from", "to", "queues":[{"rx_queue", "tx_queue",
 * "lcore", "manner", "reason", "received", "sent", "no_mbuf", "full", "segments"}]}],
 * "pool_in_use"}. Thread: control, all of this file.
 */
void run_mirror_show_all(const struct run *r);

/*
 * The line of forward statistics on a mirrored port; nothing on any other. JSON: "mirror":{"to",
 * "received", "sent", "no_mbuf", "full", "segments"}.
 */
void run_mirror_show_port(const struct run *r, uint16_t port);
