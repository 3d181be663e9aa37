/* Counters of the XL710: free-running registers, computed from rings and report when the driver
 * reads them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

#include <string.h>

/*
 * All counters show the same moment until one of them is read a second time. Reading does not clear
 * them, so nothing is lost.
 */
static const struct {
	uint32_t offset;
	uint16_t field; /* offset in shown */
} counters[] = {
#define FIELD(name) offsetof(struct totals, name)
	{ 0x358000 + 8 * XL710_COUNTER, FIELD(rx_bytes) }, /* GLV_GORC */
	{ 0x36c000 + 8 * XL710_COUNTER, FIELD(rx) },       /* GLV_UPRC */
	{ 0x328000 + 8 * XL710_COUNTER, FIELD(tx_bytes) }, /* GLV_GOTC */
	{ 0x33c000 + 8 * XL710_COUNTER, FIELD(tx) },       /* GLV_UPTC */
	{ 0x300000, FIELD(rx_bytes) },                     /* GLPRT_... */
	{ 0x300080, FIELD(errors) },                       /* CRC */
	{ 0x300120, FIELD(oversize) },
	{ 0x300480, FIELD(rx_sizes[0]) },
	{ 0x3004a0, FIELD(rx_sizes[1]) },
	{ 0x3004c0, FIELD(rx_sizes[2]) },
	{ 0x3004e0, FIELD(rx_sizes[3]) },
	{ 0x300500, FIELD(rx_sizes[4]) },
	{ 0x300520, FIELD(rx_sizes[5]) },
	{ 0x300540, FIELD(rx_sizes[6]) },
	{ 0x3005a0, FIELD(rx) },
	{ 0x300600, FIELD(missed) },
	{ 0x300680, FIELD(tx_bytes) },
	{ 0x3006a0, FIELD(tx_sizes[0]) },
	{ 0x3006c0, FIELD(tx_sizes[1]) },
	{ 0x3006e0, FIELD(tx_sizes[2]) },
	{ 0x300700, FIELD(tx_sizes[3]) },
	{ 0x300720, FIELD(tx_sizes[4]) },
	{ 0x300740, FIELD(tx_sizes[5]) },
	{ 0x300760, FIELD(tx_sizes[6]) },
	{ 0x3009c0, FIELD(tx) },
#undef FIELD
};

enum { COUNTERS = sizeof(counters) / sizeof(counters[0]) };

/* Update the totals that the registers show; their bytes include the CRC. */
static void
show(struct model *m)
{
	struct xl710 *s = xl710_state(m);

	counts_total(m, &s->counts, &s->shown);
	s->shown.rx_bytes += CRC_BYTES * s->shown.rx;
	s->shown.tx_bytes += CRC_BYTES * s->shown.tx;
	s->fresh = (UINT64_C(1) << COUNTERS) - 1;
}

void
xl710_counter_read(struct model *m, uint32_t offset)
{
	const uint64_t low = UINT32_MAX, high = 0xffff;
	struct xl710 *s = xl710_state(m);
	uint64_t value;

	for (unsigned i = 0; i < COUNTERS; i++) {
		if (counters[i].offset != offset)
			continue;
		if ((s->fresh >> i & 1) == 0)
			show(m);
		s->fresh &= ~(UINT64_C(1) << i);
		memcpy(&value, (const uint8_t *)&s->shown + counters[i].field, sizeof(value));
		model_reg_set(m, offset, (uint32_t)(value & low));
		model_reg_set(m, offset + 4, (uint32_t)(value >> 32 & high));
	}
}
