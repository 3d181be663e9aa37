/* Prepares streams that send described traffic: their share of the port's flows and rate, and the
 * headers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/sender.h"

#include "cmdline/grammar/words.h"
#include "engines/measure/lanes.h"
#include "engines/measure/traffic/traffic.h"
#include "pmd_shims/extbuf.h"

#include <rte_malloc.h>

#include <errno.h>
#include <inttypes.h>

/* Reduce the port's flows to those of the stream, from the first on. */
static uint32_t
flows_divide(const struct stream *s, struct sender *d)
{
	const uint64_t all = d->traffic.flows;
	unsigned int mine;
	const uint64_t n = pace_senders(s, &mine);

	d->flows = (uint32_t)(all * (mine + 1) / n - all * mine / n);
	return (uint32_t)(all * mine / n);
}

static int
pace_init(struct sender *d, const struct stream *s, struct err *e)
{
	const char *text = setting_text(s->settings, "generate-rate");
	const double line = s->tx_end.line_bps, mean = d->traffic.size_mean;
	struct pace_rate rate;
	struct pace_shape shape;
	double pps;

	if (pace_rate_parse(text, &rate, e) != 0 ||
		pace_gaps_parse(setting_text(s->settings, "generate-gaps"), &shape, e) != 0)
		return -e->code;
	pps = pace_pps(&rate, mean, line);
	if (pps < 0)
		return err_set(e, EINVAL,
			"generate-rate \"%s\": the link speed of port %u is unknown: expected packets or bits per second",
			text, s->tx_port);
	if (pps > 0 && (pps < PACE_PPS_MIN || pps > PACE_PPS_MAX))
		return err_set(e, ERANGE,
			"generate-rate \"%s\": %g packets/s of %.1f bytes: expected %g to %g packets/s",
			text, pps, mean, PACE_PPS_MIN, PACE_PPS_MAX);
	if (line > 0 && pps * 8 * (mean + L1_BYTES) > line * 1.0001)
		return err_set(e, ERANGE,
			"generate-rate \"%s\": port %u can send %.0f packets/s of %.1f bytes at %.0f Mbit/s; expected at most as many, or max",
			text, s->tx_port, line / 8 / (mean + L1_BYTES), mean, line / 1e6);
	pace_open(&d->pace, pps * d->flows / d->traffic.flows, &shape, 0, s->tsc_hz,
		(uint64_t)d->traffic.seed << 32 | s->index);
	d->late = pace_late(s);
	return 0;
}

static int
heads_make(struct sender *d, const struct stream *s, uint32_t first, struct err *e)
{
	const unsigned int n = traffic_patches(&d->traffic, d->patches);

	d->stride = RTE_ALIGN_CEIL(d->traffic.head_bytes, 64u);
	d->heads = rte_malloc_socket("flow headers", (size_t)d->flows * d->stride, 64,
		s->tx_end.socket);
	if (d->heads == NULL)
		return err_set(e, ENOMEM, "flows %u: no memory for %" PRIu64 " bytes of headers",
			d->flows, (uint64_t)d->flows * d->stride);
	for (uint32_t i = 0; i < d->flows; i++) {
		uint8_t *head = d->heads + (size_t)i * d->stride;

		memset(head, 0, d->stride);
		traffic_head(&d->traffic, first + i, &s->tx_end.mac, &s->tx_end.peer, head);
		if (d->traffic.size_min == d->traffic.size_max) {
			d->n_patches = n;
			sender_patch(d, head, d->traffic.size_min);
		}
	}
	d->n_patches = d->traffic.size_min == d->traffic.size_max ? 0 : n;
	return 0;
}

int
sender_size_check(const struct traffic *t, const struct stream *s, struct err *e)
{
	const unsigned int room = rte_pktmbuf_data_room_size(s->pool) - RTE_PKTMBUF_HEADROOM,
			   mtu = s->tx_end.mtu + (unsigned int)sizeof(struct rte_ether_hdr);

	if (t->size_max > room)
		return err_set(e, ERANGE,
			"generate: size %u: expected at most %u bytes, the size of an mbuf",
			t->size_max, room);
	if (t->size_max >
		mtu + 4 * ((t->range[TRAFFIC_VLAN].count > 0) + (t->range[TRAFFIC_QINQ].count > 0)))
		return err_set(e, ERANGE,
			"generate: size %u: expected at most %u bytes for the MTU of port %u, which is %u",
			t->size_max, mtu, s->tx_port, s->tx_end.mtu);
	return 0;
}

