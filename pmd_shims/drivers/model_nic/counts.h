/* A port's counters in addition to those of its rings: classes of length, errors. On the path of
 * every frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/ring.h"

enum { SIZES = 7 }; /* number of classes of frame length */

/* Counters of a port. Written by the thread that moves frames; the last line by counts_total(). */
struct counts {
	uint8_t size_lane[256]; /* see size_lane() */
	uint64_t rx_sizes[SIZES], tx_sizes[SIZES], rx_errors;
	/* Totals of two counts of the report, and their last values: the report can be reset. */
	uint64_t missed, missed_seen, oversize, oversize_seen;
};

/* All counts of a port so far. Bytes without CRC. */
struct totals {
	uint64_t rx, rx_bytes, tx, tx_bytes, missed, oversize, errors;
	uint64_t rx_sizes[SIZES], tx_sizes[SIZES];
};

/* Fill *t from rings, counters and report. Thread: the driver's, under trap_lock(). */
void counts_total(struct model *m, struct counts *c, struct totals *t);

/* Fill c->size_lane. */
void counts_lanes_make(struct counts *c);

/*
 * Bit position of a length class in a sum of 8-bit lanes; len is without CRC. Classes with CRC: 64,
 * 65-127, 128-255, ... 512-1023, 1024-1522, longer. All limits except two are multiples of 64,
 * which the table has.
 */
static inline unsigned
size_lane(const uint8_t *lanes, uint32_t len)
{
	uint32_t bytes = len + CRC_BYTES;

	return lanes[bytes / 64 & 255] - (bytes == 64 ? 8u : 0u) + (bytes - 1523 < 13 ? 8u : 0u);
}

static inline void
sizes_add(uint64_t *sizes, uint64_t lanes)
{
	for (unsigned i = 0; i < SIZES; i++)
		sizes[i] += lanes >> 8 * i & 0xff;
}

/* Count a packet as sent on the wire: with TSO as several, each with the headers; with its tag. */
static inline void
packet_count(struct ring *r, const struct frame *f, uint32_t bytes, struct counts *c)
{
	uint32_t headers = (uint32_t)f->l2_len + f->l3_len + f->l4_len;
	uint32_t tag = (f->flags & FRAME_VLAN) != 0 ? 4 : 0, left, part;

	if (f->mss == 0 || bytes <= headers)
		headers = 0;
	for (left = bytes - headers; left > 0; left -= part) {
		part = headers > 0 && left > f->mss ? f->mss : left;
		r->packets++;
		r->bytes += headers + part + tag;
		c->tx_sizes[size_lane(c->size_lane, headers + part + tag) / 8]++;
	}
}
