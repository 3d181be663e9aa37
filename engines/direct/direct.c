/* Forwards packets without mbufs, between queues of drivers whose descriptors are known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/out.h"
#include "engines/common/l3/l3_burst.h"
#include "engines/common/pkt.h"
#include "engines/direct/direct_l3.h"
#include "engines/engine.h"

#include <rte_branch_prediction.h>
#include <rte_lcore.h>
#include <rte_version.h>

#include <errno.h>
#include <string.h>

static const struct stat_row counters[] = {
	{ .name = "rx_errors",
		.help = "packets dropped because of an error in their Rx descriptor" },
	{ .name = "topped_up",
		.unit = "mbufs",
		.help = "mbufs taken from the pool because too few packets were sent" },
	{ .name = "freed",
		.unit = "mbufs",
		.help = "sent mbufs returned to the pool: no free Rx slot, or sent by another engine" },
	{ .name = "by_mbufs",
		.help = "packets forwarded with mbufs: captures, virtio backends that need notifications, mlx5 after errors, layouts not proved yet" },
	L3_DROP_ROWS,
	L3_NO_TX_QUEUE_ROW,
	L3_MOVE_ROWS,
};

static const struct setting settings[] = {
	{ .name = "direct-rewrite",
		.kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([DIRECT_OFF] = "off", [DIRECT_MAC] = "mac",
			[DIRECT_MACSWAP] = "macswap", [DIRECT_L3FWD] = "l3fwd"),
		.help = "direct: off = packets unchanged, mac, macswap, l3fwd = rewrite, or route, as these engines do" },
	{ .name = "direct-slots",
		.kind = SETTING_BOOL,
		.value = 1,
		.help = "direct: bind each mbuf to one slot of the Rx ring and one of the Tx ring if both have as many" },
};

struct direct_config {
	const struct routes *routes;
	struct out *out;
};

static int
config_open(void *config, const struct engine_env *env, struct err *e)
{
	*(struct direct_config *)config = (struct direct_config){ env->routes, env->out };
	return 0;
}

/* Refuse queues that other streams use as well. */
static int
streams_check(const struct stream *s, struct err *e)
{
	for (unsigned int i = 0; i < s->n_siblings; i++) {
		const struct stream *other = s->siblings[i];

		if (other == s)
			continue;
		if (other->rx_port == s->rx_port && other->rx_queue == s->rx_queue)
			return err_set(e, ENOTSUP,
				"direct: several streams receive from port %u queue %u: expected one",
				s->rx_port, s->rx_queue);
		if (other->tx_port == s->tx_port && other->tx_queue == s->tx_queue)
			return err_set(e, ENOTSUP,
				"direct: several streams transmit to port %u queue %u: expected one",
				s->tx_port, s->tx_queue);
	}
	return 0;
}

/* Of the first stream: say that layouts have to be proved, and whose they are. */
static void
proof_announce(const struct stream *s, const struct direct *d, struct out *out)
{
	const bool rx = d->from.laid.by != SHIM_BY_TABLE;
	const struct shim_laid *const laid = rx ? &d->from.laid : &d->to.laid;

	if (s->index == 0 && direct_proof(d) == RECYCLE_PROVING)
		out_note(out,
			"direct: layouts of %s were not run with %s: packets have mbufs until the queues of port %u agree\n",
			laid->as, rte_version(), rx ? s->rx_port : s->tx_port);
}

/* After a run: say which queues have packets with mbufs since their layouts are not proved. */
static void
proof_tell(const struct stream *s, const struct direct *d, struct out *out)
{
	switch (direct_proof(d)) {
	case RECYCLE_REFUTED:
		out_warn(out,
			"direct: port %u queue %u to port %u queue %u: a queue is not laid out as in %s: its packets had mbufs",
			s->rx_port, s->rx_queue, s->tx_port, s->tx_queue,
			d->from.laid.by != SHIM_BY_TABLE ? d->from.laid.as : d->to.laid.as);
		break;
	case RECYCLE_PROVING:
		out_warn(out,
			"direct: port %u queue %u to port %u queue %u: too few packets to prove the layouts: they had mbufs",
			s->rx_port, s->rx_queue, s->tx_port, s->tx_queue);
		break;
	case RECYCLE_PROVED: break;
	}
}

