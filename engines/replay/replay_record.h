/* What the readers of capture files give: packets, and where a file ended. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define REPLAY_NO_TIME UINT64_MAX
#define REPLAY_SECONDS_MAX (INT64_MAX / 1000000000 - 1)

/* A packet of a file; bytes are valid during the call. */
struct replay_record {
	uint64_t number; /* in the file, from 1 */
	uint64_t ns;     /* time stamp, since 1970; REPLAY_NO_TIME: it is invalid */
	const uint8_t *bytes;
	uint32_t captured, length; /* bytes in the file, and on the wire */
};

/* Packets of a pcapng file that are of interfaces that are not Ethernet. */
struct replay_foreign {
	uint64_t packets;
	unsigned int named; /* interfaces in the text */
	char text[352];     /* the first few interfaces, with their link types */
};

/* Where the reading of a file ended. */
struct replay_rest {
	uint64_t bytes; /* of the file when it was first read, where it ends; 0: it was not */
	dev_t device;   /* which file that was */
	ino_t inode;
	uint64_t after; /* the last packet that could be read, from 1 */
	char why[160];  /* why the rest cannot be read; empty: it was the last one */
	bool doubtful;  /* the file's end was read, but why says what is wrong before it */
	struct replay_foreign foreign;
};
