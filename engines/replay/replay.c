/* The engine replay: sends the packets of capture files, which are loaded once and attached to mbufs
 * without a copy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "args.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/words.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "engines/replay/replay_priv.h"
#include "memory/extmem_buffers.h"

#include <rte_memcpy.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct stat_row counters[] = { [REPLAY_UNSENT] = PACE_UNSENT_ROW,
	[REPLAY_AGAIN] = { .name = "sent_again",
		.help = "packets refused by the port, and sent again, in TX-dropped too",
		.part = STAT_AGAIN } };

/* Settings. */

static int
source_read(struct words *r, struct err *e)
{
	struct replay_source *s = malloc(sizeof(*s));
	int ret = s == NULL ? err_set(e, ENOMEM, "replay: no memory")
			    : replay_words_source_read(r, 0, s, e);

	free(s);
	return ret;
}

static int
source_check(const char *text, struct err *e)
{
	return words_read(text, source_read, e);
}

/* ENOENT and others: a file cannot be read now. */
static int
source_look(const char *text, struct err *e)
{
	struct replay_source *s = malloc(sizeof(*s));
	int ret = 0;

	for (unsigned int port = 0; s != NULL && ret == 0 && port < RTE_MAX_ETHPORTS; port++)
		if (replay_words_source(text, port, s, e) == 0 && s->path[0] != '\0' &&
			access(s->path, R_OK) != 0)
			ret = err_set(e, errno, "replay: %s: %s", s->path, strerror(errno));
	free(s);
	return ret;
}

static int
rate_check(const char *text, struct err *e)
{
	struct replay_rate rate;

	return replay_words_rate(text, &rate, e);
}

static int
rewrite_read(struct words *r, struct err *e)
{
	struct replay_rewrite rewrite;
	int32_t absent;

	return replay_words_rewrite_read(r, 0, &rewrite, &absent, e);
}

static int
rewrite_check(const char *text, struct err *e)
{
	return words_read(text, rewrite_read, e);
}

static const struct setting settings[] = {
	{ .name = "replay",
		.kind = SETTING_TEXT,
		.check = source_check,
		.look = source_look,
		.read = source_read,
		.text = "none",
		.example = "web.pcap port 1 answers.pcapng truncated",
		.help = "replay: pcap or pcapng file to send, read at start; port N FILE: of that port (see replay.md)" },
	{ .name = "replay-times",
		.unit = "passes",
		.max = UINT32_MAX,
		.value = 1,
		.help = "replay: how often to send the file; 0: until stop" },
	{ .name = "replay-rate",
		.kind = SETTING_TEXT,
		.check = rate_check,
		.text = "recorded",
		.example = "2.5x",
		.help = "replay: recorded times, 2.5x faster, max, packets/s (1Mpps), bits/s on the wire (10Gbps), or 50% of line rate" },
	{ .name = "replay-rewrite",
		.kind = SETTING_TEXT,
		.check = rewrite_check,
		.read = rewrite_read,
		.text = "none",
		.example = "mac src 10.0.0.0/8 dst 2001:db8::/32",
		.help = "replay: addresses to replace: mac (by port and peer), src PREFIX, dst PREFIX; port N: of that port" },
};

/* Sending. */

/* A packet of the file, and the pass that it is of. */
struct place {
	uint64_t base, passes;
	uint32_t base_part, next;
};

static __rte_always_inline void
place_advance(const struct replay *r, struct place *at)
{
	uint64_t part;

	if (likely(++at->next < r->n))
		return;
	at->next = 0;
	at->passes -= at->passes != REPLAY_FOREVER;
	part = (uint64_t)at->base_part + r->period_part;
	at->base += r->period + (part >> 32);
	at->base_part = (uint32_t)part;
}

static __rte_always_inline struct place
place_get(const struct replay *r)
{
	return (struct place){ r->base, r->passes, r->base_part, r->next };
}

static __rte_always_inline void
place_set(struct replay *r, const struct place *at)
{
	r->base = at->base;
	r->passes = at->passes;
	r->base_part = at->base_part;
	r->next = at->next;
}

