/* The engine extbuf: packets whose payload lies in the application's memory: copied there and
 * back, attached from there, received there, or sent from there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/engine.h"
#include "engines/extbuf/extbuf_config.h"
#include "engines/extbuf/extbuf_forward.h"
#include "engines/extbuf/extbuf_pinned.h"
#include "engines/extbuf/extbuf_setup.h"
#include "engines/extbuf/extbuf_show.h"
#include "engines/extbuf/extbuf_state.h"
#include "engines/extbuf/extbuf_stats.h"
#include "engines/extbuf/extbuf_storage.h"

static const struct stat_row counters[] = {
	[EXTBUF_COPIED] = { .name = "copied",
		.help = "packets whose payload was copied into a fresh mbuf" },
	[EXTBUF_ATTACHED] = { .name = "attached",
		.help = "packets whose payload stayed where the application has it" },
	[EXTBUF_NO_MBUF] = { .name = "no_mbuf",
		.help = "packets dropped: the pool had no mbuf",
		.drop = true },
	[EXTBUF_NO_BUFFER] = { .name = "no_buffer",
		.help = "packets dropped: all buffers were in use",
		.drop = true },
	[EXTBUF_TOO_LONG] = { .name = "too_long",
		.help = "packets dropped: longer than a buffer or slice",
		.drop = true },
	[EXTBUF_VERIFIED] = { .name = "verified",
		.help = "received packets whose payload was what storage sent" },
	[EXTBUF_CORRUPT] = { .name = "corrupt",
		.help = "received packets whose payload was not what storage sent" },
	[EXTBUF_NOT_MADE] = { .name = "not_made",
		.help = "packets that storage did not make: no mbuf or buffer was free" },
};
static_assert(ARRAY_SIZE(counters) <= STREAM_NAMED_MAX, "counters of an engine");

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "extbuf-mode", .words = "extbuf mode", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([EXTBUF_AUTO] = "auto", [EXTBUF_COPY] = "copy", [EXTBUF_ATTACH] = "attach", [EXTBUF_PINNED] = "pinned", [EXTBUF_STORAGE] = "storage"),
		.help = "extbuf: payload is copied to the application's memory and back, attached from there, received there, sent from there; auto: copied when short, else attached" },
	{ .name = "extbuf-memory", .kind = SETTING_TEXT, .example = "app",
		.help = "extbuf: memory of extmem create that payload lies in; none: the engine makes its own" },
	{ .name = "extbuf-buffer", .unit = "bytes", .max = EXTBUF_BUFFER_MOST,
		.help = "extbuf: bytes of a buffer; 0: those of the longest frame, 65536 for packets that share one, those of the usual pool with mode pinned" },
	{ .name = "extbuf-slice", .unit = "bytes", .max = EXTBUF_SLICE_MOST,
		.help = "extbuf: bytes set apart for each packet in a shared buffer, 0: one behind the other; storage: bytes of each packet's payload, 0: 1024" },
	{ .name = "extbuf-shinfo", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("private", "shared"),
		.help = "extbuf: what counts references: each packet's own, or one for all packets of a buffer (storage: of the memory)" },
	{ .name = "extbuf-touch", .unit = "bytes", .max = UINT16_MAX,
		.help = "extbuf: bytes of each payload that are read, as an application would" },
	{ .name = "extbuf-threshold", .unit = "bytes", .max = UINT16_MAX,
		.help = "extbuf: with mode auto, shorter packets are copied; 0: autotuned while packets flow" },
	{ .name = "extbuf-split", .kind = SETTING_BOOL,
		.help = "extbuf: headers in an mbuf of their own, payload attached behind it; storage: headers are made" },
	{ .name = "extbuf-storage", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("attach", "copy"),
		.help = "extbuf: with mode storage, packets point at the memory, or get a copy" },
	{ .name = "extbuf-verify", .kind = SETTING_BOOL,
		.help = "extbuf: with mode storage, check the payload of what is received" },
};
/* clang-format on */

