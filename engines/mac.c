/* Sets the destination address to the peer of the Tx port, and the source address to the port's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt.h"
#include "engines/engine.h"

static uint16_t
mac_work(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	pkt_macs_set(&s->tx_end, pkts, n);
	return n;
}

ENGINE_LOOPS(mac, NULL, mac_work, NULL)

const struct engine engine_mac = {
	.name = "mac",
	.help = "set the destination MAC address to the peer's and the source to the Tx port's",
	.flags = ENGINE_MOVES,
	.written = pkt_macs_written,
	.loop = mac_loop,
	.recycling = mac_recycling,
};
