/* Initialize and free the presets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_presets.h"

#include <rte_vxlan.h>

#include <stdlib.h>

void
flow_presets_init(struct flow_presets *p)
{
	static const struct flow_outer outer = { .udp_dst = RTE_BE16(RTE_VXLAN_DEFAULT_PORT),
		.ttl = 255,
		.src = { 127, 0, 0, 1 },
		.dst = { 255, 255, 255, 255 },
		.eth_dst = { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } } };

	p->outer[FLOW_VXLAN] = p->outer[FLOW_NVGRE] = outer;
	for (size_t i = FLOW_L2_ENCAP; i < FLOW_TUNNELS; i++)
		p->outer[i].v6 = true;
}

void
flow_presets_clear(struct flow_presets *p)
{
	for (size_t i = 0; i < FLOW_PRESETS; i++) {
		free(p->sample[i]);
		p->sample[i] = NULL;
	}
}
