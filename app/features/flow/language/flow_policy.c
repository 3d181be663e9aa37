/* Read the actions of a meter policy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_policy.h"

#include "base/err.h"
#include "features/flow/language/flow_read.h"

#include <errno.h>

int
flow_policy_read(struct words *r, struct flow_policy *policy, struct err *e)
{
	static const char *const words[FLOW_POLICY_COLORS] = { "g_actions", "y_actions",
		"r_actions" };
	static const char *const help[FLOW_POLICY_COLORS] = { "actions for green packets",
		"actions for yellow packets", "actions for red packets" };
	int ret = 0;

	for (unsigned int i = 0; ret == 0 && i < FLOW_POLICY_COLORS; i++)
		ret = words_is(r, words[i], help[i])
			? flow_read_actions(r, "end", &policy->color[i], e)
			: words_fail(r, EINVAL, NULL, e);
	return ret;
}
