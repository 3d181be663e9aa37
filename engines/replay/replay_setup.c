/* Prepares and ends streams of the engine replay, and shows them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/out.h"
#include "cmdline/grammar/words.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "engines/replay/replay_priv.h"
#include "memory/extmem_buffers.h"
#include "pmd_shims/extbuf.h"

#include <rte_lcore.h>
#include <rte_malloc.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define REFERENCES_LEAST 2   /* shinfos of a stream */
#define REFERENCES_MOST 1024 /* each for EXTMEM_BUFFERS_SHARED mbufs */

/* True if no earlier stream sends to this port. */
static bool
is_first(const struct stream *s)
{
	for (unsigned int i = 0; i < s->index; i++)
		if (s->siblings[i]->tx_port == s->tx_port)
			return false;
	return true;
}

/* Find what an earlier stream has loaded and this one can send; NULL: nothing. */
static struct replay_load *
loaded_find(const struct stream *s, const struct replay_source *source,
	const struct replay_ask *ask)
{
	for (unsigned int i = 0; i < s->index; i++) {
		const struct replay *other = s->siblings[i]->state;

		if (other->load != NULL && replay_load_fits(other->load, source, ask))
			return other->load;
	}
	return NULL;
}

/*
 * Send copies if attached buffers cannot be sent or attached. The first stream of a port prints why.
 */
static void
copies_decide(const struct stream *s, struct replay *r, bool first)
{
	struct err why;

	err_clear(&why);
	if (extbuf_is_pinned(s->pool))
		err_set(&why, EINVAL,
			"pool %s has mbufs with external buffers, to which no others can be attached; use another --mp-alloc than xbuf",
			s->pool->name);
	else if (extbuf_tx_check(s->tx_port, s->tx_queue, s->tx_end.offloads,
			 1u << EXTBUF_TX_SHARED, &why) == 0)
		return;
	r->copies = true;
	if (first)
		out_warn(r->config->out, "replay copies packets instead of attaching them: %s\n",
			why.text);
}

static int
ask_make(struct replay_ask *ask, const struct stream *s, const struct replay *r, struct err *e)
{
	int32_t absent;

	*ask = (struct replay_ask){ .extmems = r->config->extmems,
		.rate_text = setting_text(s->settings, "replay-rate"),
		.mac = &s->tx_end.mac,
		.peer = &s->tx_end.peer,
		.port = s->tx_port,
		.frame = &s->tx_end.frame,
		.mtu = s->tx_end.mtu,
		.socket = s->tx_end.socket,
		.once = setting_u64(s->settings, "replay-times") == 1,
		.room = r->copies ? rte_pktmbuf_data_room_size(s->pool) - RTE_PKTMBUF_HEADROOM : 0,
		.line_bps = s->tx_end.line_bps,
		.tsc_hz = s->tsc_hz };
	if (replay_words_rate(ask->rate_text, &ask->rate, e) != 0)
		return -e->code;
	return replay_words_rewrite(setting_text(s->settings, "replay-rewrite"), s->tx_port,
		&ask->rewrite, &absent, e);
}

/* Copy the stream's share of the port's packets: each flow is sent by one of the port's queues. */
static int
share(struct stream *s, struct replay *r, struct err *e)
{
	const struct replay_load *l = r->load;
	struct replay_packet *packets;
	unsigned int queues, mine;
	uint64_t n = 0;

	queues = pace_senders(s, &mine);
	for (uint64_t i = 0; i < l->n; i++)
		n += l->packets[i].flow % queues == mine;
	if (n == 0)
		return 0;
	if (n > UINT32_MAX)
		return err_set(e, ERANGE, "%s: %" PRIu64 " packets in a queue: expected at most %u",
			l->source.path, n, UINT32_MAX);
	packets = rte_malloc_socket("replay packets", n * sizeof(*packets), 64,
		(int)rte_lcore_to_socket_id(s->lcore));
	if (packets == NULL)
		return err_set(e, ENOMEM,
			"%s: no memory to describe %" PRIu64
			" packets: use more, -m MIB or --socket-mem",
			l->source.path, n);
	r->packets = packets;
	r->n = (uint32_t)n;
	for (uint64_t i = 0; i < l->n; i++) {
		const struct replay_loaded *p = &l->packets[i];

		if (p->flow % queues != mine)
			continue;
		*packets++ = (struct replay_packet){
			extmem_iova(l->memory,
				l->memory->addr + (uint64_t)p->line * RTE_CACHE_LINE_SIZE,
				p->bytes),
			p->due, p->line, p->bytes
		};
	}
	return 0;
}

