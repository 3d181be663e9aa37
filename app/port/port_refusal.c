/* Errors that a driver returns in a struct, printed like testpmd does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_refusal.h"

#include "base/base.h"
#include "base/err.h"

#include <rte_tm.h>

#include <errno.h>
#include <stdio.h>

int
port_refusal(const struct port_refusal *said, const char *const *names, size_t n, int code,
	struct err *e)
{
	const char *what = said->type < n ? names[said->type] : NULL;
	char cause[32] = "";

	if (said->cause != NULL)
		snprintf(cause, sizeof(cause), "cause: %p, ", said->cause);
	return err_set(e, code < 0 ? -code : EIO, "%s: %s%s (error %u)",
		what != NULL ? what : "unknown type", cause,
		said->message != NULL ? said->message : "(no stated reason)", said->type);
}

/* Error messages of rte_tm in testpmd's words. */

#define NAME(type, name) [RTE_TM_ERROR_TYPE_##type] = name
#define SHAPER(type, name) NAME(SHAPER_PROFILE_##type, name " field (shaper profile)")
#define NODE(type, name) NAME(NODE_PARAMS_##type, name " field (node params)")

static const char *const names[] = {
	NAME(NONE, "no error"),
	NAME(UNSPECIFIED, "cause unspecified"),
	NAME(CAPABILITIES, "capability parameter null"),
	NAME(LEVEL_ID, "level id"),
	NAME(WRED_PROFILE, "wred profile null"),
	NAME(WRED_PROFILE_GREEN, "wred profile(green)"),
	NAME(WRED_PROFILE_YELLOW, "wred profile(yellow)"),
	NAME(WRED_PROFILE_RED, "wred profile(red)"),
	NAME(WRED_PROFILE_ID, "wred profile id"),
	NAME(SHARED_WRED_CONTEXT_ID, "shared wred context id"),
	NAME(SHAPER_PROFILE, "shaper profile null"),
	SHAPER(COMMITTED_RATE, "committed rate"),
	SHAPER(COMMITTED_SIZE, "committed size"),
	SHAPER(PEAK_RATE, "peak rate"),
	SHAPER(PEAK_SIZE, "peak size"),
	SHAPER(PKT_ADJUST_LEN, "packet adjust length"),
	SHAPER(PACKET_MODE, "packet mode"),
	NAME(SHAPER_PROFILE_ID, "shaper profile id"),
	NAME(SHARED_SHAPER_ID, "shared shaper id"),
	NAME(NODE_PARENT_NODE_ID, "parent node id"),
	NAME(NODE_PRIORITY, "node priority"),
	NAME(NODE_WEIGHT, "node weight"),
	NAME(NODE_PARAMS, "node parameter null"),
	NODE(SHAPER_PROFILE_ID, "shaper profile id"),
	NODE(SHARED_SHAPER_ID, "shared shaper id"),
	NODE(N_SHARED_SHAPERS, "num shared shapers"),
	NODE(WFQ_WEIGHT_MODE, "wfq weight mode"),
	NODE(N_SP_PRIORITIES, "num strict priorities"),
	NODE(CMAN, "congestion management mode"),
	NODE(WRED_PROFILE_ID, "wred profile id"),
	NODE(SHARED_WRED_CONTEXT_ID, "shared wred context id"),
	NODE(N_SHARED_WRED_CONTEXTS, "num shared wred contexts"),
	NODE(STATS, "stats"),
	NAME(NODE_ID, "node id"),
};

int
port_refusal_tm(const struct rte_tm_error *error, int code, struct err *e)
{
	const struct port_refusal said = { (unsigned int)error->type, error->cause,
		error->message };

	return port_refusal(&said, names, ARRAY_SIZE(names), code, e);
}
