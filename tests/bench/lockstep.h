/* Driver cycles per packet of several engines over the same modelled ports, in turn, on one core: the model's work is not timed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;
struct run;
struct stream;

enum { LOCKSTEP_VARIANTS = 8, LOCKSTEP_NAME = 96 };

/* How to measure. */
struct lockstep_plan {
	uint32_t
		evict_kib; /* memory read and written before each batch, so that the caches forget; 0: hot */
	uint32_t rounds;  /* turns of all streams in one batch */
	uint32_t samples; /* how often each variant comes up */
	uint32_t
		batches; /* consecutive batches of a variant each time; the first ones only warm up */
};

/* TSC cycles per packet of the batches of one variant. */
struct lockstep_result {
	char name[LOCKSTEP_NAME];
	uint64_t batches; /* that were counted */
	uint64_t starved; /* left out: not every turn found a full burst */
	uint64_t
		dropped; /* packets that a full Tx ring cost: none, or the figures are worth nothing */
	double p5, median, p90;
	double ratio, ratio_low,
		ratio_high; /* to the first variant: the median over samples, and its quartiles */
};

/* Moves the model's frames once: model_nic_step() of the plugin that is loaded; NULL: none is. */
typedef unsigned lockstep_step(void);
lockstep_step *lockstep_model(void);

/*
 * Measure n variants ("ENGINE[,SETTING=VALUE]...") in turn. Ports are started, nothing forwards. Fills result[0..n). Errors: ENODEV without a
 * model that is stepped, EINVAL for a variant that is not understood, what the engines' init() says. Thread: control.
 */
int lockstep_measure(struct run *r, const struct lockstep_plan *plan, char *const *variant,
	unsigned int n, struct lockstep_result *result, struct err *e);
