/* Choose the events of the hardware counters: the defaults of the CPU, replaced by a list of
 * NAME=EVENT. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pmu_choice.h"

#include "base/err.h"
#include "base/pmu_event.h"
#include "base/pmu_usual.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 256 };

/* Find the CPU's default events that the kernel supports. */
static void
usual_find(const char *devices, enum pmu_cpu cpu, struct pmu_choice *choice)
{
	const char *word;
	unsigned int n;

	for (unsigned int c = 0; c < PMU_LCORE; c++) {
		for (unsigned int i = 0; (word = pmu_usual(cpu, c, i)) != NULL; i++)
			if (choice->lcore[c].n < PMU_TRIES &&
				pmu_event_find(devices, word,
					&choice->lcore[c].event[choice->lcore[c].n], 1, &n,
					NULL) == 0)
				choice->lcore[c].n++;
	}
	for (unsigned int i = 0;
		choice->n_controllers == 0 && (word = pmu_usual(cpu, PMU_MC_REQUESTS, i)) != NULL;
		i++)
		if (pmu_event_find(devices, word, choice->controller, PMU_CONTROLLERS,
			    &choice->n_controllers, NULL) != 0)
			choice->n_controllers = 0;
}

static int
counter_find(const char *name, size_t bytes)
{
	for (int c = 0; c < PMU_COUNTERS; c++)
		if (strlen(pmu_names[c]) == bytes && memcmp(pmu_names[c], name, bytes) == 0)
			return c;
	return -1;
}

/* Apply one NAME=EVENT. */
static int
wanted_take(const char *devices, const char *one, struct pmu_choice *choice, struct err *e)
{
	const char *event = strchr(one, '=');
	const size_t bytes = event != NULL ? (size_t)(event - one) : strlen(one);
	const int c = counter_find(one, bytes);
	unsigned int n;

	if (c < 0)
		return err_set(e, EINVAL,
			"unknown hardware counter \"%.*s\": expected cycles, instructions, stalled_frontend, stalled_backend, l1d_refills, l1d_writebacks, l2_refills, l2_writebacks, l3_refills or mc_requests",
			(int)bytes, one);
	if (event == NULL)
		return err_set(e, EINVAL, "%s: expected %s=EVENT", one, one);
	if (c == PMU_MC_REQUESTS)
		return pmu_event_find(devices, event + 1, choice->controller, PMU_CONTROLLERS,
			&choice->n_controllers, e);
	if (pmu_event_find(devices, event + 1, choice->lcore[c].event, 1, &n, e) != 0)
		return -e->code;
	if (choice->lcore[c].event[0].cpu >= 0)
		return err_set(e, EINVAL,
			"%s counts for the whole machine, but %s needs an event of one lcore",
			event + 1, pmu_names[c]);
	choice->lcore[c].n = 1;
	return 0;
}

/* Return the length of the first NAME=EVENT; a comma between slashes belongs to the event. */
static size_t
one_bytes(const char *wanted)
{
	bool terms = false;
	size_t n;

	for (n = 0; wanted[n] != '\0' && (terms || wanted[n] != ','); n++)
		terms ^= wanted[n] == '/';
	return n;
}

int
pmu_choose(const char *devices, const char *wanted, struct pmu_choice *choice, struct err *e)
{
	char one[WORD_BYTES];

	memset(choice, 0, sizeof(*choice));
	usual_find(devices, pmu_cpu_here(), choice);
	while (*wanted != '\0') {
		const size_t bytes = one_bytes(wanted);

		if (bytes >= sizeof(one))
			return err_set(e, EINVAL,
				"\"%.40s\" is too long: expected fewer than %d characters", wanted,
				WORD_BYTES);
		snprintf(one, sizeof(one), "%.*s", (int)bytes, wanted);
		if (wanted_take(devices, one, choice, e) != 0)
			return -e->code;
		wanted += bytes;
		wanted += *wanted == ',';
	}
	return 0;
}
