/* Forward packets as they are; before each receive, what the stream's transmit queue has sent goes
 * back into its receive queue. */
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "pmd_shims/recycle_feed.h"

struct state {
	bool rewrite;
};

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "recycle-mode", .words = "recycle mode", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([RECYCLE_OFF] = "off", [RECYCLE_RING] = "ring", [RECYCLE_ZC_CACHE] = "zc_cache"),
		.value = RECYCLE_RING, .when = SETTING_NOW,
		.help = "recycle_mbufs: how sent mbufs come back into the receive ring: not at all, from ring to ring, through the mempool cache" },
	{ .name = "recycle-rewrite", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("off", "mac"),
		.help = "recycle_mbufs: what to write into packets on their way: nothing, or Ethernet addresses as mac does" },
};
/* clang-format on */

/* Queues that cannot be paired forward as io does: show recycle has the reason. */
static int
recycle_init(struct stream *s, struct err *e)
{
	struct state *state = s->state;
	const struct recycle_ends own = { s->rx_port, s->rx_queue, s->tx_port, s->tx_queue };

	state->rewrite = setting_u64(s->settings, "recycle-rewrite") != 0;
	s->feed = recycle_feed_open((int)rte_lcore_to_socket_id(s->lcore));
	if (s->feed == NULL)
		return err_set(e, ENOMEM, "recycle_mbufs: no memory for stream %u", s->index);
	return recycle_feed_set(s->feed, &own, 1,
		(enum recycle_mode)setting_u64(s->settings, "recycle-mode"), false, e);
}

static __rte_always_inline uint16_t
receive(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	recycle_feed_run(s->feed);
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

const struct engine engine_recycle_mbufs = {
	.name = "recycle_mbufs",
	.help = "forward packets as they are; sent mbufs go straight back into the receive ring, past the mempool",
	.flags = ENGINE_WRITES,
	.state_size = sizeof(struct state),
	.init = recycle_init,
	.loop = recycle_mbufs_loop,
	.settings = settings,
	.n_settings = sizeof(settings) / sizeof(settings[0]),
};