static int
kept_make(struct stream *s, const struct replay *r, struct err *e)
{
	struct replay_kept *k = s->kept = calloc(1, sizeof(*k));

	if (k == NULL)
		return err_set(e, ENOMEM, "replay: no memory");
	if (r->load != NULL) {
		snprintf(k->path, sizeof(k->path), "%s", r->load->source.path);
		k->packets = r->load->n;
		k->bytes = r->load->bytes;
		k->skipped = r->load->skipped;
		k->rest = r->load->rest;
	}
	snprintf(k->rate, sizeof(k->rate), "%s", setting_text(s->settings, "replay-rate"));
	k->mine = r->n;
	k->times = setting_u64(s->settings, "replay-times");
	k->paced = r->paced;
	k->copies = r->copies;
	return 0;
}

/* Print what of a file is not sent. */
static void
left_out_say(const struct replay *r, uint16_t port)
{
	const struct replay_load *l = r->load;
	char text[REPLAY_LEFT_OUT_TEXT];

	if (l->rest.doubtful)
		out_warn(r->config->out,
			"Port %u: %s: some of its %" PRIu64 " packets may be damaged: %s\n", port,
			l->source.path, l->rest.after, l->rest.why);
	else if (l->rest.why[0] != '\0')
		out_warn(r->config->out,
			"Port %u: %s: only its first %" PRIu64 " packets can be read: %s\n", port,
			l->source.path, l->rest.after, l->rest.why);
	replay_load_left_out(&l->skipped, &l->rest.foreign, text, sizeof(text));
	if (text[0] != '\0')
		out_warn(r->config->out, "Port %u: %s: packets left out: %s\n", port,
			l->source.path, text);
}

/* Load the port's file, or use what another stream has loaded; none: NULL. */
static int
loaded_use(struct stream *s, struct replay *r, struct err *e)
{
	struct replay_source source;
	struct replay_load *l;
	struct replay_ask ask;
	int ret = replay_words_source(setting_text(s->settings, "replay"), s->tx_port, &source, e);

	if (ret != 0 || source.path[0] == '\0')
		return ret;
	copies_decide(s, r, is_first(s));
	if (ask_make(&ask, s, r, e) != 0)
		return -e->code;
	l = loaded_find(s, &source, &ask);
	if (l != NULL) {
		ret = replay_load_share(l, &ask, e);
	} else {
		l = calloc(1, sizeof(*l));
		if (l == NULL)
			return err_set(e, ENOMEM, "replay: no memory");
		l->source = source;
		ret = replay_load_open(l, &ask, e);
		if (ret != 0)
			free(l);
	}
	if (ret != 0)
		return ret;
	r->load = l;
	if (l->users++ == 0)
		left_out_say(r, s->tx_port);
	return 0;
}

/* Refuse a run in which no port has a file, or settings name a port that does not exist. */
static int
any_check(const struct stream *s, struct err *e)
{
	const char *text = setting_text(s->settings, "replay");
	struct replay_source source = { .path = "" };
	struct replay_rewrite rewrite;
	int32_t absent;

	for (unsigned int i = 0; i < s->n_siblings && source.path[0] == '\0'; i++)
		if (replay_words_source(text, s->siblings[i]->tx_port, &source, e) != 0 ||
			words_port_check(source.absent, "replay", e) != 0)
			return -e->code;
	if (source.path[0] == '\0')
		return err_set(e, EINVAL,
			"replay \"%s\": no port has a file: use \"set replay FILE\"", text);
	if (replay_words_rewrite(setting_text(s->settings, "replay-rewrite"), s->tx_port, &rewrite,
		    &absent, e) != 0)
		return -e->code;
	return words_port_check(absent, "replay-rewrite", e);
}

/* TSC ticks after which a packet that was due is not sent any more. */
static uint64_t
late_of(const struct stream *s, const struct replay_load *l)
{
	/* The user of a capture wants all of its packets, late ones too. */
	if (l->recorded && setting_is_default(s->settings, "generate-late"))
		return INT64_MAX;
	return pace_late(s);
}

int
replay_setup_init(struct stream *s, struct err *e)
{
	struct replay *r = s->state;
	const uint64_t times = setting_u64(s->settings, "replay-times");
	struct replay_load *l;
	int ret = s->index == 0 ? any_check(s, e) : 0;

	r->config = s->config;
	if (ret == 0)
		ret = loaded_use(s, r, e);
	l = r->load;
	if (ret == 0 && l != NULL) {
		/* Also for copies: the memory is in use. */
		r->references = extmem_buffers_open(l->memory, s->index, s->n_siblings, 0, false,
			REFERENCES_LEAST, REFERENCES_MOST, e);
		ret = r->references == NULL ? -e->code : share(s, r, e);
		r->memory = l->memory->addr;
		r->paced = l->paced;
		r->period = l->period;
		r->period_part = l->period_part;
		r->passes = times == 0 ? REPLAY_FOREVER : times;
		r->late = late_of(s, l);
		r->flags = pkt_tx_flags(&s->tx_end);
		pkt_blocks_open(&r->blocks, s);
	}
	/* Packets under way point to the same bytes. */
	if (ret == 0 && l != NULL && !r->copies) {
		uint64_t readonly;

		ret = extbuf_readonly_register(&readonly, e);
		r->flags |= readonly;
	}
	return ret != 0 ? ret : kept_make(s, r, e);
}