static uint16_t
extbuf_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	const struct extbuf *x = s->state;

	return unlikely(x->mode == EXTBUF_STORAGE) ? extbuf_storage_source(s, pkts, max)
						   : stream_rx(s, pkts, max);
}

/* Pinned packets lie where the application wants them. */
static __rte_always_inline uint16_t
pass_on(struct stream *s, struct extbuf *x, struct rte_mbuf **pkts, uint16_t n)
{
	const uint64_t flags = x->flags;

	for (uint16_t i = 0; x->touch > 0 && i < n; i++)
		extbuf_touch(x, rte_pktmbuf_mtod(pkts[i], const uint8_t *), pkts[i]->data_len);
	for (uint16_t i = 0; unlikely(flags != 0) && i < n; i++) {
		pkt_mark(pkts[i], flags);
		pkts[i]->vlan_tci = s->tx_end.vlan;
		pkts[i]->vlan_tci_outer = s->tx_end.vlan_outer;
	}
	return n;
}

static uint16_t
extbuf_work(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct extbuf *x = s->state;

	switch (x->mode) {
	case EXTBUF_STORAGE: return n;
	case EXTBUF_PINNED: return pass_on(s, x, pkts, n);
	default: return extbuf_forward(s, pkts, n);
	}
}

/* Packets that streams have received so far. */
static uint64_t
received(struct stream *const *streams, unsigned int n)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += counter_read(&streams[i]->count.rx);
	return sum;
}

/*
 * All streams of an lcore have one threshold, as what one leaves in the caches is paid for by the
 * others.
 */
static void
threshold_set(struct stream *const *streams, unsigned int n, uint32_t copy_below, bool autotune)
{
	for (unsigned int i = 0; i < n; i++) {
		struct extbuf_stats *kept = streams[i]->kept;

		((struct extbuf *)streams[i]->state)->copy_below = copy_below;
		if (!autotune)
			atomic_store_explicit(&kept->copy_below, copy_below, memory_order_relaxed);
	}
}

/* The first stream's autotuning is for all. */
static struct threshold_autotune *
autotune_share(struct stream *const *streams, unsigned int n)
{
	struct threshold_autotune *t = &((struct extbuf *)streams[0]->state)->autotune;

	for (unsigned int i = 0; i < n; i++) {
		struct extbuf *x = streams[i]->state;

		x->lengths = t;
		if (i > 0)
			threshold_autotune_widen(t, &x->autotune);
	}
	return t;
}

static void
extbuf_loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	struct threshold_autotune *autotune = autotune_share(streams, n);
	uint64_t ended = 0;

	do {
		const bool due = threshold_autotune_due(autotune);
		uint64_t rx = unlikely(due) ? received(streams, n) : 0;
		uint64_t begin = unlikely(due) ? rte_rdtsc() : 0;

		for (unsigned int i = 0; i < n; i++)
			ended = stream_poll(streams[i], ended, NULL, extbuf_source, extbuf_work,
				NULL);
		if (unlikely(due)) {
			rx = received(streams, n) - rx;
			threshold_set(streams, n,
				threshold_autotune_poll(autotune, begin, rte_rdtsc(), (uint32_t)rx,
					rx > 0),
				autotune->slicing);
		}
	} while (!atomic_load_explicit(stop, memory_order_relaxed));
}

static int
extbuf_open(void *config, const struct engine_env *env, struct err *e)
{
	*(struct extbuf_config *)config =
		(struct extbuf_config){ env->settings, env->extmems, env->out };
	return 0;
}

const struct engine engine_extbuf = {
	.name = "extbuf",
	.help = "forward packets whose payload lies in the application's memory: copied, attached, received there, or sent from there",
	.state_size = sizeof(struct extbuf),
	.init = extbuf_setup,
	.loop = extbuf_loop,
	.fini = extbuf_setup_end,
	.forget = extbuf_setup_forget,
	.config_size = sizeof(struct extbuf_config),
	.open = extbuf_open,
	.prepare = extbuf_pinned_prepare,
	.show = extbuf_show,
	.settings = settings,
	.n_settings = ARRAY_SIZE(settings),
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
	.groups = &extbuf_stats_group,
	.n_groups = 1,
};