/* How long ago the packet at a place was due; below 0: it is not. */
static __rte_always_inline int64_t
overdue(const struct replay *r, const struct place *at, uint64_t now)
{
	return (int64_t)(now - at->base - r->packets[at->next].due);
}

/* Begin when all streams have been polled. Returns whether that was so. */
static __rte_noinline bool
begin(struct replay *r, uint64_t now)
{
	struct replay_config *c = r->config;

	if (!r->polled && atomic_fetch_add(&c->polled, 1) + 1 == c->sending)
		atomic_store(&c->begin, now);
	r->polled = true;
	r->base = atomic_load(&c->begin);
	return r->base != 0;
}

/* Skip and count the packets that are late. Returns false if there may be more. */
static __rte_always_inline bool
late_skip(struct stream *s, struct replay *r, uint64_t now)
{
	struct place at = place_get(r);
	uint64_t unsent = 0;

	while (unlikely(
		at.passes > 0 && overdue(r, &at, now) > (int64_t)r->late && unsent < PACE_SKIP)) {
		place_advance(r, &at);
		unsent++;
	}
	if (likely(unsent == 0))
		return true;
	place_set(r, &at);
	stream_count_named(s, REPLAY_UNSENT, unsent);
	return unsent < PACE_SKIP;
}

/* How many packets, up to max, are due. */
static __rte_always_inline uint16_t
due_count(struct stream *s, struct replay *r, uint16_t max)
{
	struct place at = place_get(r);
	uint16_t n = 0;
	uint64_t now;

	if (!r->paced) {
		if (likely(at.passes > max))
			return max;
		return (uint16_t)RTE_MIN(at.passes == 0 ? 0
							: (at.passes - 1) * r->n + (r->n - at.next),
			(uint64_t)max);
	}
	now = rte_rdtsc();
	if (unlikely(r->base == 0) && !begin(r, now))
		return 0;
	if (unlikely(!late_skip(s, r, now)))
		return 0;
	for (at = place_get(r); n < max && at.passes > 0 && overdue(r, &at, now) >= 0; n++)
		place_advance(r, &at);
	return n;
}

/* Ensure that n mbufs can be attached to the open shinfo. */
static __rte_always_inline bool
references_open(struct replay *r, uint16_t n)
{
	if (likely(r->open != NULL && r->attached + n <= EXTMEM_BUFFERS_SHARED))
		return true;
	if (r->open != NULL)
		extmem_buffers_drop(r->open);
	r->attached = 0;
	if (likely(extmem_buffers_take(r->references, &r->open, 1) == 1))
		return true;
	r->open = NULL;
	return false;
}

static __rte_always_inline void
attach(const struct stream *s, struct replay *r, struct rte_mbuf **pkts, uint16_t n)
{
	struct rte_mbuf_ext_shared_info *shinfo = &r->open->shinfo;
	const uint64_t flags = r->flags;
	struct place at = place_get(r);

	rte_mbuf_ext_refcnt_update(shinfo, (int16_t)n);
	r->attached += n;
	for (uint16_t i = 0; i < n; i++) {
		const struct replay_packet *p = &r->packets[at.next];

		pkt_attach(pkts[i],
			(void *)(uintptr_t)(r->memory + (size_t)p->line * RTE_CACHE_LINE_SIZE),
			p->iova, (uint16_t)p->bytes, shinfo, flags);
		if (unlikely(s->tx_end.offloads &
			    (RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_QINQ_INSERT))) {
			pkts[i]->vlan_tci = s->tx_end.vlan;
			pkts[i]->vlan_tci_outer = s->tx_end.vlan_outer;
		}
		place_advance(r, &at);
	}
	place_set(r, &at);
}

