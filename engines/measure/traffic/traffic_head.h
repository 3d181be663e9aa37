/* Makes the headers of flows; with what describes a header. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/measure/traffic/traffic_form.h"

/* Return the bytes of each flow's header. */
unsigned int traffic_head_bytes(const struct traffic *t);

/*
 * Write the header of a flow to head[0..t->head_bytes). smac, dmac: used unless the description has
 * its own. Checksums have the sums of the header without the length, in host order and not
 * inverted, for sender_patch().
 */
void traffic_head(const struct traffic *t, uint32_t flow, const struct rte_ether_addr *smac,
	const struct rte_ether_addr *dmac, uint8_t *head);

/* Store what depends on a packet's length in patches[0..TRAFFIC_PATCHES_MAX). Returns how many. */
unsigned int traffic_patches(const struct traffic *t, struct traffic_patch *patches);
