/* Latency of packets from the wire of one modelled port to the wire of another: a stamp in each
 * packet, and a histogram of times. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/report.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <string.h>

#define MAGIC 0x7374616du

/* After the UDP header, in host byte order. */
struct stamp {
	uint32_t magic, port;
	uint64_t due_ns;
};

/* Where the stamp of a packet of len bytes is, with or without a tag; NULL: there is no room. */
static uint8_t *
stamp_at(const uint8_t *pkt, uint32_t len)
{
	uint32_t at = GEN_HEADERS;

	if (len >= at && pkt[12] == 0x81 && pkt[13] == 0)
		at += TRAFFIC_TAG;
	return len >= at + sizeof(struct stamp) ? (uint8_t *)(uintptr_t)pkt + at : NULL;
}

void
latency_stamp(uint8_t *pkt, uint32_t len, unsigned port, uint64_t due_ns)
{
	const struct stamp stamp = { MAGIC, port, due_ns };
	uint8_t *at = stamp_at(pkt, len);

	if (at != NULL)
		memcpy(at, &stamp, sizeof(stamp));
}

bool
latency_stamp_read(const uint8_t *pkt, uint32_t len, unsigned *port, uint64_t *due_ns)
{
	const uint8_t *at = stamp_at(pkt, len);
	struct stamp stamp;

	if (at == NULL)
		return false;
	memcpy(&stamp, at, sizeof(stamp));
	*port = stamp.port;
	*due_ns = stamp.due_ns;
	return stamp.magic == MAGIC;
}

/*
 * Cells: one per ns below CELLS_EVEN, then CELLS_OCTAVE for each doubling, so that a cell is at
 * most 1/64 of its times wide.
 */
enum { OCTAVE_BITS = 6, CELLS_OCTAVE = 1 << OCTAVE_BITS, CELLS_EVEN = 2 * CELLS_OCTAVE };

static unsigned
cell_of(uint64_t ns)
{
	unsigned shift = ns < CELLS_EVEN ? 0 : 63u - OCTAVE_BITS - (unsigned)__builtin_clzll(ns);
	uint64_t cell = shift * CELLS_OCTAVE + (ns >> shift);

	return cell < LATENCY_CELLS ? (unsigned)cell : LATENCY_CELLS - 1;
}

/* The longest time of a cell. */
static uint64_t
cell_end(unsigned cell)
{
	unsigned shift = cell < CELLS_EVEN ? 0 : cell / CELLS_OCTAVE - 1;

	return (((uint64_t)(cell - shift * CELLS_OCTAVE) + 1) << shift) - 1;
}

void
latency_add(struct latency *l, uint64_t ns)
{
	l->cell[cell_of(ns)]++;
}

void
latency_report(const struct latency *l, const struct latency *base, struct model_nic_report *r)
{
	/* Shares in units of 1/1000 of the packets, ascending. */
	const struct {
		uint64_t share, *to;
	} rows[] = { { 500, &r->latency_p50_ns }, { 990, &r->latency_p99_ns },
		{ 999, &r->latency_p999_ns }, { 1000, &r->latency_max_ns } };
	uint64_t packets = 0, below = 0;
	unsigned row = 0;

	for (unsigned i = 0; i < LATENCY_CELLS; i++)
		packets += l->cell[i] - base->cell[i];
	r->latency_packets = packets;
	for (unsigned i = 0; i < LATENCY_CELLS && packets > 0; i++) {
		below += l->cell[i] - base->cell[i];
		while (row < 4 && below * 1000 >= packets * rows[row].share)
			*rows[row++].to = cell_end(i);
	}
}
