/* The commands that the measuring program has besides zcfwd's own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "bench/lockstep.h"
#include "bench/placement.h"
#include "cmdline/grammar/grammar.h"

#include <rte_cycles.h>
#include <rte_version.h>

#include <errno.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define COMPILER "clang " __clang_version__ " -O" OPTIMIZATION
#else
#define COMPILER "gcc " __VERSION__ " -O" OPTIMIZATION
#endif

enum { BATCHES = 20, TRIES = 8, BETWEEN_TRIES_MS = 200 };

/* The variants of a command, and what was measured. */
struct measured {
	char text[LOCKSTEP_VARIANTS * LOCKSTEP_NAME];
	char *variant[LOCKSTEP_VARIANTS];
	unsigned int n;
	struct lockstep_result result[LOCKSTEP_VARIANTS];
	struct lockstep_whole whole;
};

static void
result_show(struct out *o, const struct lockstep_result *result)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "variant", "%-40s", result->name);
	out_f64(o, "median", " %7.2f cycles/packet", result->median);
	out_f64(o, "p5", " [%.2f", result->p5);
	out_f64(o, "p90", " %.2f]", result->p90);
	out_u64(o, "pairs", "  of %" PRIu64 " pairs:", result->ratio.pairs);
	out_f64(o, "ratio", " %.3f", result->ratio.median);
	out_f64(o, "ratio_low", " [%.3f", result->ratio.low);
	out_f64(o, "ratio_high", " %.3f]", result->ratio.high);
	out_u64(o, "batches", "  %" PRIu64 " batches", result->batches);
	out_u64(o, "shared", ", left out: %" PRIu64 " on a shared core", result->shared);
	out_f64(o, "median_all", " (with them %.2f", result->median_all);
	out_f64(o, "ratio_all", ", %.3f)", result->ratio_all);
	out_u64(o, "starved", ", %" PRIu64 " starved", result->starved);
	out_u64(o, "tx_full", ", %" PRIu64 " with a full Tx ring\n", result->tx_full);
	out_unnest(o);
}

static void
account_show(struct out *o, const struct nics_account *a)
{
	out_nest(o, "packets", OUT_OBJECT);
	out_u64(o, "received", "packets: %" PRIu64 " received", a->rx);
	out_u64(o, "sent", ", %" PRIu64 " sent", a->tx);
	out_u64(o, "dropped", ", %" PRIu64 " dropped", a->tx_dropped);
	out_u64(o, "absorbed", ", %" PRIu64 " absorbed; all accounted for", a->absorbed);
	out_u64(o, "verified", ", %" PRIu64 " verified\n", a->verified);
	out_unnest(o);
}

static void
measured_show(struct out *o, const struct measured *m)
{
	out_nest(o, "variants", OUT_ARRAY);
	for (unsigned int i = 0; i < m->n; i++)
		result_show(o, &m->result[i]);
	out_unnest(o);
	out_f64(o, "core", "core: %.3f cycles per addition at best", m->whole.core);
	out_bool(o, "crowded", "%s\n", m->whole.crowded,
		"; never had by all to themselves, shared batches count", "");
	account_show(o, &m->whole.account);
}

/* Split the words of a command into variants. */
static int
variants_read(struct measured *m, const struct args *a, struct err *e)
{
	char *rest = NULL, *word;

	if (strlen(arg_str(a, "variants", "")) >= sizeof(m->text))
		return arg_err(a, "variants", e, EINVAL, "variants: expected at most %zu bytes",
			sizeof(m->text) - 1);
	strcpy(m->text, arg_str(a, "variants", ""));
	for (word = strtok_r(m->text, " ", &rest); word != NULL;
		word = strtok_r(NULL, " ", &rest)) {
		if (m->n == LOCKSTEP_VARIANTS)
			return arg_err(a, "variants", e, EINVAL, "expected at most %d variants",
				LOCKSTEP_VARIANTS);
		m->variant[m->n++] = word;
	}
	return 0;
}

static int
measure(struct app *app, const struct lockstep_plan *p, struct measured *m, struct err *e)
{
	return lockstep_measure(&app->run, p, m->variant, m->n, m->result, &m->whole, e);
}

/* What both commands begin with. */
static int
prepare(const struct app *app, const struct args *a, struct lockstep_plan *p, struct measured *m,
	struct err *e)
{
	memset(m, 0, sizeof(*m));
	*p = (struct lockstep_plan){ .samples = (uint32_t)arg_u64(a, "samples", 0),
		.rounds = (uint32_t)arg_u64(a, "rounds", 0),
		.interrupt = &app->interrupt };
	if (app->run.running)
		return err_set(e, EBUSY, "Please stop forwarding first");
	return variants_read(m, a, e);
}

static int
lockstep(struct app *app, const struct args *a, struct err *e)
{
	struct lockstep_plan p;
	struct measured m;
	int ret = prepare(app, a, &p, &m, e);

	p.batches = BATCHES;
	p.mean = arg_given(a, "mean");
	p.evict_kib = (uint32_t)arg_u64(a, "kib", 0);
	if (ret == 0)
		ret = measure(app, &p, &m, e);
	if (ret == 0)
		measured_show(app->out, &m);
	return ret;
}