/* True if layouts of newer releases than the tables have are refused. */
static bool
tables_only(const struct settings *s)
{
	const char *by = setting_choice(s, "recycle-layouts", setting_u64(s, "recycle-layouts"));

	return by != NULL && strcmp(by, "table") == 0;
}

static int
direct_init(struct stream *s, struct err *e)
{
	const struct recycle_ends ends = { s->rx_port, s->rx_queue, s->tx_port, s->tx_queue };
	const struct direct_count count = { &s->count.named[DIRECT_TOPPED_UP],
		&s->count.named[DIRECT_FREED] };
	struct shim_layouts known;
	const struct direct_config *config = s->config;
	struct direct_stream *state = s->state;
	bool slots;

	if (streams_check(s, e) != 0)
		return -e->code;
	known = direct_layouts(tables_only(s->settings));
	state->rewrite = (enum direct_rewrite)setting_u64(s->settings, "direct-rewrite");
	/* Routed packets may leave by another queue, so that the rings do not advance together. */
	slots = state->rewrite != DIRECT_L3FWD && setting_u64(s->settings, "direct-slots") != 0;
	state->queues = direct_bind(&ends, &known, slots, &count, e);
	if (state->queues == NULL)
		return -e->code;
	proof_announce(s, state->queues, config->out);
	/* The last stream makes the routes of all. */
	if (state->rewrite != DIRECT_L3FWD || s->index + 1 != s->n_siblings)
		return 0;
	return direct_l3_make(s->siblings, s->n_siblings, config->routes,
		(enum l3_lookup)setting_u64(s->settings, "l3fwd-lookup"), config->out, e);
}

static void
direct_fini(struct stream *s)
{
	const struct direct_config *config = s->config;
	struct direct_stream *state = s->state;

	if (state->queues != NULL) {
		direct_pause(state->queues);
		proof_tell(s, state->queues, config->out);
	}
	direct_unbind(state->queues);
	state->queues = NULL;
	if (s->index == 0)
		direct_l3_free(s->siblings);
}

static void
macs_set(const struct stream_end *tx, const struct direct_pkt *pkts, uint16_t n)
{
	const struct rte_ether_addr macs[] = { tx->peer, tx->mac };
	uint64_t low;
	uint32_t high;

	memcpy(&low, macs, sizeof(low));
	memcpy(&high, (const uint8_t *)macs + sizeof(low), sizeof(high));
	for (uint16_t i = 0; i < n; i++)
		if (likely(pkts[i].length >= sizeof(macs))) {
			memcpy(pkts[i].data, &low, sizeof(low));
			memcpy(pkts[i].data + sizeof(low), &high, sizeof(high));
		}
}

/* The 12 bytes of both addresses as two words of a little-endian CPU, which stay in registers. */
static void
macs_swap(const struct direct_pkt *pkts, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		uint8_t *frame = pkts[i].data;
		uint64_t low, new_low;
		uint32_t high;

		if (unlikely(pkts[i].length < sizeof(low) + sizeof(high)))
			continue;
		memcpy(&low, frame, sizeof(low));
		memcpy(&high, frame + sizeof(low), sizeof(high));
		new_low = low >> 48 | (uint64_t)high << 16 | low << 48;
		high = (uint32_t)(low >> 16);
		memcpy(frame, &new_low, sizeof(new_low));
		memcpy(frame + sizeof(low), &high, sizeof(high));
	}
}

