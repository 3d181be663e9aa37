/* Writes histograms in the log format of HdrHistogram, version 1.3: its plotters and libraries read
 * the file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hdr.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Return the first lines of a log: format, units, the recording's id, the wall clock in ns since 1970
 * at which the log's time is 0, and the names of the columns. version: of the program. The caller
 * frees it; NULL: no memory. Thread: any, all of this file.
 */
char *hdr_log_head(const char *version, const char *id, uint64_t wall_ns);

/*
 * Return the histogram in HdrHistogram's compressed encoding, version 2, as base64. The caller frees
 * it; NULL: no memory.
 */
char *hdr_log_encode(const struct hdr_copy *h);

/* An interval of a log: its times in ns since the head's wall_ns, its histogram's tag. */
struct hdr_log_interval {
	const char *tag; /* without commas, spaces and line ends */
	uint64_t begin_ns, length_ns;
};

/* Return the line of an interval, with its line end. The caller frees it; NULL: no memory. */
char *hdr_log_line(const struct hdr_log_interval *interval, const struct hdr_copy *h);