/* Prepare what sends packets, with or without named streams. */
static void
packets_open(struct sender *d, const struct stream *s)
{
	d->flags = pkt_tx_flags(&s->tx_end) | (extbuf_is_pinned(s->pool) ? RTE_MBUF_F_EXTERNAL : 0);
	pkt_blocks_open(&d->blocks, s);
}

int
sender_init(struct sender *d, const struct stream *s, struct err *e)
{
	struct traffic *t = &d->traffic;
	uint32_t first;

	if (lanes_chosen(s->config)) {
		packets_open(d, s);
		d->late = pace_late(s);
		return 0;
	}
	if (traffic_parse(t, setting_text(s->settings, "generate"),
		    setting_text(s->settings, "generate-size"), s->tx_port, e) != 0)
		return -e->code;
	if (words_port_check(t->absent, "generate", e) != 0)
		return -e->code;
	if (t->flows == 0)
		return 0;
	if (sender_size_check(t, s, e) != 0)
		return -e->code;
	first = flows_divide(s, d);
	if (d->flows == 0)
		return 0;
	packets_open(d, s);
	return pace_init(d, s, e) != 0 ? -e->code : heads_make(d, s, first, e);
}

int
sender_number(struct stream *const *streams, unsigned int n, uint32_t mark, uint32_t key,
	struct err *e)
{
	uint64_t base = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct sender *d = streams[i]->state;

		d->base = (uint32_t)base;
		d->mark = mark;
		d->key = key;
		base += d->flows;
		if (base > PROBE_FLOWS_MAX)
			return err_set(e, ERANGE,
				"generate: too many flows on all ports: expected at most %u",
				PROBE_FLOWS_MAX);
		if (d->flows > 0)
			d->size = traffic_size_index(&d->traffic, d->base, 0);
	}
	if (base == 0 && streams[0]->limit.left != NULL)
		return err_set(e, EINVAL,
			"a run of N packets would never end, because no port sends: use \"set generate flows N\"");
	return 0;
}

void
sender_build_any(const struct stream *s, struct sender *d, struct rte_mbuf **pkts,
	const uint64_t *due, uint16_t n)
{
	const unsigned int head = d->traffic.head_bytes;

	sender_build(s, d, pkts, due, d->pace.paced, n, head, d->traffic.size_max - head);
}

void
sender_build_sizes(const struct stream *s, struct sender *d, struct rte_mbuf **pkts,
	const uint64_t *due, uint16_t n)
{
	const uint16_t head = d->traffic.head_bytes;

	for (uint16_t i = 0; i < n; i++) {
		const struct probe probe = { d->base + d->flow, d->mark, (uint32_t)d->round,
			due[d->pace.paced ? i : 0] };
		const uint8_t *from = d->heads + (size_t)d->flow * d->stride;
		const uint16_t bytes = d->traffic.sizes[d->size];
		uint8_t *frame;

		pkt_raw_open(pkts[i], bytes, d->flags, &s->tx_end);
		frame = rte_pktmbuf_mtod(pkts[i], uint8_t *);
		memcpy(frame, from, head);
		sender_patch(d, frame, bytes);
		probe_write(frame + head, bytes - head, &probe, d->key);
		sender_next(d);
	}
}

void
sender_fini(struct sender *d)
{
	rte_free(d->heads);
	d->heads = NULL;
	rte_free(d->lanes);
	d->lanes = NULL;
	pool_blocks_close(&d->blocks);
}

void
sender_end(struct stream *s, struct sender *d, uint64_t ended_tsc)
{
	uint64_t unsent = 0;

	/* A run of a number of packets ends when these are sent; no others are due. */
	if (!d->pace.paced || d->flows == 0 || d->pace.due == 0 ||
		(s->limit.left != NULL && atomic_load(s->limit.left) <= 0))
		return;
	for (; (int64_t)(ended_tsc - d->pace.due) > (int64_t)d->late; unsent++)
		pace_next(&d->pace);
	stream_count_named(s, SENDER_UNSENT, unsent);
}

void
sender_lacks(struct stream *s, uint64_t n)
{
	stream_count_named(s, SENDER_UNSENT, n);
}
