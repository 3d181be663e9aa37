/* The engine extbuf: packets with payload in external (application) memory: copied in and out,
 * attached, received into it, or sent from it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "args.h"
#include "base/out.h"
#include "base/stat.h"
#include "cmdline/grammar/grammar.h"
#include "engines/engine.h"
#include "engines/extbuf/extbuf_priv.h"
#include "memory/extmem_buffers.h"

#include <inttypes.h>
#include <stdbool.h>

/* `show extbuf`: prints mode, memory, buffers and threshold of a stream. */

static void
threshold_show(struct out *o, const struct extbuf_stats *f)
{
	const bool never = f->copy_below == THRESHOLD_NEVER;

	out_bool(o, "autotuned", "  threshold %s: ", f->autotuned, "autotuned", "as set");
	if (never)
		out_text(o, "all packets are copied\n");
	else
		out_u64(o, "threshold", "packets shorter than %" PRIu64 " bytes are copied\n",
			f->copy_below);
}

/* show() of struct engine: mode, memory, buffers, threshold. */
static void
extbuf_show(struct out *o, const struct stream *s, bool running)
{
	const struct extbuf_stats *f = s->kept;

	stream_ends_show(o, s);
	out_text(o, "\n");
	out_str(o, "mode", "  mode %s, ", f->word);
	out_str(o, f->mode == EXTBUF_PINNED ? "pool" : "memory",
		f->mode == EXTBUF_PINNED ? "pool %s\n" : "memory %s", f->memory);
	if (f->mode == EXTBUF_PINNED)
		return;
	out_u64(o, "n",
		f->mode == EXTBUF_STORAGE ? ", %" PRIu64 " slices" : ", %" PRIu64 " buffers", f->n);
	out_u64(o, "bytes", " of %" PRIu64 " bytes, ", f->bytes);
	out_str(o, "shinfo", "shinfo %s, ", f->shinfo);
	out_bool(o, "split", "headers %s\n", f->split, "in a separate mbuf", "with the payload");
	/* After the run the region can get another layout. */
	if (running && f->buffers != NULL)
		out_u64(o, "out",
			f->mode == EXTBUF_STORAGE ? "  %" PRIu64 " shinfos are in use\n"
						  : "  %" PRIu64 " of them are in use\n",
			extmem_buffers_out_of(f->buffers));
	if (f->mode == EXTBUF_AUTO)
		threshold_show(o, f);
}

/* Gauges of a stream; STAT_NONE if its mode does not have them. */
struct use {
	uint64_t n, bytes, slice, threshold, out;
};

#define ROW(member) .name = #member, .kind = STAT_GAUGE, .at = offsetof(struct use, member)

static const struct stat_row use_rows[] = {
	{ ROW(n), .unit = "buffers", .help = "buffers of the stream, or slices with mode storage" },
	{ ROW(bytes), .unit = "bytes", .help = "bytes per buffer or slice" },
	{ ROW(slice), .unit = "bytes", .help = "bytes reserved per packet; 0: its length" },
	{ ROW(threshold), .unit = "bytes",
		.help = "length below which packets are copied (absent: all packets are copied)" },
	{ ROW(out), .unit = "buffers",
		.help = "buffers to which packets point now; with mode storage shinfos" },
};
static const struct stat_table use_stats = { "extbuf", use_rows, ARRAY_SIZE(use_rows), false };

static bool
use_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct extbuf_stats *f = s->kept;
	const uint32_t copy_below = f->copy_below;
	struct use *u = to;

	(void)i;
	*u = (struct use){ STAT_NONE, STAT_NONE, STAT_NONE, STAT_NONE, STAT_NONE };
	if (f->mode == EXTBUF_PINNED)
		return true;
	u->n = f->n;
	u->bytes = f->bytes;
	u->slice = f->slice;
	if (copy_below != THRESHOLD_NEVER)
		u->threshold = copy_below;
	/* After the run the region can get another layout. */
	if (running && f->buffers != NULL)
		u->out = extmem_buffers_out_of(f->buffers);
	return true;
}

