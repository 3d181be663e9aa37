/* One turn of a port: what the driver sent goes to the sink, the peer or the verification; what a source has goes to the driver. */
#include "traffic.h"

#include "core.h"
#include "gen.h"
#include "model_nic.h"
#include "owner.h"
#include "verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BATCH_LEAST = 32, /* Rx descriptors to wait for, ... */
	PATIENCE = 200,   /* ... so many turns; not in steps, whose number the caller decides */
	TX_ROUNDS = 16,
	WRITTEN = 1 << 14,
};

/* A buffer that holds a generated packet still. */
struct written {
	const uint8_t *buffer;
	uint16_t len, flow;
};

struct traffic {
	struct model *m;
	const struct port_config *config;
	struct gen gen;
	struct verify *verify; /* of this port's packets; NULL: it verifies none */
	struct written *written;
	atomic_bool paused;
	uint64_t left; /* packets that the generator may still make */
	unsigned waited[MODEL_QUEUES_MAX];
	struct model_nic_report count,
		base; /* by the thread that moves frames; at the last reset */
	uint8_t gathered[GEN_LENGTH_MAX];
};

struct traffic *
traffic_open(struct model *m, const struct port_config *c, char *why, size_t size)
{
	struct traffic *t = calloc(1, sizeof(*t));

	if (c->source == SOURCE_PCAP || c->tx_pcap[0] != 0 || c->faults != 0 || c->rate_pps != 0 ||
		c->vlan != 0 || c->bad_l3 != 0 || c->bad_l4 != 0 || c->error != 0) {
		snprintf(why, size,
			"pcap, fault, rate, vlan, badl3, badl4 and error are not there yet");
		free(t);
		return NULL;
	}
	if (t != NULL) {
		t->m = m;
		t->config = c;
		t->left = c->count != 0 ? c->count : UINT64_MAX;
		t->written = calloc(WRITTEN, sizeof(*t->written));
		t->verify = c->verify ? verify_open(c->flows) : NULL;
	}
	if (t == NULL || t->written == NULL || (c->verify && t->verify == NULL) ||
		gen_open(&t->gen, m, c) != 0) {
		snprintf(why, size, "no memory");
		traffic_close(t);
		return NULL;
	}
	return t;
}

void
traffic_close(struct traffic *t)
{
	if (t == NULL)
		return;
	gen_close(&t->gen);
	verify_close(t->verify);
	free(t->written);
	free(t);
}

static struct written *
written_at(struct traffic *t, const uint8_t *buffer)
{
	return &t->written[((uint64_t)(uintptr_t)buffer >> 6) * UINT64_C(0x9e3779b97f4a7c15) >> 50 &
		(WRITTEN - 1)];
}

static void
frame_describe(struct frame *f, const struct gen_flow *flow, uint32_t len)
{
	*f = (struct frame){ .data = f->data, .len = len, .rss = flow->hash };
	f->flags = FRAME_EOP | FRAME_IPV4 | FRAME_UDP | (flow->hash != 0 ? FRAME_RSS : 0);
}

/* A packet of len bytes at pkt into frames of armed buffers. Returns frames used, 0: not enough of them. */
static uint16_t
spread(struct frame *f, uint16_t n, const uint8_t *pkt, uint32_t len)
{
	uint16_t used = 0;

	while (len > 0 && used < n) {
		struct frame *now = &f[used++];
		uint32_t part = len < now->len ? len : now->len;

		memcpy(now->data, pkt, part);
		*now = (struct frame){ .data = now->data, .len = part };
		now->flags = FRAME_IPV4 | FRAME_UDP;
		pkt += part;
		len -= part;
	}
	if (len > 0)
		return 0;
	f[used - 1].flags |= FRAME_EOP;
	return used;
}

/* Longer than one buffer: made aside, and cut. */
static uint16_t
generate_long(struct traffic *t, struct frame *f, uint16_t n, uint32_t len, unsigned flow)
{
	uint32_t room = 0;
	uint16_t used;

	for (uint16_t i = 0; i < n; i++)
		room += f[i].len;
	if (room < len)
		return 0;
	gen_write(&t->gen, t->gathered, len, flow);
	used = spread(f, n, t->gathered, len);
	f[used - 1].rss = t->gen.flow[flow].hash;
	return used;
}

