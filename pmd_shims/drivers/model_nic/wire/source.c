/* Packets that a port makes itself: generated, from a file, or for a fault. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <string.h>

enum {
	BATCH_LEAST = 32, /* armed Rx descriptors to wait for ... */
	PATIENCE = 200,   /* ... for at most this many polls; not in MODEL_NIC_MODE=step */
	FILE_BURST = 256, /* maximum packets of a file per poll */
};

static const uint64_t second = 1000 * 1000 * 1000;

enum { PLACE_BITS = 11 };

static struct written *
written_at(const struct traffic *t, const uint8_t *buffer)
{
	return &t->written[(uintptr_t)buffer >> PLACE_BITS & ((1 << TRAFFIC_WRITTEN_BITS) - 1)];
}

/* The address bits that do not follow from a buffer's place: the lowest and the highest of 47. */
static uint32_t
who(const uint8_t *buffer)
{
	uintptr_t address = (uintptr_t)buffer, low = (1 << PLACE_BITS) - 1;

	return (uint32_t)(address >> (PLACE_BITS + TRAFFIC_WRITTEN_BITS) << PLACE_BITS |
		(address & low));
}

/* Number of packets that may be made now. */
static uint64_t
due(const struct traffic *t)
{
	uint64_t n = t->config->rate_pps != 0 ? t->rate.credit / second : UINT64_MAX;

	return n < t->left ? n : t->left;
}

static void
took(struct traffic *t, uint64_t packets)
{
	if (t->config->rate_pps != 0)
		t->rate.credit -= packets * second;
	if (t->config->count != 0)
		t->left -= packets;
}

/* Add the packets that have become due. Returns those that were lost, as due for over a second. */
static uint64_t
earn(struct traffic *t, uint64_t now_ns)
{
	struct rate *r = &t->rate;
	const uint64_t pps = t->config->rate_pps;
	uint64_t passed = r->last_ns != 0 ? now_ns - r->last_ns : 0, lost = 0;

	r->last_ns = now_ns;
	r->credit += (passed < second ? passed : second) * pps;
	if (r->credit > second * pps)
		lost = (r->credit - second * pps) / second;
	r->credit -= lost * second;
	return lost;
}

void
source_rest(struct traffic *t)
{
	t->rate = (struct rate){ 0 };
	bursts_rest(&t->bursts);
}

static bool
every(uint32_t n, uint64_t number)
{
	return n != 0 && number % n == 0;
}

/*
 * Put the configured errors into the next packet, number t->made. Returns flags for its descriptor.
 */
static unsigned
spoil(struct traffic *t, uint8_t *pkt, uint32_t len)
{
	enum { L3_SUM = 24, L4_SUM = 40, WRONG = 0x55 };
	const struct port_config *c = t->config;
	uint64_t number = ++t->made;
	unsigned flags = 0;

	if (every(c->bad_l3, number)) {
		pkt[L3_SUM] ^= WRONG;
		flags |= FRAME_BAD_L3;
	}
	if (every(c->bad_l4, number)) {
		uint16_t sum = offload_udp4_sum(pkt, len);

		pkt[L4_SUM] = (uint8_t)(sum >> 8 ^ WRONG);
		pkt[L4_SUM + 1] = (uint8_t)(sum ^ WRONG);
		flags |= FRAME_BAD_L4;
	}
	if (!atomic_load_explicit(&t->m->rx_csum, memory_order_relaxed))
		flags = 0;
	if (every(c->error, number)) {
		flags |= FRAME_ERROR;
		t->count.rx_errors++;
	}
	return flags;
}

/* Insert a tag into the packet at pkt + TRAFFIC_TAG, which then begins at pkt. */
static void
tag_insert(uint8_t *pkt, uint16_t vlan)
{
	memmove(pkt, pkt + TRAFFIC_TAG, 12);
	pkt[12] = 0x81;
	pkt[13] = 0;
	pkt[14] = (uint8_t)(vlan >> 8);
	pkt[15] = (uint8_t)vlan;
}

/* A packet to be made. */
struct order {
	unsigned flow;
	uint32_t len; /* bytes without a tag */
	bool tag;     /* insert a tag; if false and a vlan is configured, it is in the descriptor */
};

/* Write a packet to to. Returns the flags of its descriptors. */
static unsigned
packet_write(struct traffic *t, uint8_t *to, const struct order *o)
{
	uint8_t *pkt = to + (o->tag ? TRAFFIC_TAG : 0);
	unsigned flags = FRAME_IPV4 | FRAME_UDP;

	gen_write(&t->gen, pkt, o->len, o->flow);
	flags |= spoil(t, pkt, o->len);
	if (o->tag)
		tag_insert(to, t->config->vlan);
	flags |= t->config->vlan != 0 && !o->tag ? FRAME_VLAN : 0;
	return flags | (t->gen.flow[o->flow].hash != 0 ? FRAME_RSS : 0);
}

