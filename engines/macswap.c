/* Swaps source and destination MAC address. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt.h"
#include "engines/engine.h"

static uint16_t
macswap_work(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	pkt_macs_swap(&s->tx_end, pkts, n);
	return n;
}

ENGINE_LOOPS(macswap, NULL, macswap_work, NULL)

const struct engine engine_macswap = {
	.name = "macswap",
	.help = "swap source and destination MAC address",
	.flags = ENGINE_MOVES,
	.written = pkt_macs_written,
	.loop = macswap_loop,
	.recycling = macswap_recycling,
};
