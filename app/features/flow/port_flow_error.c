/* Errors of rte_flow in testpmd's format. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/port_flow_error.h"

#include "base/base.h"
#include "base/err.h"

#include <rte_errno.h>
#include <rte_version.h>

#include <errno.h>
#include <stdio.h>

int
port_flow_error_of(int code, const struct rte_flow_error *error, struct err *e)
{
	static const char *const types[] = { [RTE_FLOW_ERROR_TYPE_NONE] = "no error",
		[RTE_FLOW_ERROR_TYPE_UNSPECIFIED] = "cause unspecified",
		[RTE_FLOW_ERROR_TYPE_HANDLE] = "flow rule (handle)",
		[RTE_FLOW_ERROR_TYPE_ATTR_GROUP] = "group field",
		[RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY] = "priority field",
		[RTE_FLOW_ERROR_TYPE_ATTR_INGRESS] = "ingress field",
		[RTE_FLOW_ERROR_TYPE_ATTR_EGRESS] = "egress field",
		[RTE_FLOW_ERROR_TYPE_ATTR_TRANSFER] = "transfer field",
		[RTE_FLOW_ERROR_TYPE_ATTR] = "attributes structure",
		[RTE_FLOW_ERROR_TYPE_ITEM_NUM] = "pattern length",
		[RTE_FLOW_ERROR_TYPE_ITEM_SPEC] = "item specification",
		[RTE_FLOW_ERROR_TYPE_ITEM_LAST] = "item specification range",
		[RTE_FLOW_ERROR_TYPE_ITEM_MASK] = "item specification mask",
		[RTE_FLOW_ERROR_TYPE_ITEM] = "specific pattern item",
		[RTE_FLOW_ERROR_TYPE_ACTION_NUM] = "number of actions",
		[RTE_FLOW_ERROR_TYPE_ACTION_CONF] = "action configuration",
		[RTE_FLOW_ERROR_TYPE_ACTION] = "specific action" };
	const unsigned int type = (unsigned int)error->type;
	char cause[32] = "";

	if (error->cause != NULL)
		snprintf(cause, sizeof(cause), "cause: %p, ", error->cause);
	return err_set(e, code != 0 ? code : EIO,
		"port_flow_complain(): Caught PMD error type %u (%s): %s%s: %s", type,
		type < ARRAY_SIZE(types) && types[type] != NULL ? types[type] : "unknown type",
		cause, error->message != NULL ? error->message : "(no stated reason)",
		rte_strerror(code));
}

int
port_flow_error(const struct rte_flow_error *error, struct err *e)
{
	return port_flow_error_of(rte_errno, error, e);
}

int
port_flow_since(unsigned int year, unsigned int month, const char *words, struct err *e)
{
	if (RTE_VERSION >= RTE_VERSION_NUM(year, month, 0, 0))
		return 0;
	return err_set(e, ENOTSUP, "%s needs DPDK %u.%02u, this is %s", words, year, month,
		rte_version());
}
