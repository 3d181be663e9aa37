/* Show and select the packet types that a port's hardware reports. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_ptypes.h"

#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"

#include <rte_ethdev.h>
#include <rte_mbuf_ptype.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PTYPES_PER_LAYER 16
#define PTYPES_MAX 512 /* maximum number of types per driver */
#define PTYPE_NAME_BYTES 256

static void
ptypes_show(struct out *o, const char *key, const char *layer, const uint32_t *ptypes, int n)
{
	char name[PTYPE_NAME_BYTES];
	int i;

	out_text(o, n > 0 ? "Supported %s ptypes:\n" : "%s ptypes unsupported\n", layer);
	out_nest(o, key, OUT_ARRAY);
	for (i = 0; i < n; i++) {
		rte_get_ptype_name(ptypes[i], name, sizeof(name));
		out_str(o, "", "%s\n", name);
	}
	out_unnest(o);
}

int
port_ptypes_show(struct ports *ps, uint16_t id, struct err *e)
{
	static const struct {
		uint32_t mask;
		const char *key, *name;
	} layers[] = {
		{ RTE_PTYPE_L2_MASK, "l2", "L2" },
		{ RTE_PTYPE_L3_MASK, "l3", "L3" },
		{ RTE_PTYPE_L4_MASK, "l4", "L4" },
		{ RTE_PTYPE_TUNNEL_MASK, "tunnel", "Tunnel" },
		{ RTE_PTYPE_INNER_L2_MASK, "inner_l2", "Inner L2" },
		{ RTE_PTYPE_INNER_L3_MASK, "inner_l3", "Inner L3" },
		{ RTE_PTYPE_INNER_L4_MASK, "inner_l4", "Inner L4" },
	};
	const struct port *p = port_find(ps, id, e);
	uint32_t ptypes[PTYPES_PER_LAYER];
	unsigned int i;
	int n;

	if (p == NULL)
		return -ENODEV;
	n = rte_eth_dev_get_supported_ptypes(id, RTE_PTYPE_L2_MASK, NULL, 0);
	if (n < 0)
		return err_set(e, -n, "port %u (%s): cannot read the packet types: %s", p->id,
			p->info.driver_name, strerror(-n));
	out_u64(ps->out, "port", NULL, id);
	out_nest(ps->out, "ptypes", OUT_OBJECT);
	for (i = 0; i < ARRAY_SIZE(layers); i++) {
		n = rte_eth_dev_get_supported_ptypes(id, layers[i].mask, ptypes, PTYPES_PER_LAYER);
		ptypes_show(ps->out, layers[i].key, layers[i].name, ptypes,
			RTE_MIN(n, PTYPES_PER_LAYER));
	}
	out_unnest(ps->out);
	return 0;
}

static void
ptypes_chosen(struct out *o, uint16_t id, const uint32_t *ptypes, int n)
{
	char name[PTYPE_NAME_BYTES];
	int i;

	out_say(o, "Successfully set following ptypes for Port %u\n", id);
	out_u64(o, "port", NULL, id);
	out_nest(o, "ptypes", OUT_ARRAY);
	for (i = 0; i < n && ptypes[i] != RTE_PTYPE_UNKNOWN; i++) {
		rte_get_ptype_name(ptypes[i], name, sizeof(name));
		out_str(o, "", "%s\n", name);
	}
	out_unnest(o);
}

int
port_ptypes_set(struct ports *ps, const struct args *a, struct err *e)
{
	const uint32_t mask = arg_u64(a, "mask", 0);
	const uint16_t id = arg_port(a);
	struct port *p = port_find(ps, id, e);
	uint32_t ptypes[PTYPES_MAX];
	int n;

	if (p == NULL)
		return -ENODEV;
	n = rte_eth_dev_get_supported_ptypes(id, RTE_PTYPE_ALL_MASK, NULL, 0);
	if (n <= 0)
		return err_set(e, ENOTSUP, "Port %u doesn't support any ptypes.", id);
	n = rte_eth_dev_set_ptypes(id, mask, ptypes, RTE_MIN(n, PTYPES_MAX));
	if (n < 0)
		return err_set(e, -n, "Unable to set requested ptypes for Port %u", id);
	p->ptypes_kept = true;
	ptypes_chosen(ps->out, id, ptypes, PTYPES_MAX);
	return 0;
}
