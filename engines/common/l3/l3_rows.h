/* Counter rows of engines that route packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

/* Dropped packets, in the order of enum l3_drop. */
#define L3_DROP_ROWS \
	{ .name = "no_route", \
		.label = "No-route", \
		.help = "packets dropped: no matching route", \
		.drop = true }, \
		{ .name = "expired", \
			.label = "Expired", \
			.help = "packets dropped: TTL or hop limit exceeded", \
			.drop = true }, \
	{ \
		.name = "malformed", .label = "Malformed", \
		.help = "packets dropped: not IP, bad length fields or bad header checksum", \
		.drop = true \
	}

/* Packets received and sent by different streams. */
#define L3_MOVE_ROWS \
	{ \
		.name = "routed_out", \
		.help = "packets received by this stream and routed to a port of another stream" \
	}, \
	{ \
		.name = "routed_in", \
		.help = "packets received by another stream and routed to this stream's port", \
		.offered = -1 \
	}
