/* Reads capture files: pcap by libpcap, and pcapng. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/replay/replay_record.h"

struct err;
struct interrupt;

/*
 * Call each() for every packet of Ethernet of a file, also one that gzip has compressed, until it fails,
 * a signal is pending or the rest cannot be read. rest: zeroed, or of an earlier reading: no more of
 * the file is read than then, and it has to be that file. interrupt: of interrupt_open(); NULL:
 * none. Errors: those of open(2) and of each(); EINVAL: no packet can be read, another link type than
 * Ethernet; EBUSY: another file has the name since the earlier reading, or none. Their text begins with
 * the path. EINTR: a signal; it remains pending. Thread: control.
 */
int replay_file_read(const char *path, const struct interrupt *interrupt,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct replay_rest *rest, struct err *e);
