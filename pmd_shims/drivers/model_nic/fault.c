/* Parses faults, and begins and ends them at their times. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/fault.h"

#include "pmd_shims/drivers/model_nic/report.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MS_MAX = 3600 * 1000, PACKETS_MAX = 1000 * 1000 * 1000, ANNOUNCED_MS = 100 };

const char fault_words[] =
	"expected link down MS, stall tx MS, starve rx MS (1..3600000), error N, "
	"oversize N, jumbo N (1..1000000000) or reset";

static const struct {
	const char *words;
	uint64_t max;   /* maximum of the number that follows; 0: no number */
	bool lasts;     /* the number is a time in milliseconds */
	size_t counter; /* offset of its counter in the report */
} kinds[FAULT_KINDS] = {
#define COUNTED(field) offsetof(struct model_nic_report, field)
	[FAULT_LINK] = { "link down", MS_MAX, true, COUNTED(faults_link) },
	[FAULT_STALL] = { "stall tx", MS_MAX, true, COUNTED(faults_stall) },
	[FAULT_STARVE] = { "starve rx", MS_MAX, true, COUNTED(faults_starve) },
	[FAULT_ERROR] = { "error", PACKETS_MAX, false, COUNTED(faults_error) },
	[FAULT_OVERSIZE] = { "oversize", PACKETS_MAX, false, COUNTED(faults_oversize) },
	[FAULT_JUMBO] = { "jumbo", PACKETS_MAX, false, COUNTED(faults_jumbo) },
	[FAULT_RESET] = { "reset", 0, true, COUNTED(faults_reset) },
#undef COUNTED
};

static bool
amount_parse(const char *text, uint64_t max, uint64_t *amount)
{
	char *end;

	if (text[0] != ' ' || !isdigit((unsigned char)text[1]))
		return false;
	errno = 0;
	*amount = strtoull(text + 1, &end, 10);
	return errno == 0 && *end == '\0' && *amount >= 1 && *amount <= max;
}

bool
fault_parse(const char *words, struct fault *f)
{
	for (unsigned i = 0; i < FAULT_KINDS; i++) {
		size_t n = strlen(kinds[i].words);

		if (strncmp(words, kinds[i].words, n) != 0)
			continue;
		*f = (struct fault){ .kind = (enum fault_kind)i, .amount = 1 };
		return kinds[i].max == 0 ? words[n] == '\0'
					 : amount_parse(words + n, kinds[i].max, &f->amount);
	}
	return false;
}

void
faults_ask(struct faults *f, const struct fault *fault)
{
	if (kinds[fault->kind].lasts)
		atomic_store(&f->asked[fault->kind], fault->amount);
	else
		atomic_fetch_add(&f->asked[fault->kind], fault->amount);
	atomic_store(&f->any, true);
}

static void
begin(struct faults *f, struct model *m, enum fault_kind kind, uint64_t amount, uint64_t now_ns,
	struct model_nic_report *r)
{
	const uint64_t ms = 1000 * 1000;
	uint64_t *counter = (uint64_t *)(void *)((char *)r + kinds[kind].counter);

	r->faults++;
	++*counter;
	if (!kinds[kind].lasts)
		f->packets[kind] += amount;
	else
		f->until_ns[kind] = now_ns + ms * (kind == FAULT_RESET ? ANNOUNCED_MS : amount);
	if (kind == FAULT_LINK)
		model_ask(m, MODEL_LINK_DOWN);
	else if (kind == FAULT_RESET)
		model_ask(m, MODEL_ANNOUNCE);
}

static void
end(struct faults *f, struct model *m, enum fault_kind kind)
{
	f->until_ns[kind] = 0;
	if (kind == FAULT_LINK)
		model_ask(m, MODEL_LINK_UP);
	else if (kind == FAULT_RESET)
		model_ask(m, MODEL_RESET);
}

void
faults_poll(struct faults *f, struct model *m, uint64_t now_ns, struct model_nic_report *r)
{
	/* Clear any before reading asked[]: a later request then counts in the next poll. */
	atomic_store(&f->any, false);
	f->timed = false;
	for (unsigned i = 0; i < FAULT_KINDS; i++) {
		enum fault_kind kind = (enum fault_kind)i;
		uint64_t amount = atomic_exchange(&f->asked[kind], 0);

		if (f->until_ns[kind] != 0 && now_ns >= f->until_ns[kind])
			end(f, m, kind);
		if (amount != 0)
			begin(f, m, kind, amount, now_ns, r);
		f->timed = f->timed || f->until_ns[kind] != 0;
	}
}