/* Set the fields that are only in a packet's last descriptor. */
static void
last_describe(const struct traffic *t, struct frame *last, const struct order *o)
{
	last->rss = t->gen.flow[o->flow].hash;
	last->vlan = t->config->vlan;
}

/* Make a packet in one or several buffers. Returns frames used; 0: too few, nothing was made. */
static uint16_t
packet_make(struct traffic *t, struct frame *f, uint16_t n, const struct order *o)
{
	uint32_t len = o->len + (o->tag ? TRAFFIC_TAG : 0), room = 0;
	uint16_t used = 1;
	unsigned flags;

	if (len <= f->len) {
		flags = packet_write(t, f->data, o);
		*f = (struct frame){ .data = f->data, .len = len };
		f->flags = (uint16_t)(flags | FRAME_EOP);
	} else {
		for (uint16_t i = 0; i < n; i++)
			room += f[i].len;
		if (room < len)
			return 0;
		flags = packet_write(t, traffic_gathered(t), o);
		used = arrive_spread(f, n, traffic_gathered(t), len, flags);
		for (uint16_t i = 0; i < used; i++)
			written_at(t, f[i].data)->who = 0;
	}
	last_describe(t, &f[used - 1], o);
	if (t->config->verify)
		t->count.generated++;
	return used;
}

/*
 * Fill armed buffers with generated packets, at most most of them. Returns the number of frames;
 * *packets: of packets.
 */
static uint16_t
generate(struct traffic *t, uint16_t queue, struct frame *f, uint16_t n, uint64_t most,
	uint64_t *packets)
{
	const bool keep = t->keep;
	const bool tag = t->config->vlan != 0 &&
		!atomic_load_explicit(&t->m->vlan_strip, memory_order_relaxed);
	const uint32_t longest = atomic_load_explicit(&t->m->frame_max, memory_order_relaxed);
	uint64_t made = 0;
	uint16_t i = 0;

	while (i < n && made < most) {
		struct written *w = written_at(t, f[i].data);
		struct order o = { .tag = tag };
		uint16_t used;
		int flow;

		if (keep && w->who == who(f[i].data)) {
			const struct gen_flow *g = &t->gen.flow[w->flow];

			f[i] = (struct frame){ .data = f[i].data, .len = w->len, .rss = g->hash };
			f[i++].flags = FRAME_EOP | FRAME_IPV4 | FRAME_UDP |
				(g->hash != 0 ? FRAME_RSS : 0);
			made++;
			continue;
		}
		flow = gen_next_flow(&t->gen, t->m, queue);
		if (flow < 0)
			break;
		o.flow = (unsigned)flow;
		o.len = gen_next_length(&t->gen);
		if (o.len + (t->config->vlan != 0 ? TRAFFIC_TAG : 0) > longest) {
			t->count.rx_oversize++;
			break;
		}
		used = packet_make(t, &f[i], n - i, &o);
		if (used == 0)
			break;
		if (used == 1)
			*w = (struct written){ who(f[i].data), (uint16_t)o.len, (uint16_t)flow };
		i += used;
		made++;
	}
	*packets = made;
	return i;
}

static unsigned
ring_fill(struct traffic *t, struct ring *r)
{
	struct frame f[MODEL_BURST];
	uint16_t n = t->m->family->rx_peek(t->m, r, f, MODEL_BURST);
	uint64_t made;

	if (n == 0)
		return 0;
	if (n < BATCH_LEAST && t->config->rate_pps == 0 && !config_current.step &&
		++t->waited[r->index] < PATIENCE)
		return 0;
	t->waited[r->index] = 0;
	n = generate(t, (uint16_t)r->data_queue, f, n, due(t), &made);
	took(t, made);
	arrive_give(t, r, f, n);
	return n;
}

/* Write into each packet when it was due. */
static void
frames_stamp(const struct traffic *t, struct frame *f, uint16_t n, const uint64_t *due_ns)
{
	bool first = true;

	for (uint16_t i = 0; i < n; i++) {
		if (first)
			latency_stamp(f[i].data, f[i].len, t->m->port, *due_ns++);
		first = (f[i].flags & FRAME_EOP) != 0;
	}
}

/*
 * Send due packets of a burst to a ring. Those without an armed descriptor are missed. Returns
 * frames given.
 */
static unsigned
burst_send(struct traffic *t, struct ring *r, const uint64_t *due_ns, uint16_t packets)
{
	struct frame f[MODEL_BURST];
	uint64_t made, done = 0, oversize;
	unsigned moved = 0;
	uint16_t n;

	do {
		oversize = t->count.rx_oversize;
		n = t->m->family->rx_peek(t->m, r, f, MODEL_BURST);
		n = generate(t, (uint16_t)r->data_queue, f, n, packets - done, &made);
		if (t->stamps)
			frames_stamp(t, f, n, due_ns + done);
		arrive_give(t, r, f, n);
		oversize = t->count.rx_oversize - oversize;
		done += made + oversize;
		moved += n;
	} while (made + oversize > 0 && done < packets);
	t->count.rx_missed += packets - done;
	return moved;
}

