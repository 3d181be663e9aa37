/* The answers of telemetry, one function each; between the files of telemetry only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct app;
struct run;
struct stream;
struct telemetry_reply;

/*
 * Fill reply, an object that was begun. params: what stood behind the comma, or NULL. Takes the
 * locks it needs. Returns 0, or -errno: then the answer is null. Thread: telemetry.
 */
typedef int telemetry_answer(struct app *app, const char *params, struct telemetry_reply *reply);

/*
 * /zcfwd/config, /zcfwd/engine, /zcfwd/pools: what is set, what forwards, what is left in the
 * pools.
 */
telemetry_answer telemetry_config_config, telemetry_config_engine, telemetry_config_pools;

/*
 * /zcfwd/streams[,FIRST], /zcfwd/stream,N, /zcfwd/bursts,N[,rx|tx[,FIRST]]: streams of the current
 * or last run.
 */
telemetry_answer telemetry_streams_all, telemetry_streams_one, telemetry_streams_bursts;

/* /zcfwd/dma[,FIRST]: DMA devices and what they copied. */
telemetry_answer telemetry_dma_all;

/* /zcfwd/ports[,FIRST]: ports and their counters. */
telemetry_answer telemetry_ports_all;

/*
 * /zcfwd/group,NAME[,FIRST]: members of a group of the engine of the current or last run.
 * /zcfwd/schema[,FIRST]: tables of statistics.
 */
telemetry_answer telemetry_groups_one, telemetry_groups_schema;

/*
 * The number at *text, and *text moved behind it and a comma. -EINVAL when there is none. NULL
 * text: fallback.
 */
int telemetry_number(const char **text, uint64_t fallback, uint64_t *number);

/*
 * Cycles of an lcore in the current or last run: all, and those of polls with packets. -ENOENT: it
 * forwards nothing. Lock held.
 */
int telemetry_cycles(const struct run *r, unsigned int lcore, uint64_t *total, uint64_t *busy);
