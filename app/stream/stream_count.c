/* The rows of what a stream counts: name, label, help and unit of each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/stream_count.h"

#define ROW(member) .name = #member, .at = offsetof(struct stream_count, member)

static const struct stat_row rows[] = {
	{ ROW(rx), .label = "RX-packets", .help = "packets received", .offered = 1 },
	{ ROW(made), .help = "packets that the engine made", .offered = 1 },
	{ ROW(tx), .label = "TX-packets", .help = "packets that the port took" },
	{ ROW(tx_dropped), .label = "TX-dropped",
		.help = "packets that the port did not take, retries included", .drop = true },
	{ ROW(absorbed), .help = "packets that the engine took out on purpose" },
	{ ROW(tx_retried), .unit = "calls", .help = "transmit calls after a short one" },
	{ ROW(busy_cycles), .unit = "cycles", .may_lack = true,
		.help = "TSC cycles of polls that had packets, with record-core-cycles on" },
	{ ROW(rx_bytes), .unit = "bytes", .may_lack = true,
		.help = "bytes received, with record-bytes on" },
	{ ROW(tx_bytes), .unit = "bytes", .may_lack = true,
		.help = "bytes that the port took, with record-bytes on" },
};

const struct stat_table stream_stats = { "stream", rows, ARRAY_SIZE(rows), false };
