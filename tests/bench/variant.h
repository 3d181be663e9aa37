/* One variant of a measurement, "ENGINE[,SETTING=VALUE]...", as long as its turn lasts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "bench/lockstep.h"
#include "stream/plan.h"

#include <stdatomic.h>

enum { VARIANT_SETTINGS = 8, VARIANT_VALUE = 64 };

struct engine;
struct settings;
struct stream;

struct variant {
	struct settings *settings;
	const struct engine *engine;
	struct plan plan;
	struct stream **streams; /* plan.n_routes of them */
	/* What the settings were before. */
	struct {
		char name[LOCKSTEP_NAME], value[VARIANT_VALUE];
	} old[VARIANT_SETTINGS];
	unsigned int n_old;
};

/* What its streams counted so far. */
struct variant_count {
	uint64_t packets;     /* received; of an engine that makes packets: made */
	uint64_t tx_short;    /* dropped, or tried again, as a Tx ring was full */
	uint64_t busy_cycles; /* of turns that had packets, where cycles are recorded */
};

/*
 * Put the settings in place and make the streams; cycles: they record them, whatever the settings
 * say. Errors: EINVAL for what is not understood, or for a setting that only the configuration of
 * ports takes; as streams_make(). After an error nothing is left to close.
 */
int variant_open(struct variant *v, struct run *r, const char *text, bool cycles, struct err *e);

/* One turn of each stream, by the engine's own loop. */
void variant_turn(const struct variant *v);

/*
 * Where lcores choose by traffic who feeds a receive queue: let them, by what was sent since the last
 * call, whatever the clock says, and not by themselves. The first call of a variant only begins.
 */
void variant_choose(const struct variant *v);

/* So many turns of each stream: the function that profilers count, and nothing else calls. */
void variant_turns_profiled(const struct variant *v, uint32_t turns);

struct variant_count variant_count(const struct variant *v);

/*
 * Let the engine finish, add what was counted to account, free the streams, and put the settings
 * back.
 */
void variant_close(struct variant *v, struct nics_account *account);
