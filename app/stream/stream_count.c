/* The statistics rows of a stream's counters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/stream_count.h"

#define ROW(member) .name = #member, .at = offsetof(struct stream_count, member)

static const struct stat_row rows[] = {
	{ ROW(rx), .label = "RX-packets", .help = "packets received", .offered = 1 },
	{ ROW(made), .help = "packets created by the engine", .offered = 1 },
	{ ROW(tx), .label = "TX-packets", .help = "packets accepted by the port for transmission" },
	{ ROW(tx_dropped), .label = "TX-dropped",
		.help = "packets dropped because the Tx ring was full, after all retries",
		.drop = true },
	{ ROW(absorbed), .help = "packets that the engine removed on purpose" },
	{ ROW(tx_retried), .unit = "calls",
		.help = "transmit calls repeated because the Tx ring was full" },
	{ ROW(busy_cycles), .unit = "cycles", .may_lack = true,
		.help = "TSC cycles of polls with packets (needs record-core-cycles)" },
	{ ROW(rx_bytes), .unit = "bytes", .may_lack = true,
		.help = "bytes received (needs record-bytes)" },
	{ ROW(tx_bytes), .unit = "bytes", .may_lack = true,
		.help = "bytes accepted by the port for transmission (needs record-bytes)" },
};

const struct stat_table stream_stats = { "stream", rows, ARRAY_SIZE(rows), false };
