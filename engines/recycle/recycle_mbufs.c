/* Forward packets as they are; before each receive, what the stream's transmit queue has sent goes
 * back into its receive queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "engines/recycle/recycle_named.h"
#include "engines/recycle/recycle_setup.h"
#include "engines/recycle/recycle_show.h"
#include "pmd_shims/recycle_feed.h"

#include <string.h>

struct state {
	bool rewrite;
};

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "recycle-mode", .words = "recycle mode", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES(RECYCLE_MODES),
		.value = RECYCLE_RING, .when = SETTING_NOW,
		.help = "recycle_mbufs: how sent mbufs come back into the receive ring: not at all, from ring to ring, over the mempool cache at once, into that cache alone, by rte_eth_recycle_mbufs()" },
	{ .name = "recycle-rewrite", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("off", "mac"),
		.help = "recycle_mbufs: what to write into packets on their way: nothing, or Ethernet addresses as mac does" },
};
/* clang-format on */

static int
recycle_init(struct stream *s, struct err *e)
{
	struct state *state = s->state;

	state->rewrite = setting_u64(s->settings, "recycle-rewrite") != 0;
	return recycle_setup(s, e);
}

static __rte_always_inline uint16_t
receive(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	recycle_feed_run(s->kept);
	return stream_rx(s, pkts, max);
}

static __rte_always_inline uint16_t
rewrite(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	if (((const struct state *)s->state)->rewrite)
		pkt_macs_set(&s->tx_end, pkts, n);
	return n;
}

ENGINE_LOOP(recycle_mbufs, receive, rewrite, NULL)

static bool
recycle_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct recycle_total now = recycle_feed_total(s->kept);

	(void)i;
	(void)running;
	memcpy(to, &now, sizeof(now));
	return true;
}

static const struct engine_group groups[] = {
	{ .stats = &recycle_feed_stats,
		.size = sizeof(struct recycle_total),
		.read = recycle_read },
};

const struct engine engine_recycle_mbufs = {
	.name = "recycle_mbufs",
	.help = "forward packets as they are; sent mbufs go straight back into the receive ring, past the mempool",
	.flags = ENGINE_WRITES,
	.state_size = sizeof(struct state),
	.init = recycle_init,
	.loop = recycle_mbufs_loop,
	.forget = recycle_setup_forget,
	.config_size = sizeof(struct recycle_named),
	.apply = recycle_named_apply,
	.show = recycle_show,
	.settings = settings,
	.n_settings = sizeof(settings) / sizeof(settings[0]),
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
};