static __rte_noinline void
copy(const struct stream *s, struct replay *r, struct rte_mbuf **pkts, uint16_t n)
{
	struct place at = place_get(r);

	for (uint16_t i = 0; i < n; i++) {
		const struct replay_packet *p = &r->packets[at.next];

		pkt_raw_open(pkts[i], (uint16_t)p->bytes, r->flags, &s->tx_end);
		rte_memcpy(rte_pktmbuf_mtod(pkts[i], void *),
			r->memory + (size_t)p->line * RTE_CACHE_LINE_SIZE, p->bytes);
		place_advance(r, &at);
	}
	place_set(r, &at);
}

/* The stream has sent everything; the last one ends the run. */
static __rte_noinline void
end(struct stream *s, struct replay *r)
{
	if (r->n > 0 && !r->ended && atomic_fetch_sub(&r->config->left, 1) == 1)
		atomic_store(r->config->stop, true);
	r->ended = true;
}

static uint16_t
replay_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	struct replay *r = s->state;
	uint16_t n = 0;

	if (unlikely(r->passes == 0 || r->n == 0))
		end(s, r);
	else
		n = due_count(s, r, max);
	if (n > 0 && likely(r->copies || references_open(r, n)))
		n = pkt_blocks_get(s, &r->blocks, pkts, n);
	else
		n = 0;
	if (unlikely(n == 0)) {
		/* Another stream may have packets that are due. */
		stream_limit_give_back(&s->limit);
		return 0;
	}
	if (unlikely(r->copies))
		copy(s, r, pkts, n);
	else
		attach(s, r, pkts, n);
	stream_made(s, n);
	return n;
}

/* Go back by packets that the port has refused, so that they are sent again. */
static __rte_noinline void
back(struct replay *r, uint32_t n)
{
	for (; n > r->next; r->next = r->n) {
		n -= r->next;
		r->passes += r->passes != REPLAY_FOREVER;
	}
	r->next -= n;
}

static void
replay_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct replay *r = s->state;
	const uint16_t sent = stream_tx(s, pkts, n);

	if (unlikely(sent < n) && !r->paced) {
		back(r, n - sent);
		stream_count_named(s, REPLAY_AGAIN, n - sent);
	}
}

ENGINE_LOOP(replay, replay_source, NULL, replay_sink)

/* Count as unsent what is late at the end. */
static void
replay_drain(struct stream *const *streams, unsigned int n, uint64_t ended_tsc)
{
	for (unsigned int i = 0; i < n; i++) {
		struct replay *r = streams[i]->state;
		const atomic_llong *left = streams[i]->limit.left;

		if (!r->paced || r->base == 0 || r->n == 0 ||
			(left != NULL && atomic_load(left) <= 0))
			continue;
		while (!late_skip(streams[i], r, ended_tsc))
			;
	}
}

static int
replay_open(void *config, const struct engine_env *env, struct err *e)
{
	struct replay_config *c = config;

	c->extmems = env->extmems;
	c->out = env->out;
	c->stop = env->stop;
	return 0;
}

extern const struct engine engine_replay;

static const struct cmd_row command_rows[] = {
	{ "show replay", arg_on_engine,
		"show file, passes and packets of each stream of engine replay", NULL,
		ARG_ON_ENGINE(&engine_replay, NULL), .shows = true },
};
static const struct cmd_table commands = { "replay", "capture files", command_rows,
	ARRAY_SIZE(command_rows), CMD_ENGINES };

const struct engine engine_replay = {
	.name = "replay",
	.help = "send the packets of pcap and pcapng files, at recorded times, a rate, or as fast as possible",
	.flags = ENGINE_NO_RX | ENGINE_MAKES | ENGINE_DESCRIBES | ENGINE_ENDS,
	.state_size = sizeof(struct replay),
	.init = replay_setup_init,
	.loop = replay_loop,
	.drain = replay_drain,
	.fini = replay_setup_fini,
	.forget = replay_setup_forget,
	.config_size = sizeof(struct replay_config),
	.open = replay_open,
	.apply = replay_setup_apply,
	.show = replay_setup_show,
	.settings = SETTING_TABLE("Engines", settings),
	.commands = &commands,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
};
