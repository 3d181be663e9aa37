/* Bursts on the wire: when each packet is due. Packets of a burst follow each other at the line's
 * rate, and gaps between bursts make the mean rate. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

/* Times are in units of 2^-12 ns, so that rounding changes no rate by more than 10^-4. */
enum { FRACTION = 12, LATE_NS = 10 * 1000 };

/* The generator splitmix64. */
static uint64_t
random_next(struct bursts *b)
{
	uint64_t z = b->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/*
 * Return -ln((u + 1) / 2^32) in units of 2^-16: exponentially distributed with mean 1 for a uniform
 * u. In integers, so that a seed gives the same gaps on every machine.
 */
static uint64_t
exponential(uint32_t u)
{
	const uint64_t ln2 = UINT64_C(0xb17217f7); /* in units of 2^-32 */
	uint64_t x = (uint64_t)u + 1, bits = 0;

	if (x >> 32 != 0)
		return 0;
	for (unsigned i = 0; i < 31 && x >> 31 == 0; i++, bits++)
		x <<= 1;
	/* log2(u + 1) = 31 - bits + log2(x / 2^31): square x for each binary digit of the latter */
	bits = (bits + 1) << 20;
	for (uint64_t digit = 1 << 19; digit != 0; digit >>= 1) {
		x = x * x >> 31;
		if (x >> 32 != 0) {
			x >>= 1;
			bits -= digit;
		}
	}
	return bits * ln2 >> 36;
}

static uint64_t
gap_random(struct bursts *b)
{
	uint64_t factor = exponential((uint32_t)(random_next(b) >> 32));

	return (b->gap >> 16) * factor + ((b->gap & 0xffff) * factor >> 16);
}

static void
burst_begin(struct bursts *b)
{
	const struct port_config *c = b->config;
	const uint32_t sizes = c->burst_max - c->burst_min + 1;

	b->left = c->burst_min + (sizes > 1 ? (uint32_t)(random_next(b) % sizes) : 0);
}

void
bursts_open(struct bursts *b, const struct port_config *c, unsigned port)
{
	const uint64_t second = UINT64_C(1000000000) << FRACTION;
	const uint64_t twice = c->burst_min + (uint64_t)c->burst_max; /* the mean size */

	*b = (struct bursts){ .config = c, .random = (uint64_t)c->seed << 32 | port };
	b->packet = second / c->line_pps;
	b->gap = (twice * (second / c->rate_pps) - twice * b->packet) / 2;
	burst_begin(b);
}

void
bursts_rest(struct bursts *b)
{
	b->runs = false;
}

uint16_t
bursts_take(struct bursts *b, uint64_t now_ns, uint16_t max, uint64_t *due_ns)
{
	uint64_t now;
	uint16_t n = 0;

	if (!b->runs) {
		b->begin_ns = now_ns - (b->due >> FRACTION);
		b->runs = true;
	}
	now = (now_ns - b->begin_ns) << FRACTION;
	if (now > b->due && (now - b->due) >> FRACTION > LATE_NS) {
		uint64_t late_ns = (now - b->due) >> FRACTION;

		b->begin_ns += late_ns;
		b->late_ns += late_ns;
		now -= late_ns << FRACTION;
	}
	for (; n < max && b->due <= now; n++) {
		due_ns[n] = b->begin_ns + (b->due >> FRACTION);
		b->due += b->packet;
		if (--b->left > 0)
			continue;
		b->due += b->config->gap_random ? gap_random(b) : b->gap;
		b->sent++;
		burst_begin(b);
	}
	return n;
}