/*
 * Send what is due of bursts, in equal parts to all rings for which there are flows. Returns frames
 * given, at least 1 except in MODEL_NIC_MODE=step.
 */
static unsigned
bursts_poll(struct traffic *t, uint64_t now_ns, bool starved)
{
	uint64_t due_ns[MODEL_BURST];
	const uint64_t most = t->left < MODEL_BURST ? t->left : MODEL_BURST;
	uint16_t n = bursts_take(&t->bursts, now_ns, (uint16_t)most, due_ns), at = 0;
	unsigned moved = 0;

	if (t->config->count != 0)
		t->left -= n;
	t->count.wire_packets += n;
	t->count.wire_bursts = t->bursts.sent;
	t->count.wire_late_ns = t->bursts.late_ns;
	if (++t->rx_first >= t->rx_count)
		t->rx_first = 0;
	for (unsigned i = 0; i < t->rx_count && at < n && !starved; i++) {
		struct ring *r = t->rx[(t->rx_first + i) % t->rx_count];
		unsigned rings = t->rx_count - i, part = (n - at + rings - 1) / rings;

		if (!gen_has_flows(&t->gen, t->m, (uint16_t)r->data_queue))
			continue;
		moved += burst_send(t, r, due_ns + at, (uint16_t)part);
		at = (uint16_t)(at + part);
	}
	t->count.rx_missed += n - at;
	/* The thread that moves frames takes naps after polls that return 0. */
	return moved > 0 || config_current.step ? moved : 1;
}

static unsigned
file_poll(struct traffic *t)
{
	const uint8_t *pkt;
	unsigned moved = 0;
	uint32_t len;

	while (moved < FILE_BURST && due(t) > 0 &&
		(pkt = pcap_reader_peek(t->reader, &len)) != NULL &&
		arrive(t, pkt, len) != ARRIVAL_WAITS) {
		pcap_reader_next(t->reader);
		took(t, 1);
		moved++;
	}
	return moved;
}

unsigned
source_poll(struct traffic *t, uint64_t now_ns)
{
	const bool rated = t->config->rate_pps != 0,
		   starved = faults_last(&t->faults, FAULT_STARVE);
	uint64_t lost = rated && t->config->burst_max == 0 ? earn(t, now_ns) : 0;
	unsigned moved = 0;

	if (t->reader != NULL)
		return file_poll(t);
	if (t->config->burst_max != 0)
		return bursts_poll(t, now_ns, starved);
	if (rated && starved) {
		lost += due(t);
		took(t, due(t));
	}
	t->count.rx_missed += lost;
	if (starved || t->rx_count == 0)
		return 0;
	if (++t->rx_first >= t->rx_count)
		t->rx_first = 0;
	for (unsigned i = 0; i < t->rx_count && due(t) > 0; i++)
		moved += ring_fill(t, t->rx[(t->rx_first + i) % t->rx_count]);
	return moved;
}

/* Give a packet of maximum length to a queue with room. Returns its frames; 0: no room. */
static uint16_t
jumbo_give(struct traffic *t)
{
	struct frame f[MODEL_BURST];
	struct order o = { .len = atomic_load(&t->m->frame_max) - TRAFFIC_TAG };

	o.tag = t->config->vlan != 0 && !atomic_load(&t->m->vlan_strip);
	for (unsigned i = 0; i < t->rx_count; i++) {
		struct ring *r = t->rx[i];
		uint16_t n = t->m->family->rx_peek(t->m, r, f, MODEL_BURST);
		int flow = n > 0 ? gen_next_flow(&t->gen, t->m, (uint16_t)r->data_queue) : -1;

		o.flow = (unsigned)flow;
		n = flow >= 0 ? packet_make(t, f, n, &o) : 0;
		if (n == 0)
			continue;
		arrive_give(t, r, f, n);
		return n;
	}
	return 0;
}

unsigned
source_faults(struct traffic *t)
{
	uint64_t *oversize = &t->faults.packets[FAULT_OVERSIZE],
		 *jumbo = &t->faults.packets[FAULT_JUMBO];
	unsigned moved = 0;
	uint16_t n;

	if (t->rx_count == 0 || faults_last(&t->faults, FAULT_STARVE))
		return 0;
	/* The card drops them before any filter applies, so it is enough to count them. */
	t->count.rx_oversize += *oversize;
	*oversize = 0;
	if (*jumbo != 0 && !atomic_load(&t->m->scattered)) {
		model_log(t->m, 0, "fault jumbo: no packet made: every packet fits in one buffer");
		*jumbo = 0;
	}
	while (*jumbo != 0 && moved < MODEL_BURST && (n = jumbo_give(t)) != 0) {
		--*jumbo;
		moved += n;
	}
	return moved;
}
