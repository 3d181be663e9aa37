/* Swaps source and destination of Ethernet, IPv4 or IPv6, and TCP or UDP, so that every packet
 * returns to its sender. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt.h"
#include "engines/engine.h"

static uint16_t
tuple_work(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	pkt_tuple_swap(&s->tx_end, pkts, n);
	return n;
}

ENGINE_LOOPS(tuple, NULL, tuple_work, NULL)

const struct engine engine_5tswap = {
	.name = "5tswap",
	.help = "swap source and destination of Ethernet, IPv4 or IPv6, TCP or UDP",
	.flags = ENGINE_MOVES,
	.written = pkt_head_written,
	.loop = tuple_loop,
	.recycling = tuple_recycling,
};