static void
use_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	const struct extbuf_stats *f = s->kept;

	(void)i;
	sink->text(sink->to, "mode", f->word);
	sink->text(sink->to, f->mode == EXTBUF_PINNED ? "pool" : "memory", f->memory);
	if (f->mode == EXTBUF_PINNED)
		return;
	sink->text(sink->to, "shinfo", f->shinfo);
	sink->number(sink->to, "split", f->split);
	sink->number(sink->to, "autotuned", f->autotuned);
}

static const struct engine_group use_group = {
	.stats = &use_stats,
	.size = sizeof(struct use),
	.read = use_read,
	.words = use_words,
};

static const struct stat_row counters[] = {
	[EXTBUF_COPIED] = { .name = "copied",
		.help = "packets whose payload was copied into a new mbuf" },
	[EXTBUF_ATTACHED] = { .name = "attached",
		.help = "packets whose payload was left in external memory" },
	[EXTBUF_NO_MBUF] = { .name = "no_mbuf",
		.help = "packets dropped because the pool had no free mbuf",
		.part = STAT_DROPPED },
	[EXTBUF_NO_BUFFER] = { .name = "no_buffer",
		.help = "packets dropped because all buffers were in use",
		.part = STAT_DROPPED },
	[EXTBUF_TOO_LONG] = { .name = "too_long",
		.help = "packets dropped because they are longer than a buffer or slice",
		.part = STAT_DROPPED },
	[EXTBUF_VERIFIED] = { .name = "verified",
		.help = "received packets whose payload is as sent by mode storage" },
	[EXTBUF_CORRUPT] = { .name = "corrupt",
		.help = "received packets whose payload is not as sent by mode storage" },
	[EXTBUF_NOT_MADE] = { .name = "not_made",
		.help = "packets not created by mode storage because no mbuf or buffer was free, or the driver refused TSO" },
};
static_assert(ARRAY_SIZE(counters) <= STREAM_NAMED_MAX, "counters of an engine");

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "extbuf-mode", .words = "extbuf mode", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([EXTBUF_AUTO] = "auto", [EXTBUF_COPY] = "copy", [EXTBUF_ATTACH] = "attach", [EXTBUF_PINNED] = "pinned", [EXTBUF_STORAGE] = "storage"),
		.help = "extbuf: how payload passes external memory: copy = copied in and out, attach = copied in and attached to an mbuf, pinned = received into it, storage = sent from it, auto = copy for short packets, else attach" },
	{ .name = "extbuf-memory", .kind = SETTING_TEXT, .example = "app",
		.help = "extbuf: external memory for payload, from \"extmem create\" (empty: the engine creates a region)" },
	{ .name = "extbuf-buffer", .unit = "bytes", .max = EXTBUF_BUFFER_MOST,
		.help = "extbuf: bytes per buffer; 0: the longest frame, or 65536 if packets share a buffer, or as in the default pool with mode pinned" },
	{ .name = "extbuf-slice", .unit = "bytes", .max = EXTBUF_SLICE_MOST,
		.help = "extbuf: bytes reserved per packet in a shared buffer (0: packets follow each other without gaps); with mode storage bytes of payload per packet (0: 1024)" },
	{ .name = "extbuf-shinfo", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([EXTBUF_PRIVATE] = "private", [EXTBUF_SHARED] = "shared", [EXTBUF_TAIL] = "tail"),
		.help = "extbuf: reference counts: private = one per packet, shared = one for all packets in a buffer (storage: for 32768 packets), tail = one per packet, in the last 128 bytes of its buffer" },
	{ .name = "extbuf-touch", .unit = "bytes", .max = UINT16_MAX,
		.help = "extbuf: bytes of each payload to read, as an application would" },
	{ .name = "extbuf-threshold", .unit = "bytes", .max = UINT16_MAX,
		.help = "extbuf: with mode auto, copy packets shorter than this; 0: autotuned at run time" },
	{ .name = "extbuf-split", .kind = SETTING_BOOL,
		.help = "extbuf: put headers into a separate mbuf and attach the payload after it; with mode storage create headers" },
	{ .name = "extbuf-storage", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("attach", "copy"),
		.help = "extbuf: with mode storage, attach = packets point to the memory, copy = packets get a copy" },
	{ .name = "extbuf-tcp", .kind = SETTING_BOOL,
		.help = "extbuf: with mode storage and extbuf-split, send the memory as TCP segments, slice by slice; ports without tcp_tso get slices that fit into a frame" },
	{ .name = "extbuf-verify", .kind = SETTING_BOOL,
		.help = "extbuf: with mode storage, verify the payload of received packets" },
};
/* clang-format on */