/* Returns packets received. */
static __rte_always_inline uint16_t
forward(struct stream *s)
{
	const struct direct_stream *state = s->state;
	struct direct *queues = state->queues;
	struct direct_pkt pkts[BURST_MAX];
	uint16_t n, kept;

	HOT_ASSERT(s->burst > 0 && s->burst <= BURST_MAX);
	/* Streams of the lcore send on each other's queues, so a later burst may not follow here. */
	if (state->rewrite == DIRECT_L3FWD)
		direct_flush(queues);
	n = kept = direct_receive(queues, pkts, s->burst);
	if (stream_records(s, STREAM_RECORD_BURSTS))
		hist_add(&s->rx_bursts, n);
	if (n == 0) {
		direct_flush(queues);
		return 0;
	}
	counter_add(&s->count.rx, n);
	if (stream_records(s, STREAM_RECORD_BYTES))
		counter_add(&s->count.rx_bytes, direct_bytes(pkts, n));
	if (unlikely(queues->any_bad)) {
		kept = direct_drop_bad(queues, pkts, n);
		counter_add(&s->count.absorbed, n - kept);
		stream_count_named(s, DIRECT_RX_ERRORS, n - kept);
	}
	if (state->rewrite == DIRECT_MAC)
		macs_set(&s->tx_end, pkts, kept);
	else if (state->rewrite == DIRECT_MACSWAP)
		macs_swap(pkts, kept);
	else if (state->rewrite == DIRECT_L3FWD) {
		direct_l3_forward(s, pkts, kept);
		return n;
	}
	direct_send(queues, pkts, kept);
	if (likely(kept > 0))
		direct_sent(s, pkts, kept);
	return n;
}

/* Packets of a burst at most while layouts are proved. */
enum { PROOF_BURST = 20 };

/* Forward by the drivers' own functions. Returns packets received. */
static __rte_noinline uint16_t
forward_mbufs(struct stream *s)
{
	struct direct_stream *state = s->state;
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n;

	if (state->queues->begun)
		direct_pause(state->queues);
	/* States differ more while bursts are not what drivers count by. */
	n = stream_rx(s, pkts,
		direct_proof(state->queues) == RECYCLE_PROVING ? RTE_MIN(s->burst, PROOF_BURST)
							       : s->burst);
	if (n == 0)
		return 0;
	stream_count_named(s, DIRECT_BY_MBUFS, n);
	if (state->rewrite == DIRECT_L3FWD) {
		direct_l3_forward_mbufs(s, pkts, n);
		return n;
	}
	if (state->rewrite == DIRECT_MAC)
		pkt_macs_set(&s->tx_end, pkts, n);
	else if (state->rewrite == DIRECT_MACSWAP)
		pkt_macs_swap(&s->tx_end, pkts, n);
	stream_tx(s, pkts, n);
	return n;
}

/* As stream_poll(), without mbufs. */
static __rte_always_inline uint64_t
direct_poll(struct stream *s, uint64_t ended)
{
	const struct direct_stream *state = s->state;
	const uint64_t begin = stream_begin(s, ended);
	uint16_t n;

	HOT_ASSERT(s->lcore == rte_lcore_id());
	if (unlikely(begin != 0))
		stream_pass(s);
	if (stream_ran_out(s, begin))
		return 0;
	if (likely(state->rewrite == DIRECT_L3FWD ? direct_l3_usable(state)
						  : direct_usable(state->queues)))
		n = forward(s);
	else
		n = forward_mbufs(s);
	return n == 0 ? 0 : stream_end(s, begin);
}

static void
direct_loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	uint64_t ended = 0;

	do {
		for (unsigned int i = 0; i < n; i++)
			ended = direct_poll(streams[i], ended);
	} while (!atomic_load_explicit(stop, memory_order_relaxed));
}

/*
 * Without written(): pools whose buffers may be read-only are refused, and the callback that copies
 * such data would need mbufs.
 */
const struct engine engine_direct = {
	.name = "direct",
	.help = "forward packets without mbufs: Rx descriptors become Tx descriptors; for net_i40e, net_ice, net_ixgbe, mlx5_pci and net_virtio",
	.flags = ENGINE_NO_MBUFS,
	.state_size = sizeof(struct direct_stream),
	.init = direct_init,
	.loop = direct_loop,
	.fini = direct_fini,
	.config_size = sizeof(struct direct_config),
	.open = config_open,
	.settings = SETTING_TABLE("Engines", settings),
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
};
