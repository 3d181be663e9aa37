/* Rows of the counters that engines have which forward at layer 3. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

/* Packets that go no further: those of enum l3_drop, in its order. */
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

/* Packets that another stream sends. */
#define L3_MOVE_ROWS \
	{ .name = "routed_out", \
		.help = "absorbed here: a route led to a port that another stream transmits to" }, \
	{ \
		.name = "routed_in", \
		.help = "made here: another stream received them, a route led to this one's port", \
		.offered = -1 \
	}
