/* Make the plan of the next run, by queues or by traffic classes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_plan.h"

#include "base/setting.h"
#include "engines/engine.h"
#include "run/run.h"
#include "run/run_classes.h"

int
run_plan(const struct run *r, const struct engine *engine, struct plan *plan, struct err *e)
{
	struct plan_choice c = r->choice;

	c.n_rxq = (unsigned int)setting_u64(r->settings, "rxq");
	c.n_txq = (unsigned int)setting_u64(r->settings, "txq");
	c.echo = (engine->flags & ENGINE_ECHOES) != 0;
	if (engine->helpers != NULL && engine->helpers->split(r->settings, &c, e) != 0)
		return -e->code;
	return run_classes_decide(r, &c) ? run_classes_plan(r, &c, plan, e)
					 : plan_make(plan, &c, e);
}