int
replay_setup_apply(struct stream *const *streams, unsigned int n, const void *config, bool live,
	struct err *e)
{
	struct replay_config *c = ((struct replay *)streams[0]->state)->config;

	if (live)
		return 0;
	c->sending = 0;
	for (unsigned int i = 0; i < n; i++) {
		struct replay *r = streams[i]->state;

		c->sending += r->n > 0;
		if (r->load != NULL) {
			free(r->load->packets);
			r->load->packets = NULL;
		}
	}
	atomic_store(&c->polled, 0);
	atomic_store(&c->left, c->sending);
	atomic_store(&c->begin, 0);
	return 0;
}

void
replay_setup_fini(struct stream *s)
{
	struct replay *r = s->state;

	if (r->open != NULL)
		extmem_buffers_drop(r->open);
	r->open = NULL;
	extmem_buffers_close(r->references);
	r->references = NULL;
	pool_blocks_close(&r->blocks);
	rte_free((void *)(uintptr_t)r->packets);
	r->packets = NULL;
	if (r->load != NULL && --r->load->users == 0) {
		replay_load_close(r->load, r->config->extmems);
		free(r->load);
	}
	r->load = NULL;
}

void
replay_setup_forget(struct stream *s)
{
	free(s->kept);
	s->kept = NULL;
}

/* Show what of the file is not among its packets, if anything. */
static void
left_out_show(struct out *o, const struct replay_kept *k)
{
	char text[REPLAY_LEFT_OUT_TEXT];
	const bool cut = k->rest.why[0] != '\0';

	replay_load_left_out(&k->skipped, &k->rest.foreign, text, sizeof(text));
	if (text[0] != '\0')
		out_text(o, "  left out: %s\n", text);
	out_u64(o, "skipped_short", NULL, k->skipped.brief);
	out_u64(o, "skipped_long", NULL, k->skipped.longer);
	out_u64(o, "skipped_cut", NULL, k->skipped.cut);
	out_u64(o, "skipped_foreign", NULL, k->skipped.foreign);
	out_u64(o, "readable",
		k->rest.doubtful ? "  some of its %" PRIu64 " packets may be damaged"
			: cut    ? "  only its first %" PRIu64 " packets can be read"
				 : NULL,
		k->rest.after);
	out_str(o, "unreadable", cut ? ": %s\n" : NULL, k->rest.why);
}

void
replay_setup_show(struct out *o, const struct stream *s, bool running)
{
	const struct replay_kept *k = s->kept;
	const uint64_t unsent = counter_read(&s->count.named[REPLAY_UNSENT]),
		       sent = counter_read(&s->count.tx),
		       dropped = counter_read(&s->count.tx_dropped),
		       through = k->paced ? sent + dropped + unsent : sent;

	stream_end_show(o, "", false, s->tx_port, s->tx_queue);
	out_text(o, "\n");
	if (k->packets == 0) {
		out_text(o, "  no file\n");
		return;
	}
	out_str(o, "file", "  %s: ", k->path);
	out_u64(o, "packets", "%" PRIu64 " packets", k->packets);
	out_u64(o, "bytes", " of %" PRIu64 " bytes", k->bytes);
	out_u64(o, "queue_packets", ", %" PRIu64 " by this queue", k->mine);
	out_str(o, "rate", "; rate %s", k->rate);
	out_bool(o, "attached", ", packets %s\n", !k->copies, "attached", "copied");
	left_out_show(o, k);
	out_u64(o, "passes", "  passes %" PRIu64, k->mine > 0 ? through / k->mine : 0);
	out_u64(o, "times", k->times > 0 ? " of %" PRIu64 : " until stop", k->times);
	out_u64(o, "sent", ": sent %" PRIu64, sent);
	out_u64(o, "unsent", "; due, but not sent in time %" PRIu64, unsent);
	out_u64(o, "tx_dropped", ", refused by the port %" PRIu64, dropped);
	out_bool(o, "done", "; %s\n", k->times > 0 && through >= k->times * k->mine, "done",
		"not done");
}
