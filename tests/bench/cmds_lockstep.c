/* The command that the measuring program has besides zcfwd's own. */
#include "app.h"
#include "base.h"
#include "err.h"
#include "grammar.h"
#include "lockstep.h"
#include "out.h"

#include <errno.h>
#include <string.h>

enum { BATCHES = 20 };

static void
result_show(struct out *o, const struct lockstep_result *result)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "variant", "%-48s", result->name);
	out_f64(o, "median", " %7.2f cycles/packet", result->median);
	out_f64(o, "p5", " [%.2f", result->p5);
	out_f64(o, "p90", " %.2f]", result->p90);
	out_f64(o, "ratio", "  %.3f", result->ratio);
	out_f64(o, "ratio_low", " [%.3f", result->ratio_low);
	out_f64(o, "ratio_high", " %.3f]", result->ratio_high);
	out_u64(o, "batches", "  %" PRIu64 " batches", result->batches);
	out_u64(o, "starved", ", %" PRIu64 " starved", result->starved);
	out_u64(o, "dropped", ", %" PRIu64 " packets dropped\n", result->dropped);
	out_unnest(o);
}

static int
lockstep(struct app *app, const struct args *a, struct err *e)
{
	const struct lockstep_plan plan = { .evict_kib = (uint32_t)arg_u64(a, "kib", 0),
		.rounds = (uint32_t)arg_u64(a, "rounds", 0),
		.samples = (uint32_t)arg_u64(a, "samples", 0),
		.batches = BATCHES };
	char text[LOCKSTEP_VARIANTS * LOCKSTEP_NAME], *variant[LOCKSTEP_VARIANTS], *rest = NULL,
										   *word;
	struct lockstep_result result[LOCKSTEP_VARIANTS];
	unsigned int n = 0;
	int ret;

	if (app->run.running)
		return err_set(e, EBUSY, "Please stop forwarding first");
	if (strlen(arg_str(a, "variants", "")) >= sizeof(text))
		return err_set(e, EINVAL, "variants: want at most %zu bytes", sizeof(text) - 1);
	strcpy(text, arg_str(a, "variants", ""));
	for (word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
		if (n == LOCKSTEP_VARIANTS)
			return err_set(e, EINVAL, "want at most %u variants", LOCKSTEP_VARIANTS);
		variant[n++] = word;
	}
	ret = lockstep_measure(&app->run, &plan, variant, n, result, e);
	if (ret != 0)
		return ret;
	out_nest(app->out, "variants", OUT_ARRAY);
	for (unsigned int i = 0; i < n; i++)
		result_show(app->out, &result[i]);
	out_unnest(app->out);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "lockstep evict <kib:uint 0..1048576> rounds <rounds:uint 1..64> samples <samples:uint 1..100000> <variants:text>",
		lockstep,
		"driver cycles per packet of each ENGINE[,SETTING=VALUE]..., by turns, with the model's work untimed",
		NULL },
};

const struct cmd_table cmds_lockstep = { "control", "measuring", rows, ARRAY_SIZE(rows) };
