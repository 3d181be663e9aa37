/* One's complement sum and CRC32c of a packet's bytes over all segments, eight bytes at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/csum_sum.h"

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_hash_crc.h>

#include <string.h>

/* Add with end-around carry; sums are 64 bits wide until fold(). */
static inline uint64_t
add(uint64_t a, uint64_t b)
{
	a += b;
	return a + (a < b);
}

/* Fold to 16 bits: adding the swapped halves leaves their sum with carry in the upper half. */
static inline uint16_t
fold(uint64_t sum)
{
	uint32_t half;

	sum += sum << 32 | sum >> 32;
	half = sum >> 32;
	half += half << 16 | half >> 16;
	return half >> 16;
}

static inline uint64_t
word64(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static inline uint16_t
sum_bytes(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t word;
	uint16_t half;

	for (; n >= 32; n -= 32, p += 32)
		sum = add(add(add(add(sum, word64(p)), word64(p + 8)), word64(p + 16)),
			word64(p + 24));
	for (; n >= 8; n -= 8, p += 8)
		sum = add(sum, word64(p));
	if ((n & 4) != 0) {
		memcpy(&word, p, sizeof(word));
		sum = add(sum, word);
		p += sizeof(word);
	}
	if ((n & 2) != 0) {
		memcpy(&half, p, sizeof(half));
		sum = add(sum, half);
		p += sizeof(half);
	}
	if ((n & 1) != 0) {
		half = 0;
		memcpy(&half, p, 1);
		sum = add(sum, half);
	}
	return fold(sum);
}

/* The part of n bytes at *off that is in segment m; then sets *off for the next segment. */
static const uint8_t *
part_of(const struct rte_mbuf *m, uint32_t *off, uint32_t n, uint32_t *bytes)
{
	uint32_t skip = RTE_MIN(*off, m->data_len);

	*off -= skip;
	*bytes = RTE_MIN(n, m->data_len - skip);
	return rte_pktmbuf_mtod(m, const uint8_t *) + skip;
}

uint16_t
csum_sum(const struct rte_mbuf *m, uint32_t off, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t bytes;

	if (likely(off + n <= m->data_len))
		return sum_bytes(rte_pktmbuf_mtod_offset(m, const uint8_t *, off), n);
	for (uint32_t done = 0; done < n; done += bytes, m = m->next) {
		const uint8_t *p = part_of(m, &off, n - done, &bytes);
		uint16_t part = sum_bytes(p, bytes);

		/* In a part at an odd offset high and low bytes are swapped. */
		sum += (done & 1) != 0 ? rte_bswap16(part) : part;
	}
	return fold(sum);
}

uint32_t
csum_sum_crc32c(const struct rte_mbuf *m, uint32_t off, uint32_t n)
{
	uint32_t crc = UINT32_MAX, bytes;

	for (; n > 0; m = m->next) {
		const uint8_t *p = part_of(m, &off, n, &bytes);

		n -= bytes;
		for (; bytes >= 8; bytes -= 8, p += 8)
			crc = rte_hash_crc_8byte(word64(p), crc);
		for (; bytes > 0; bytes--, p++)
			crc = rte_hash_crc_1byte(*p, crc);
	}
	return ~crc;
}
