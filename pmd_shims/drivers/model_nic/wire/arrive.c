/* Writes packets into the buffers that the driver has armed, in the queue chosen by RSS. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/owner.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <string.h>

uint16_t
arrive_spread(struct frame *f, uint16_t n, const uint8_t *pkt, uint32_t len, unsigned flags)
{
	uint32_t room = 0;
	uint16_t used = 0;

	for (uint16_t i = 0; i < n && room < len; i++)
		room += f[i].len;
	if (room < len || len == 0)
		return 0;
	while (len > 0) {
		struct frame *now = &f[used++];
		uint32_t part = len < now->len ? len : now->len;

		memcpy(now->data, pkt, part);
		*now = (struct frame){ .data = now->data, .len = part, .flags = (uint16_t)flags };
		pkt += part;
		len -= part;
	}
	f[used - 1].flags |= FRAME_EOP;
	return used;
}

/* Apply the fault "error" to the descriptors of the next packets. */
static void
errors_mark(struct traffic *t, struct frame *f, uint16_t n)
{
	uint64_t *left = &t->faults.packets[FAULT_ERROR];

	for (uint16_t i = 0; i<n && * left> 0; i++) {
		if ((f[i].flags & (FRAME_EOP | FRAME_ERROR)) != FRAME_EOP)
			continue;
		f[i].flags |= FRAME_ERROR;
		t->count.rx_errors++;
		--*left;
	}
}

void
arrive_give(struct traffic *t, struct ring *r, struct frame *f, uint16_t n)
{
	uint64_t bytes = 0, packets = 0;

	if (n == 0)
		return;
	if (t->config->verify) {
		/* Some of these buffers may have been armed since the poll began. */
		owner_scan(t->m, &t->count);
		for (uint16_t i = 0; i < n; i++)
			owner_received(f[i].data);
	}
	if (t->faults.packets[FAULT_ERROR] != 0)
		errors_mark(t, f, n);
	for (uint16_t i = 0; i < n; i++) {
		bytes += f[i].len;
		packets += f[i].flags & FRAME_EOP;
	}
	t->count.rx_bytes += bytes;
	t->count.rx_packets += packets;
	t->m->family->rx_give(t->m, r, f, n);
}

/*
 * Move the tags that the driver wants to be stripped into the descriptor: the one of EtherType 0x8100
 * that comes first, and an outer one before it. Returns their bytes, which follow the MAC addresses.
 */
static uint32_t
tags_strip(const struct traffic *t, const uint8_t *pkt, uint32_t len, struct frame *last)
{
	enum { TYPE = 12, BYTES_MIN = TYPE + TRAFFIC_TAG + 2, VLAN = 0x8100 };
	const unsigned outer = atomic_load_explicit(&t->m->outer_strip, memory_order_relaxed);
	uint32_t bytes = 0;

	if (!atomic_load_explicit(&t->m->vlan_strip, memory_order_relaxed))
		return 0;
	for (unsigned tag = 0; tag < 2 && len >= BYTES_MIN + bytes; tag++) {
		const uint8_t *at = pkt + TYPE + bytes;
		const unsigned type = (unsigned)at[0] << 8 | at[1];
		const uint16_t vlan = (uint16_t)(at[2] << 8 | at[3]);

		if (bytes == 0 && (type == VLAN || (outer != 0 && type == outer))) {
			last->vlan = vlan;
			last->flags |= FRAME_VLAN;
		} else if (bytes != 0 && type == VLAN) {
			last->vlan_inner = vlan;
			last->flags |= FRAME_VLAN_INNER;
		} else {
			break;
		}
		bytes += TRAFFIC_TAG;
		if (type != outer)
			break;
	}
	return bytes;
}

enum arrival
arrive(struct traffic *t, const uint8_t *pkt, uint32_t len)
{
	struct frame f[MODEL_BURST], last = { 0 };
	struct model *m = t->m;
	struct ring *r;
	uint32_t hash = 0, wanted, tags;
	uint16_t n, used, queue;

	if (len > atomic_load_explicit(&m->frame_max, memory_order_relaxed)) {
		t->count.rx_oversize++;
		return ARRIVAL_LONG;
	}
	if (t->filtered && !m->family->accepts(m, pkt, len)) {
		t->count.rx_filtered++;
		return ARRIVAL_GIVEN;
	}
	queue = m->family->rss != NULL ? m->family->rss(m, pkt, len, &hash) : 0;
	if (queue == MODEL_QUEUE_DROP) {
		t->count.rx_filtered++;
		return ARRIVAL_GIVEN;
	}
	r = t->rx_of[queue];
	if (r == NULL || faults_last(&t->faults, FAULT_STARVE))
		return ARRIVAL_WAITS;
	wanted = len / r->buf_len + 2;
	n = m->family->rx_peek(m, r, f, (uint16_t)(wanted < MODEL_BURST ? wanted : MODEL_BURST));
	last.flags = (uint16_t)offload_inspect(pkt, len,
		atomic_load_explicit(&m->rx_csum, memory_order_relaxed));
	last.flags |= hash != 0 ? FRAME_RSS : 0;
	if (m->family->arrived != NULL && n > 0)
		last.flags |= m->family->arrived(m, pkt, len);
	tags = tags_strip(t, pkt, len, &last);
	used = arrive_spread(f, n, pkt + tags, len - tags, last.flags);
	if (used != 0 && tags != 0)
		memcpy(f[0].data, pkt, 12);
	if (used == 0)
		return ARRIVAL_WAITS;
	f[used - 1].rss = hash;
	f[used - 1].vlan = last.vlan;
	f[used - 1].vlan_inner = last.vlan_inner;
	arrive_give(t, r, f, used);
	return ARRIVAL_GIVEN;
}

void
arrive_by_wire(struct traffic *t, const uint8_t *pkt, uint32_t len)
{
	if (arrive(t, pkt, len) == ARRIVAL_WAITS)
		t->count.rx_missed++;
}