static uint16_t
extbuf_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	const struct extbuf *x = s->state;

	return unlikely(x->mode == EXTBUF_STORAGE) ? extbuf_storage_source(s, pkts, max)
						   : stream_rx(s, pkts, max);
}

/* Forward pinned packets, which are in external memory already. */
static __rte_always_inline uint16_t
pass_on(struct stream *s, struct extbuf *x, struct rte_mbuf **pkts, uint16_t n)
{
	const uint64_t flags = x->flags;

	for (uint16_t i = 0; x->touch > 0 && i < n; i++)
		extbuf_touch(x, rte_pktmbuf_mtod(pkts[i], const uint8_t *), pkts[i]->data_len);
	for (uint16_t i = 0; unlikely(flags != 0) && i < n; i++) {
		pkt_mark(pkts[i], flags | (pkts[i]->ol_flags & x->readonly));
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
 * All streams of an lcore use the same threshold, because they share its caches; but those whose Tx
 * queue cannot send attached buffers go on copying.
 */
static void
threshold_set(struct stream *const *streams, unsigned int n, uint32_t copy_below, bool autotune)
{
	for (unsigned int i = 0; i < n; i++) {
		struct extbuf_stats *kept = streams[i]->kept;
		struct extbuf *x = streams[i]->state;

		if (x->mode != EXTBUF_AUTO)
			continue;
		x->copy_below = copy_below;
		if (!autotune)
			atomic_store_explicit(&kept->copy_below, copy_below, memory_order_relaxed);
	}
}

/* Use the first stream's autotuning for all streams of the lcore. */
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

/* Packets that leave their mbufs get others. */
static unsigned int
extbuf_sends(const struct settings *all)
{
	return setting_u64(all, "extbuf-mode") == EXTBUF_PINNED ? ENGINE_SENDS_RECEIVED
								: ENGINE_SENDS_TAKEN;
}

extern const struct engine engine_extbuf;

static const struct cmd_row command_rows[] = {
	{ "show extbuf", arg_on_engine,
		"show memory, buffers and threshold of each stream of engine extbuf", NULL,
		ARG_ON_ENGINE(&engine_extbuf, NULL), .shows = true },
};
static const struct cmd_table commands = { "extbuf", "external buffers", command_rows,
	ARRAY_SIZE(command_rows), CMD_ENGINES };

const struct engine engine_extbuf = {
	.name = "extbuf",
	.help = "forward packets with payload in external memory: copied, attached, received into it, or sent from it",
	.state_size = sizeof(struct extbuf),
	.init = extbuf_setup,
	.loop = extbuf_loop,
	.fini = extbuf_setup_end,
	.forget = extbuf_setup_forget,
	.config_size = sizeof(struct extbuf_config),
	.open = extbuf_open,
	.sends = extbuf_sends,
	.prepare = extbuf_pinned_prepare,
	.show = extbuf_show,
	.settings = SETTING_TABLE("Engines", settings),
	.commands = &commands,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
	.groups = &use_group,
	.n_groups = 1,
};
