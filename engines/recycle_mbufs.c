/* Forwards packets with recycling always on, regardless of `set recycle`; can rewrite MAC
 * addresses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt.h"
#include "engines/engine.h"

struct state {
	bool rewrite;
};

static const struct setting settings[] = {
	{ .name = "recycle-rewrite",
		.kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("off", "mac"),
		.help = "recycle_mbufs: off = packets unchanged, mac = rewrite MAC addresses as engine mac does" },
};

static int
recycle_init(struct stream *s, struct err *e)
{
	struct state *state = s->state;

	state->rewrite = setting_u64(s->settings, "recycle-rewrite") != 0;
	return 0;
}

static __rte_always_inline uint16_t
rewrite(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	if (((const struct state *)s->state)->rewrite)
		pkt_macs_set(&s->tx_end, pkts, n);
	return n;
}

ENGINE_LOOPS(recycle_mbufs, NULL, rewrite, NULL)

const struct engine engine_recycle_mbufs = {
	.name = "recycle_mbufs",
	.help = "forward packets unchanged, re-arming sent mbufs on the Rx ring without going through the mempool",
	.flags = ENGINE_RECYCLES,
	.state_size = sizeof(struct state),
	.init = recycle_init,
	.written = pkt_macs_written,
	.loop = recycle_mbufs_loop,
	.recycling = recycle_mbufs_recycling,
	.settings = SETTING_TABLE("Engines", settings),
};
