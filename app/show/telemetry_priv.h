/* The functions that answer telemetry requests; private to telemetry. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct app;
struct run;
struct stream;
struct telemetry_reply;

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
