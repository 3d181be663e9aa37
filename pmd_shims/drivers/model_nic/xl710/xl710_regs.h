/* Registers of the XL710 that more than one file uses: offsets in the BAR. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	XL710_INT_CONTROL = 0x38480, /* PFINT_DYN_CTL0 */
	XL710_INT_CAUSE = 0x38780,   /* PFINT_ICR0 */
	XL710_RX_CAUSE = 0x3a000,    /* QINT_RQCTL */
	XL710_ATQ_LOW = 0x80000,
	XL710_ATQ_HIGH = 0x80100,
	XL710_ATQ_LEN = 0x80200,
	XL710_ATQ_HEAD = 0x80300,
	XL710_ATQ_TAIL = 0x80400,
	XL710_ARQ_LOW = 0x80080,
	XL710_ARQ_HIGH = 0x80180,
	XL710_ARQ_LEN = 0x80280,
	XL710_ARQ_HEAD = 0x80380,
	XL710_ARQ_TAIL = 0x80480,
	XL710_TX_ENABLE = 0x100000,
	XL710_TX_TAIL = 0x108000,
	XL710_RX_ENABLE = 0x120000,
	XL710_RX_TAIL = 0x128000,
	XL710_HLUT = 0x240000,
	XL710_HKEY = 0x244800,
	XL710_HENA = 0x245900,
	XL710_ARRAY = 128, /* bytes between the registers of HLUT, HKEY, HENA */
	XL710_HLUT_WORDS = 128,
	XL710_HKEY_WORDS = 13,
	XL710_FILTER_CONTROL = 0x1c0ac0, /* PFQF_CTL_0 */
	XL710_HASH_INPUT = 0x267600,     /* GLQF_HASH_INSET: two words for each packet class */
	XL710_STATISTICS = 0x300000,
	XL710_STATISTICS_END = 0x380000,
};

/* True if offset is one of n registers from first on, step bytes apart. */
static inline bool
xl710_among(uint32_t offset, uint32_t first, uint32_t n, uint32_t step)
{
	return offset >= first && offset < first + n * step && (offset - first) % step == 0;
}