/* Fill armed buffers with generated packets. Returns frames filled. */
static uint16_t
generate(struct traffic *t, uint16_t queue, struct frame *f, uint16_t n)
{
	const bool keep = t->config->source == SOURCE_GEN && !t->config->verify;
	const uint32_t longest = atomic_load_explicit(&t->m->frame_max, memory_order_relaxed);
	uint64_t made = 0;
	uint16_t i = 0;

	while (i < n && made < t->left) {
		struct written *w = written_at(t, f[i].data);
		uint16_t used = 1;
		uint32_t len;
		int flow;

		if (keep && w->buffer == f[i].data) {
			frame_describe(&f[i++], &t->gen.flow[w->flow], w->len);
			made++;
			continue;
		}
		flow = gen_next_flow(&t->gen, t->m, queue);
		if (flow < 0)
			break;
		len = gen_next_length(&t->gen);
		if (len > longest) {
			t->count.rx_oversize += 1;
			break;
		}
		if (len > f[i].len) {
			used = generate_long(t, &f[i], n - i, len, (unsigned)flow);
			if (used == 0)
				break;
		} else {
			gen_write(&t->gen, f[i].data, len, (unsigned)flow);
			frame_describe(&f[i], &t->gen.flow[flow], len);
			*w = (struct written){ f[i].data, (uint16_t)len, (uint16_t)flow };
		}
		i += used;
		made++;
	}
	if (t->config->verify)
		t->count.generated += made;
	t->left -= t->config->count != 0 ? made : 0;
	return i;
}

static void
give(struct traffic *t, struct ring *r, const struct frame *f, uint16_t n)
{
	if (t->config->verify && n > 0) {
		/* What was armed since the turn began is among these. */
		owner_scan(t->m, &t->count);
		for (uint16_t i = 0; i < n; i++)
			owner_received(f[i].data);
	}
	for (uint16_t i = 0; i < n; i++) {
		t->count.rx_bytes += f[i].len;
		t->count.rx_packets += (f[i].flags & FRAME_EOP) != 0;
	}
	if (n > 0)
		t->m->family->rx_give(t->m, r, f, n);
}

/* Judge a packet that the driver sent. */
static void
check(struct traffic *t, const uint8_t *pkt, uint32_t len)
{
	struct gen_mark mark;
	struct model *from;
	bool intact;

	if (!gen_mark_read(pkt, len, &mark, &intact)) {
		t->count.foreign += 1;
		return;
	}
	from = model_port(mark.port);
	if (!intact)
		t->count.corrupted += 1;
	else if (from == NULL || from->traffic->verify == NULL)
		t->count.foreign += 1;
	else
		verify_seen(from->traffic->verify, &mark, &t->count);
}

/* A packet from the wire, into whatever the driver armed. */
static void
arrive(struct traffic *t, const uint8_t *pkt, uint32_t len)
{
	struct frame f[MODEL_BURST];
	uint32_t hash = 0;
	uint16_t queue = t->m->family->rss != NULL ? t->m->family->rss(t->m, pkt, len, &hash) : 0,
		 n, used;

	if (len > atomic_load_explicit(&t->m->frame_max, memory_order_relaxed)) {
		t->count.rx_oversize += 1;
		return;
	}
	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++) {
		struct ring *r = &t->m->rx[i];

		if (!atomic_load_explicit(&r->enabled, memory_order_acquire) ||
			r->data_queue != (int16_t)queue)
			continue;
		n = t->m->family->rx_peek(t->m, r, f, MODEL_BURST);
		used = spread(f, n, pkt, len);
		if (used == 0)
			break;
		f[used - 1].rss = hash;
		f[used - 1].flags |= hash != 0 ? FRAME_RSS : 0;
		give(t, r, f, used);
		return;
	}
	t->count.rx_missed += 1;
}

/* The port whose source is this one's wire; NULL: none. */
static struct traffic *
listener(const struct traffic *t)
{
	for (unsigned i = 0; i < MODEL_PORTS_MAX; i++) {
		struct model *m = model_port(i);
		const struct port_config *c = m != NULL && m->traffic != NULL ? m->traffic->config
									      : NULL;

		if (c != NULL && m->bar != NULL &&
			((c->source == SOURCE_WIRE && c->peer == t->m->port) ||
				(c->source == SOURCE_LOOP && m == t->m)))
			return m->traffic;
	}
	return NULL;
}

