/* Parses the settings of the engine replay. Thread: control. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pace.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct words;

/* What a port replays. */
struct replay_source {
	char path[PATH_MAX]; /* empty: nothing */
	bool truncated;      /* send what was captured of packets that were longer */
	bool skip;           /* leave out packets that the port cannot send, and cut ones */
	int32_t absent;      /* the first port after "port" that does not exist now; -1: none */
};

/* How fast. */
struct replay_rate {
	bool recorded;         /* at the times of the file, else by rate */
	double speed;          /* recorded: times faster */
	struct pace_rate rate; /* not recorded */
};

/* An address prefix that replaces the first bits of addresses. */
struct replay_prefix {
	uint8_t bytes[16]; /* bits after depth are 0 */
	uint8_t depth;     /* bits; 0: addresses stay */
};

enum { REPLAY_SRC, REPLAY_DST, REPLAY_ENDS };

/* What is changed in packets; all zero: nothing. */
struct replay_rewrite {
	bool mac; /* the addresses of port and peer */
	struct replay_prefix v4[REPLAY_ENDS], v6[REPLAY_ENDS];
};

/*
 * Read the setting replay for a port: "FILE [truncated] [port N FILE [truncated]]..."; words after
 * "port N" apply to that port only. FILE: a path, in quotes if it has blanks, or none. EINVAL: one
 * line that names the bad word. The second function reads it from a text.
 */
int replay_words_source_read(struct words *r, unsigned int port, struct replay_source *to,
	struct err *e);
int replay_words_source(const char *text, unsigned int port, struct replay_source *to,
	struct err *e);

/* Parse the setting replay-rate: "recorded", "2.5x", or what pace_rate_parse() accepts. EINVAL, ERANGE. */
int replay_words_rate(const char *text, struct replay_rate *to, struct err *e);

/*
 * Read the setting replay-rewrite for a port: "none", or "mac", "src PREFIX" and "dst PREFIX" in any
 * order, the prefixes once for each family; words after "port N" apply to that port, too. absent: as
 * in struct replay_source. EINVAL. The second function reads it from a text.
 */
int replay_words_rewrite_read(struct words *r, unsigned int port, struct replay_rewrite *to,
	int32_t *absent, struct err *e);
int replay_words_rewrite(const char *text, unsigned int port, struct replay_rewrite *to,
	int32_t *absent, struct err *e);
