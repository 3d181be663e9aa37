/* Representors: the ports that a driver can create for functions of a device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/vendor/port_representor.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "port/port.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Show the type of function and its number, or the range of numbers. */
static void
function_show(struct out *o, const struct rte_eth_representor_range *range)
{
	const uint32_t more = range->id_end - range->id_base;
	const bool vf = range->type == RTE_ETH_REPRESENTOR_VF;

	switch (range->type) {
	case RTE_ETH_REPRESENTOR_NONE: out_text(o, ", NONE\n"); break;
	case RTE_ETH_REPRESENTOR_VF:
	case RTE_ETH_REPRESENTOR_SF:
		out_str(o, "type", ", %s ", vf ? "VF" : "SF");
		out_i64(o, "function", "%" PRId64, vf ? range->vf : range->sf);
		if (vf && more > 0)
			out_text(o, "..%u", range->vf + more);
		out_text(o, "\n");
		break;
	case RTE_ETH_REPRESENTOR_PF:
		out_str(o, "type", NULL, "PF");
		if (more > 0)
			out_text(o, "..%u", range->pf + more);
		out_text(o, "\n");
		break;
	default: out_text(o, ", UNKNOWN TYPE %d\n", range->type);
	}
}

static void
range_show(struct out *o, unsigned int i, const struct rte_eth_representor_range *range)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_text(o, "%u. ", i + 1);
	out_str(o, "name", "'%s' ", range->name);
	out_u64(o, "first", "[%" PRIu64, range->id_base);
	if (range->id_end > range->id_base)
		out_text(o, "-%u", range->id_end);
	out_u64(o, "last", NULL, range->id_end);
	out_i64(o, "controller", "]: Controller %" PRId64, range->controller);
	out_i64(o, "pf", ", PF %" PRId64, range->pf);
	function_show(o, range);
	out_unnest(o);
}

static void
info_show(struct out *o, uint16_t id, const struct rte_eth_representor_info *info)
{
	unsigned int i;

	out_u64(o, "port", NULL, id);
	out_u64(o, "controller", "Port controller: %" PRIu64 "\n", info->controller);
	out_u64(o, "pf", "Port PF: %" PRIu64 "\n", info->pf);
	out_u64(o, NULL, "Ranges: %" PRIu64 "\n", info->nb_ranges);
	out_nest(o, "ranges", OUT_ARRAY);
	for (i = 0; i < info->nb_ranges; i++)
		range_show(o, i, &info->ranges[i]);
	out_unnest(o);
}

int
port_representor_show(struct ports *ps, uint16_t id, struct err *e)
{
	struct rte_eth_representor_info *info;
	int n, ret;

	if (port_at(ps, id) == NULL)
		return err_set(e, ENODEV, "Invalid port id %u", id);
	n = rte_eth_representor_info_get(id, NULL);
	if (n < 0)
		return err_set(e, -n,
			"Failed to get the number of representor info ranges for port %u: %s", id,
			strerror(-n));
	info = calloc(1, sizeof(*info) + (size_t)n * sizeof(info->ranges[0]));
	if (info == NULL)
		return err_set(e, ENOMEM,
			"Failed to allocate memory for representor info for port %u", id);
	info->nb_ranges_alloc = (uint32_t)n;
	ret = rte_eth_representor_info_get(id, info);
	if (ret < 0)
		ret = err_set(e, -ret, "Failed to get the representor info for port %u: %s", id,
			strerror(-ret));
	else
		info_show(ps->out, id, info);
	free(info);
	return RTE_MIN(ret, 0);
}
