/* Reads capture files (pcap, pcapng) by libpcap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;

/* A packet of a file; bytes are valid during the call. */
struct replay_record {
	uint64_t number; /* from 1 */
	uint64_t ns;     /* time stamp, since 1970 */
	const uint8_t *bytes;
	uint32_t captured, length; /* bytes in the file, and on the wire */
};

/*
 * Call each() for every packet of a file, until it fails or a signal is pending. interrupt_fd: of
 * interrupt_open(); NULL: none. Errors: those of open(2), of libpcap and of each(); EINVAL: another
 * link type than Ethernet. Their text begins with the path. EINTR: a signal; it remains pending.
 * Thread: control.
 */
int replay_file_read(const char *path, const int *interrupt_fd,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct err *e);
