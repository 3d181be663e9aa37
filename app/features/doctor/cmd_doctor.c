/* The command `doctor`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "features/doctor/doctor.h"
#include "features/doctor/doctor_finding.h"
#include "features/doctor/doctor_read.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	INDENT = 26, /* of what was found */
	COLUMNS = 80,
};

/* Print text in lines that begin below the first one. */
static void
lines_show(struct out *o, const char *words)
{
	struct text t = { 0 };

	text_wrap(&t, words, INDENT, COLUMNS);
	out_text(o, "%s\n", t.bytes != NULL && !t.cut ? t.bytes : words);
	free(t.bytes);
}

/* The source of what is right is for JSON only. A change is one line, to be copied. */
static void
finding_show(const struct doctor_finding *f, struct out *o)
{
	const bool right = f->verdict == DOCTOR_OK || f->verdict == DOCTOR_UNKNOWN;

	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "check", "  %-14s ", f->check);
	out_str(o, "verdict", "%-8s ", doctor_finding_word(f->verdict));
	out_str(o, "found", NULL, f->found);
	lines_show(o, f->found);
	if (f->change[0] != '\0')
		out_str(o, "change", "                 change:  %s\n", f->change);
	out_str(o, "source", NULL, f->source);
	if (!right) {
		out_text(o, "                 source:  ");
		lines_show(o, f->source);
	}
	out_unnest(o);
}

/* Return in how many checks a finding has that verdict; those of one check follow each other. */
static unsigned int
checks_count(const struct doctor_findings *findings, enum doctor_verdict verdict)
{
	const char *last = NULL;
	unsigned int n = 0;

	for (unsigned int i = 0; i < findings->n; i++) {
		const struct doctor_finding *f = &findings->list[i];

		if (f->verdict != verdict || f->check == last)
			continue;
		last = f->check;
		n++;
	}
	return n;
}

/*
 * Examine this host for the lcores and ports that are chosen. JSON: {"checks":[{"check", "verdict",
 * "found", "change", "source"}], "spoils", "fails"}. With ZCFWD_HOST in the environment, the files of
 * the kernel are read below that folder.
 */
static int
doctor(struct app *app, const struct args *a, struct err *e)
{
	const char *root = getenv("ZCFWD_HOST");
	struct doctor_use *use = calloc(1, sizeof(*use));
	struct doctor_findings findings = { 0 };
	unsigned int n_fails;

	if (use == NULL)
		return err_set(e, ENOMEM, "no memory to examine the host");
	doctor_read(app, use);
	doctor_examine(root != NULL ? root : "", use, &findings);
	free(use);
	out_nest(app->out, "checks", OUT_ARRAY);
	for (unsigned int i = 0; i < findings.n; i++)
		finding_show(&findings.list[i], app->out);
	out_unnest(app->out);
	out_u64(app->out, "spoils", "%" PRIu64, checks_count(&findings, DOCTOR_SPOILS));
	out_text(app->out, " of %u checks found what spoils tails or rates\n", findings.n_checks);
	n_fails = checks_count(&findings, DOCTOR_FAILS);
	out_u64(app->out, "fails", NULL, n_fails);
	if (n_fails > 0)
		out_text(app->out, "%u of %u checks found what keeps ports from forwarding\n",
			n_fails, findings.n_checks);
	free(findings.list);
	if (findings.cut)
		return err_set(e, ENOMEM, "no memory for all findings");
	return 0;
}

static const struct cmd_row rows[] = {
	{ "doctor", doctor,
		"examine this host and its network cards: what keeps ports from forwarding, what spoils tails and rates, and how to change it; changes nothing",
		"doctor", NULL },
};

const struct cmd_table cmds_doctor = { "doctor", "what on this host spoils tails and rates", rows,
	ARRAY_SIZE(rows), CMD_ENGINES };
