/* The streams of a recording: a list, or all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record_plan.h"

bool
record_plan_wants(const struct record_plan *plan, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < plan->n && plan->list[k] != i; k++)
		;
	return plan->n == 0 || k < plan->n;
}