/* Whole packets from the driver. */
static void
sink(struct traffic *t, struct frame *f, uint16_t n, struct traffic *to)
{
	uint64_t bytes = 0, packets = 0;
	uint32_t have = 0;

	if (t->config->verify)
		owner_scan(t->m, &t->count); /* as in give() */
	for (uint16_t i = 0; i < n; i++) {
		const uint8_t *pkt = f[i].data;
		uint32_t len = f[i].len;

		bytes += len;
		if (t->config->verify)
			owner_sent(f[i].data);
		if (to == NULL && !t->config->verify) {
			packets += (f[i].flags & FRAME_EOP) != 0;
			continue;
		}
		if (have > 0 || (f[i].flags & FRAME_EOP) == 0) {
			uint32_t part = len <= sizeof(t->gathered) - have
				? len
				: (uint32_t)sizeof(t->gathered) - have;

			memcpy(t->gathered + have, pkt, part);
			have += part;
			pkt = t->gathered;
			len = have;
		}
		if ((f[i].flags & FRAME_EOP) == 0)
			continue;
		packets++;
		have = 0;
		if (to != NULL)
			arrive(to, pkt, len);
		else
			check(t, pkt, len);
	}
	t->count.tx_packets += packets;
	t->count.tx_bytes += bytes;
}

static unsigned
turn_tx(struct traffic *t, struct ring *r, struct traffic *to)
{
	struct frame f[MODEL_BURST];
	uint16_t descs = 0, n = t->m->family->tx_take(t->m, r, f, MODEL_BURST, &descs);

	if (n > 0)
		sink(t, f, n, to);
	if (descs > 0)
		t->m->family->tx_done(t->m, r, descs);
	return descs;
}

static unsigned
turn_rx(struct traffic *t, struct ring *r)
{
	struct frame f[MODEL_BURST];
	uint16_t n = t->m->family->rx_peek(t->m, r, f, MODEL_BURST);

	if (n == 0 || (!core_config.step && n < BATCH_LEAST && ++t->waited[r->index] < PATIENCE))
		return 0;
	t->waited[r->index] = 0;
	n = generate(t, (uint16_t)r->data_queue, f, n);
	give(t, r, f, n);
	return n;
}

unsigned
traffic_turn(struct model *m)
{
	struct traffic *t = m->traffic, *to = listener(t);
	const enum source_kind source = t->config->source;
	bool makes = (source == SOURCE_GEN || source == SOURCE_COPY) && t->left > 0 &&
		!atomic_load_explicit(&t->paused, memory_order_relaxed) &&
		atomic_load_explicit(&m->link_up, memory_order_relaxed);
	unsigned moved = 0;

	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++) {
		/* All that waits, since the driver drops what finds the ring full. */
		if (atomic_load_explicit(&m->tx[i].enabled, memory_order_acquire))
			for (unsigned n = 1, rounds = 0; n > 0 && rounds < TX_ROUNDS;
				rounds++, moved += n)
				n = turn_tx(t, &m->tx[i], to);
		if (makes && atomic_load_explicit(&m->rx[i].enabled, memory_order_acquire) &&
			m->rx[i].data_queue >= 0)
			moved += turn_rx(t, &m->rx[i]);
	}
	return moved;
}

void
traffic_ring_changed(struct model *m, struct ring *r, bool rx, bool enabled)
{
	struct traffic *t = m->traffic;

	if (t == NULL)
		return;
	if (rx)
		memset(t->written, 0, WRITTEN * sizeof(*t->written));
	if (!enabled && t->config->verify)
		owner_ring_off(m, r, rx);
}

void
traffic_report(struct traffic *t, struct model_nic_report *r)
{
	const uint64_t *now = (const uint64_t *)&t->count, *base = (const uint64_t *)&t->base;
	uint64_t *to = (uint64_t *)r;

	t->count.missing = t->verify != NULL ? t->count.generated - verify_unique(t->verify) : 0;
	for (size_t i = 0; i < sizeof(*r) / sizeof(*to); i++)
		to[i] = now[i] - base[i];
	r->missing = t->count.missing; /* at this moment, whatever was reset */
}

void
traffic_report_reset(struct traffic *t)
{
	t->base = t->count;
}

void
traffic_pause(struct traffic *t, bool paused)
{
	atomic_store(&t->paused, paused);
}

bool
traffic_fault(struct traffic *t, const char *words, const char **why)
{
	*why = "no faults but link up and link down yet";
	return false;
}
