/* Parts of the telemetry commands: values of an answer, and the answers about streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <stdbool.h>
#include <stdint.h>

struct app;
struct rte_tel_data;
struct run;

/* Builds a telemetry answer while tracking the length of its JSON. */

/*
 * Maximum bytes of JSON in an answer: DPDK's 16 KiB less the brackets and the longest endpoint
 * name. DPDK silently omits what exceeds its limit.
 */
#define TELEMETRY_BYTES (16 * 1024 - 64)

struct telemetry_reply {
	struct rte_tel_data *data;
	struct rte_tel_data **parts; /* everything nested in data, at any depth */
	unsigned int n_parts;
	unsigned int bytes; /* JSON so far, including brackets */
	unsigned int limit; /* maximum of bytes */
	bool failed;        /* a member did not fit, or memory was short */
};

/* Begin an object in data, which DPDK owns. Thread: telemetry, all of this file. */
void telemetry_reply_begin(struct telemetry_reply *r, struct rte_tel_data *data);

/* Finish the answer. DPDK frees the data after sending it. */
void telemetry_reply_end(struct telemetry_reply *r);

/*
 * Begin an object, or an array of numbers, to be added to another with telemetry_reply_put().
 */
void telemetry_reply_nest(struct telemetry_reply *r);

/*
 * Begin an object that may use the space left in r, so that telemetry_reply_put() can add it. A few
 * numbers may follow it in r.
 */
void telemetry_reply_rest(const struct telemetry_reply *r, struct telemetry_reply *part);

/*
 * Add one member. Replaces characters of name that are neither letter nor digit with "_", and
 * characters of value that are not printable ASCII with "?".
 */
void telemetry_reply_u64(struct telemetry_reply *r, const char *name, uint64_t value);
void telemetry_reply_str(struct telemetry_reply *r, const char *name, const char *value);

/*
 * Finish part and add it to r. If it does not fit, free part, leave r unchanged and return false;
 * the caller then ends the page.
 */
bool telemetry_reply_put(struct telemetry_reply *r, const char *name, struct telemetry_reply *part);

/* Free part and everything nested in it. */
void telemetry_reply_drop(struct telemetry_reply *part);

#define TELEMETRY_NEST 4 /* depth of open objects and arrays in a sink */

/* A sink that writes statistics to a reply. */
struct telemetry_sink {
	struct stat_sink sink;
	struct {
		struct telemetry_reply *reply, room;
		char name[32]; /* its key in the enclosing object */
		bool array;
	} level[TELEMETRY_NEST];
	unsigned int depth;
};

/*
 * Begin writing statistics to r, which the caller still owns. r->failed is set if a number or an
 * object does not fit.
 */
void telemetry_sink_begin(struct telemetry_sink *s, struct telemetry_reply *r);

/*
 * Fill in reply, an object that was begun. params: the text after the comma, or NULL. Takes the
 * locks it needs. Returns 0, or -errno, which makes the answer null. Thread: telemetry.
 */
typedef int telemetry_answer(struct app *app, const char *params, struct telemetry_reply *reply);

/*
 * /zcfwd/config, /zcfwd/engine, /zcfwd/pools: settings, the forwarding engine, levels of pools.
 */
telemetry_answer telemetry_config_config, telemetry_config_engine, telemetry_config_pools;

/*
 * /zcfwd/streams[,FIRST], /zcfwd/stream,N, /zcfwd/bursts,N[,rx|tx[,FIRST]]: streams of the current
 * or last run.
 */
telemetry_answer telemetry_streams_all, telemetry_streams_one, telemetry_streams_bursts;

/* /zcfwd/dma[,FIRST]: DMA devices and their counters. */
telemetry_answer telemetry_dma_all;

/* /zcfwd/ports[,FIRST]: ports and their counters. */
telemetry_answer telemetry_ports_all;

/*
 * /zcfwd/group,NAME[,FIRST]: members of one of the engine's groups in the current or last run.
 * /zcfwd/schema[,FIRST]: tables of statistics.
 */
telemetry_answer telemetry_groups_one, telemetry_groups_schema;

/*
 * Read the number at *text, and advance *text past it and a comma. *number is fallback if the text
 * is NULL or empty. Returns 0, or -EINVAL if the text is not a number.
 */
int telemetry_number(const char **text, uint64_t fallback, uint64_t *number);

/*
 * TSC cycles of an lcore in the current or last run: in total, and in polls with packets. Returns
 * -ENOENT if the lcore does not forward. The caller holds the run's lock.
 */
int telemetry_cycles(const struct run *r, unsigned int lcore, uint64_t *total, uint64_t *busy);
