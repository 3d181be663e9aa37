/* Generated packets: UDP over IPv4, flows that differ in source address and port, checksums that
 * detect a changed byte. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC 0x6d6e6963u

enum { IP = 14, UDP = 34, TAG = 4 };

static uint32_t
sum_of(const uint8_t *p, uint32_t n, uint64_t seed)
{
	uint64_t h = seed ^ n, word = 0;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	word = 0;
	memcpy(&word, p, n);
	h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32);
}

static uint32_t
mark_sum(const struct gen_mark *mark, const uint8_t *rest, uint32_t n)
{
	uint32_t head = sum_of((const uint8_t *)mark, offsetof(struct gen_mark, sum), MAGIC);

	return sum_of(rest, n, head);
}

static void
put16(uint8_t *p, unsigned value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

/*
 * Write the headers of a flow: Ethernet, IPv4 and UDP. Addresses are of 198.18.0.0/15, reserved for
 * benchmarks by RFC 2544.
 */
static void
headers_write(uint8_t *p, uint32_t len, unsigned flow, unsigned port)
{
	static const uint8_t start[GEN_HEADERS] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0,
		0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 198, 18, 0, 0, 198, 19, 0, 1, 0, 0, 0x12,
		0x35, 0, 0, 0, 0 };
	uint32_t sum = 0;

	memcpy(p, start, sizeof(start));
	p[11] = (uint8_t)port;
	put16(p + IP + 2, len - IP);
	put16(p + IP + 14, flow);
	put16(p + UDP, 0x4000 + flow);
	put16(p + UDP + 4, len - UDP);
	for (unsigned i = 0; i < 20; i += 2)
		sum += (unsigned)p[IP + i] << 8 | p[IP + i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	put16(p + IP + 10, ~((sum & 0xffff) + (sum >> 16)) & 0xffff);
}

int
gen_open(struct gen *g, const struct model *m, const struct port_config *c)
{
	*g = (struct gen){ .config = c, .port = m->port, .generation = UINT32_MAX };
	g->flow = calloc(c->flows, sizeof(*g->flow));
	g->by_queue = calloc(c->flows, sizeof(*g->by_queue));
	return g->flow != NULL && g->by_queue != NULL ? 0 : -1;
}

void
gen_close(struct gen *g)
{
	free(g->flow);
	free(g->by_queue);
	g->flow = NULL;
	g->by_queue = NULL;
}

/* Find the queue that the NIC chooses for each flow, and sort the flows by queue. */
static void
queues_learn(struct gen *g, struct model *m)
{
	uint8_t pkt[GEN_HEADERS + GEN_MARK];
	uint32_t at = 0;

	for (uint32_t i = 0; i < g->config->flows; i++) {
		struct gen_flow *f = &g->flow[i];

		headers_write(pkt, sizeof(pkt), i, g->port);
		f->queue = m->family->rss != NULL ? m->family->rss(m, pkt, sizeof(pkt), &f->hash)
						  : 0;
	}
	for (uint16_t q = 0; q < MODEL_DATA_QUEUES; q++) {
		g->first[q] = at;
		g->turn[q] = 0;
		for (uint32_t i = 0; i < g->config->flows; i++)
			if (g->flow[i].queue == q)
				g->by_queue[at++] = (uint16_t)i;
	}
	g->first[MODEL_DATA_QUEUES] = at;
}

/* Number of flows of a queue. */
static uint32_t
flows_of(struct gen *g, struct model *m, uint16_t queue)
{
	uint32_t generation = atomic_load_explicit(&m->rss_generation, memory_order_relaxed);

	if (g->generation != generation) {
		queues_learn(g, m);
		g->generation = generation;
	}
	return g->first[queue + 1] - g->first[queue];
}

bool
gen_has_flows(struct gen *g, struct model *m, uint16_t queue)
{
	return flows_of(g, m, queue) > 0;
}

int
gen_next_flow(struct gen *g, struct model *m, uint16_t queue)
{
	const uint32_t n = flows_of(g, m, queue);

	if (n == 0)
		return -1;
	if (++g->turn[queue] >= n)
		g->turn[queue] = 0;
	return g->by_queue[g->first[queue] + g->turn[queue]];
}

uint32_t
gen_next_length(struct gen *g)
{
	const struct port_config *c = g->config;
	uint32_t at = g->step++, weights = 0;

	if (c->mix[0].weight == 0)
		return c->size_min + at % (c->size_max - c->size_min + 1u);
	for (unsigned i = 0; i < 8 && c->mix[i].weight != 0; i++)
		weights += c->mix[i].weight;
	at %= weights;
	for (unsigned i = 0;; i++) {
		if (at < c->mix[i].weight)
			return c->mix[i].bytes;
		at -= c->mix[i].weight;
	}
}

void
gen_write(struct gen *g, uint8_t *to, uint32_t len, unsigned flow)
{
	struct gen_mark mark = { .magic = MAGIC,
		.port = (uint16_t)g->port,
		.flow = (uint16_t)flow };

	headers_write(to, len, flow, g->port);
	if (!g->config->verify) {
		memset(to + GEN_HEADERS, 0, len - GEN_HEADERS);
		return;
	}
	mark.sequence = g->flow[flow].sequence++;
	for (uint32_t i = GEN_HEADERS + GEN_MARK; i < len; i++)
		to[i] = (uint8_t)(mark.sequence + i);
	mark.sum = mark_sum(&mark, to + GEN_HEADERS + GEN_MARK, len - GEN_HEADERS - GEN_MARK);
	memcpy(to + GEN_HEADERS, &mark, sizeof(mark));
}

bool
gen_mark_read(const uint8_t *pkt, uint32_t len, struct gen_mark *mark, bool *intact)
{
	uint32_t at = GEN_HEADERS;

	if (len >= GEN_HEADERS && pkt[12] == 0x81 && pkt[13] == 0)
		at += TAG;
	if (len < at + sizeof(*mark))
		return false;
	memcpy(mark, pkt + at, sizeof(*mark));
	at += sizeof(*mark);
	*intact = mark_sum(mark, pkt + at, len - at) == mark->sum;
	return mark->magic == MAGIC;
}
