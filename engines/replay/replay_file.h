/* Reads capture files (pcap, pcapng) by libpcap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/replay/replay_stream.h"

#include <stdint.h>

struct err;

#define REPLAY_NO_TIME UINT64_MAX

/* A packet of a file; bytes are valid during the call. */
struct replay_record {
	uint64_t number; /* from 1, of those of Ethernet interfaces */
	uint64_t ns;     /* time stamp, since 1970; REPLAY_NO_TIME: it is invalid */
	const uint8_t *bytes;
	uint32_t captured, length; /* bytes in the file, and on the wire */
};

/* Where the reading of a file ended. */
struct replay_rest {
	uint64_t after; /* the last packet that could be read, from 1 */
	char why[160];  /* libpcap's word on what follows it; empty: it was the last one */
	struct replay_foreign foreign; /* packets that were left out */
};

/*
 * Call each() for every packet of a file, also one that gzip has compressed, until it fails, a signal
 * is pending or the rest cannot be read. interrupt_fd: of interrupt_open(); NULL: none. Errors: those
 * of open(2) and of each(), and of libpcap before the first packet; EINVAL: another link type than
 * Ethernet. Their text begins with the path. EINTR: a signal; it remains pending. Thread: control.
 */
int replay_file_read(const char *path, const int *interrupt_fd,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct replay_rest *rest, struct err *e);