/* What a count depends on besides the sources. */
static void
key_show(struct out *o)
{
	out_nest(o, "key", OUT_OBJECT);
	out_str(o, "compiler", "%s", COMPILER);
	out_str(o, "dpdk", ", %s", rte_version());
	out_str(o, "libc", ", glibc %s\n", gnu_get_libc_version());
	out_unnest(o);
}

static int
count(struct app *app, const struct args *a, struct err *e)
{
	const struct lockstep_plan p = { .rounds = (uint32_t)arg_u64(a, "rounds", 0),
		.warm_up = (uint32_t)arg_u64(a, "warm", 0),
		.batches = (uint32_t)arg_u64(a, "batches", 0) };
	struct lockstep_counted counted = { 0 };
	int ret = app->run.running
		? err_set(e, EBUSY, "Please stop forwarding first")
		: lockstep_count(&app->run, &p, arg_str(a, "variant", ""), &counted, e);

	if (ret != 0)
		return ret;
	out_u64(app->out, "counted", "%" PRIu64 " packets\n", counted.packets);
	account_show(app->out, &counted.account);
	key_show(app->out);
	return 0;
}

/*
 * How far apart the threads were before and after a measurement, and how many were thrown away for
 * that.
 */
struct near {
	int cpu; /* of the model's thread */
	double limit_ns, before_ns, after_ns;
	unsigned int discarded;
};

static int
near_open(struct near *n, double limit_ns, struct err *e)
{
	const char *cpu = getenv("MODEL_NIC_CPU");

	*n = (struct near){ .cpu = cpu != NULL ? atoi(cpu) : -1, .limit_ns = limit_ns };
	if (cpu == NULL)
		return err_set(e, EINVAL,
			"expected MODEL_NIC_CPU=N in the environment: where the model's thread runs");
	if (n->cpu == placement_cpu())
		return err_set(e, EINVAL,
			"MODEL_NIC_CPU=%d: the main lcore runs there, expected another CPU",
			n->cpu);
	return 0;
}

/* Measure while the CPUs are near each other, before and after; else again. */
static int
measure_near(struct app *app, const struct lockstep_plan *p, struct measured *m, struct near *n,
	struct err *e)
{
	for (; n->discarded < TRIES; n->discarded++) {
		int ret = placement_round_trip(n->cpu, &n->before_ns, e);

		n->after_ns = 0;
		memset(m->result, 0, sizeof(m->result));
		if (ret == 0 && n->before_ns <= n->limit_ns)
			ret = measure(app, p, m, e);
		if (ret == 0 && n->before_ns <= n->limit_ns)
			ret = placement_round_trip(n->cpu, &n->after_ns, e);
		if (ret != 0 || RTE_MAX(n->before_ns, n->after_ns) <= n->limit_ns)
			return ret;
		rte_delay_us_sleep(BETWEEN_TRIES_MS * 1000);
	}
	return err_set(e, EAGAIN,
		"the CPUs were too far apart %u times, a cache line took %.0f ns there and back the last time: expected at most %.0f",
		n->discarded, RTE_MAX(n->before_ns, n->after_ns), n->limit_ns);
}

static int
two_cores(struct app *app, const struct args *a, struct err *e)
{
	struct lockstep_plan p;
	struct measured m;
	struct near n;
	int ret = prepare(app, a, &p, &m, e);

	p.slice_ms = (uint32_t)arg_u64(a, "ms", 0);
	if (ret == 0)
		ret = near_open(&n, (double)arg_u64(a, "ns", 0), e);
	if (ret == 0)
		ret = measure_near(app, &p, &m, &n, e);
	if (ret != 0)
		return ret;
	measured_show(app->out, &m);
	out_f64(app->out, "round_trip_before_ns",
		"cache line between the CPUs: %.0f ns there and back before", n.before_ns);
	out_f64(app->out, "round_trip_after_ns", ", %.0f ns after", n.after_ns);
	out_u64(app->out, "discarded", "; %" PRIu64 " measurements discarded\n", n.discarded);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "lockstep evict <kib:uint 0..1048576> rounds <rounds:uint 1..64> samples <samples:uint 1..100000> <variants:text>",
		lockstep,
		"driver cycles per packet of each ENGINE[,SETTING=VALUE]..., by turns, with the model's work untimed",
		NULL },
	{ "lockstep (mean) evict <kib:uint 0..1048576> rounds <rounds:uint 1..64> samples <samples:uint 1..100000> <variants:text>",
		lockstep,
		"the same, a sample being the mean of its batches, for drivers that do much of their work in rare spells",
		NULL },
	{ "lockstep count rounds <rounds:uint 1..64> warm <warm:uint 0..100000> batches <batches:uint 1..100000> <variant:text>",
		count,
		"run so many batches of one ENGINE[,SETTING=VALUE]..., for a profiler that counts variant_turns_profiled()",
		NULL },
	{ "two-cores slice <ms:uint 1..10000> limit <ns:uint 1..1000000000> rounds <rounds:uint 1..64> samples <samples:uint 1..100000> <variants:text>",
		two_cores,
		"the same while the model's thread runs on another CPU, not more than that far away",
		NULL },
};

const struct cmd_table cmds_lockstep = { "control", "measuring", rows, ARRAY_SIZE(rows) };
