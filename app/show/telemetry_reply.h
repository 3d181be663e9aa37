/* A telemetry answer under construction, which knows how long its JSON will be. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_tel_data;

/*
 * Bytes of JSON that an answer may have: DPDK's 16 KiB less the brackets and the longest name of an
 * endpoint. DPDK leaves out without a word what goes beyond.
 */
#define TELEMETRY_BYTES (16 * 1024 - 64)

struct telemetry_reply {
	struct rte_tel_data *data;
	struct rte_tel_data **parts; /* all that lie within data, at any depth */
	unsigned int n_parts;
	unsigned int bytes; /* of JSON so far, brackets included */
	unsigned int limit; /* of bytes */
	bool failed;        /* a member did not fit, or memory was short */
};

/* Begin an object in the answer data, which is DPDK's. Thread: telemetry, all of this file. */
void telemetry_reply_begin(struct telemetry_reply *r, struct rte_tel_data *data);

/* The answer is complete. DPDK frees its data once it is sent. */
void telemetry_reply_end(struct telemetry_reply *r);

/*
 * Begin an object, or an array of numbers, that becomes part of another with telemetry_reply_put().
 */
void telemetry_reply_nest(struct telemetry_reply *r);
void telemetry_reply_array(struct telemetry_reply *r);

/*
 * Begin an object within r that may take what is left of r's room, so that telemetry_reply_put()
 * will take it; a few numbers may still follow it in r.
 */
void telemetry_reply_rest(const struct telemetry_reply *r, struct telemetry_reply *part);

/*
 * One member. In name what is neither letter nor digit becomes "_"; of value what is not printable
 * ASCII becomes "?".
 */
void telemetry_reply_u64(struct telemetry_reply *r, const char *name, uint64_t value);
void telemetry_reply_str(struct telemetry_reply *r, const char *name, const char *value);

/* One number of an array. */
void telemetry_reply_add(struct telemetry_reply *r, uint64_t value);

/*
 * End part and make it a member of r. False when it does not fit, and then it is gone; r stays as
 * it was. That is where a page ends.
 */
bool telemetry_reply_put(struct telemetry_reply *r, const char *name, struct telemetry_reply *part);

/* End part without making it a member of anything. Frees it and all parts within it. */
void telemetry_reply_drop(struct telemetry_reply *part);

#define TELEMETRY_NEST 4 /* objects and arrays within each other that a sink can have open */

/* A sink of statistics that builds on a reply. */
struct telemetry_sink {
	struct stat_sink sink;
	struct {
		struct telemetry_reply *reply, room;
		char name[32]; /* its key in the one around it */
		bool array;
	} level[TELEMETRY_NEST];
	unsigned int depth;
};

/*
 * Begin to tell statistics to r, which stays the caller's. A part that does not fit makes r fail,
 * as a number does.
 */
void telemetry_sink_begin(struct telemetry_sink *s, struct telemetry_reply *r);
