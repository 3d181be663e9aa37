/* The command `doctor`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/doctor/doctor.h"
#include "port/port_descriptors.h"
#include "run/run.h"
#include "run/run_cpu.h"
#include "stream/plan.h"

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>

static void
lcores_read(const struct plan_choice *choice, struct doctor_use *use)
{
	for (unsigned int i = 0; i < choice->use_lcores; i++) {
		struct doctor_lcore *l = &use->lcores[use->n_lcores++];

		l->id = choice->lcores[i];
		l->cpus = rte_lcore_cpuset(l->id);
		l->node = (int)rte_lcore_to_socket_id(l->id);
	}
}

static void
ports_read(const struct ports *ports, const struct plan_choice *choice, struct doctor_use *use)
{
	for (unsigned int i = 0; i < choice->use_ports; i++) {
		const struct port *p = port_at(ports, choice->ports[i]);
		struct doctor_port *d = &use->ports[use->n_ports];

		if (p == NULL)
			continue;
		*d = (struct doctor_port){ .id = p->id,
			.node = rte_eth_dev_socket_id(p->id),
			.rings = port_rings_of(p) };
		use->n_ports++;
	}
}

static void
finding_show(const struct doctor_finding *f, struct out *o)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "check", "  %-14s ", f->check);
	out_str(o, "verdict", "%-8s ", doctor_verdict_word(f->verdict));
	out_str(o, "found", "%s\n", f->found);
	if (f->change[0] != '\0')
		out_str(o, "change", "                 change:  %s\n", f->change);
	out_unnest(o);
}

/*
 * Examine this host for the lcores and ports that are chosen. JSON: {"checks":[{"check", "verdict",
 * "found", "change"}], "spoils"}.
 */
static int
doctor(struct app *app, const struct args *a, struct err *e)
{
	struct doctor_finding findings[DOCTOR_CHECKS];
	struct doctor_use *use = calloc(1, sizeof(*use));
	unsigned int n = 0;

	if (use == NULL)
		return err_set(e, ENOMEM, "no memory to examine the host");
	lcores_read(&app->run.choice, use);
	ports_read(&app->ports, &app->run.choice, use);
	use->l2_bytes = app->ports.l2_bytes;
	use->hugepages = rte_eal_has_hugepages() != 0;
	if (!run_cpu_least(&app->run, &use->least))
		use->least.share = NAN;
	use->forwarding = app->run.running;
	use->main_cpus = rte_lcore_cpuset(rte_get_main_lcore());
	doctor_examine("", use, findings);
	free(use);
	out_nest(app->out, "checks", OUT_ARRAY);
	for (unsigned int i = 0; i < DOCTOR_CHECKS; i++) {
		finding_show(&findings[i], app->out);
		n += findings[i].verdict == DOCTOR_SPOILS;
	}
	out_unnest(app->out);
	out_u64(app->out, "spoils", "%" PRIu64, n);
	out_text(app->out, " of %u checks found what spoils tails or rates\n", DOCTOR_CHECKS);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "doctor", doctor,
		"examine this host for what spoils tails and rates, and how to change it; changes nothing",
		"doctor", NULL },
};

const struct cmd_table cmds_doctor = { "doctor", "what on this host spoils tails and rates", rows,
	ARRAY_SIZE(rows) };
