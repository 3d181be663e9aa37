/* The probe: the last bytes of each generated packet, which identify it, say when it was due, and
 * show damage. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout, little endian:
 *   0  balance  16 bits: makes the sum of payload and probe zero, so that the checksum of TCP, UDP
 *               or ICMP does not depend on either
 *   2  check    16 bits of the CRC-32C of flow, mark and sequence, and 16 bits of that of due
 *   4  flow     20 bits: number of the flow among those of all ports
 *      mark     12 bits: of the run, so that packets of an earlier one are foreign
 *   8  sequence 32 bits: number of the packet within its flow
 *   12 due      48 bits: TSC when the packet was due
 *
 * A key of the run, which is not in the packet, begins the CRC: packets of another process do not
 * agree with it.
 *
 * The payload before the probe consists of one 64-bit word, which differs between packets, as often
 * as it fits; the rest, before it, is zero. The probe is at the end, so that a device may add or
 * remove tags and tunnels.
 */
#pragma once

#include <rte_atomic.h>
#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_hash_crc.h>
#include <rte_vect.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PROBE_BYTES 18
#define PROBE_FLOW_BITS 20
#define PROBE_FLOWS_MAX (UINT32_C(1) << PROBE_FLOW_BITS)
#define PROBE_MARKS (1 << (32 - PROBE_FLOW_BITS))
#define PROBE_DUE_MASK ((UINT64_C(1) << 48) - 1)

/* The fields of a probe that its sender chooses. */
struct probe {
	uint32_t flow;
	uint32_t mark; /* 1..4095 */
	uint32_t sequence;
	uint64_t due; /* TSC, 48 bits */
};

enum probe_verdict { PROBE_INTACT, PROBE_FOREIGN, PROBE_DAMAGED };

/* Flow, mark and sequence number as one word. */
static inline uint64_t
probe_word(const struct probe *p)
{
	return (uint64_t)p->sequence << 32 | p->mark << PROBE_FLOW_BITS | p->flow;
}

/* The word that the payload consists of. */
static inline uint64_t
probe_fill(uint64_t word)
{
	return word * UINT64_C(0x9e3779b97f4a7c15);
}

/* CRC-32C of a word. */
static __rte_always_inline uint32_t
probe_crc(uint32_t key, uint64_t word)
{
#ifdef __SSE4_2__
	/* As below, without a choice of the instruction at run time. */
	return (uint32_t)_mm_crc32_u64(key, word);
#else
	return rte_hash_crc_8byte(word, key);
#endif
}

/* The upper half for one of them, so that equal changes of both do not cancel each other. */
static __rte_always_inline uint16_t
probe_check(uint32_t key, uint64_t word, uint64_t due)
{
	return (uint16_t)(probe_crc(key, word) ^ probe_crc(key, due) >> 16);
}

/* Add the four 16-bit numbers of a word to a sum, for probe_fold(). */
static inline uint64_t
probe_sum(uint64_t sum, uint64_t word)
{
	return sum + (uint32_t)word + (word >> 32);
}

/* Reduce a sum to 16 bits in ones' complement. */
static inline uint16_t
probe_fold(uint64_t sum)
{
	uint32_t half;

	sum = (uint32_t)sum + (sum >> 32);
	half = (uint32_t)sum + (uint32_t)(sum >> 32);
	/* Both halves plus the carry of the lower one are in the upper 16 bits. */
	return (uint16_t)((half + (half << 16 | half >> 16)) >> 16);
}

/* words: how often the payload has the word fill. */
static inline uint16_t
probe_balance(uint64_t word, uint64_t due, uint16_t check, uint64_t fill, unsigned int words)
{
	/* In this order, because due is often the same for a burst. */
	uint64_t sum = probe_sum(0, due);

	sum += (uint64_t)words * (uint32_t)fill + (uint64_t)words * (fill >> 32);
	return (uint16_t)~probe_fold(probe_sum(sum, word) + check);
}

/*
 * Write payload and probe of a packet to at[0..bytes). bytes: PROBE_BYTES or more. Thread: any.
 */
static __rte_always_inline void
probe_write(uint8_t *at, unsigned int bytes, const struct probe *p, uint32_t key)
{
	const unsigned int payload = bytes - PROBE_BYTES, words = payload / 8;
	const uint64_t word = probe_word(p), fill = probe_fill(word), due = p->due & PROBE_DUE_MASK;
	const uint16_t check = probe_check(key, word, due),
		       balance = probe_balance(word, due, check, fill, words),
		       due_end = (uint16_t)(due >> 32);
	const uint64_t first = balance | (uint64_t)check << 16 | word << 32,
		       second = word >> 32 | due << 32;

	if (unlikely(payload > 0)) {
		memset(at, 0, payload % 8);
		at += payload % 8;
		for (unsigned int i = 0; i < words; i++, at += 8)
			memcpy(at, &fill, 8);
	}
	memcpy(at, &first, 8);
	memcpy(at + 8, &second, 8);
	memcpy(at + 16, &due_end, 2);
}

/* What the probes of packets that are due at the same time have in common. */
struct probe_due {
	uint64_t due; /* 48 bits */
	uint32_t sum; /* of due, 16 bits */
	uint16_t check;
};

static __rte_always_inline struct probe_due
probe_due(uint64_t due, uint32_t key)
{
	const uint64_t stamp = due & PROBE_DUE_MASK;

	return (struct probe_due){ stamp, probe_fold(probe_sum(0, stamp)),
		(uint16_t)(probe_crc(key, stamp) >> 16) };
}

/* Add in ones' complement. */
static inline uint32_t
probe_add(uint32_t a, uint32_t b)
{
	const uint32_t sum = a + b;

	return sum + (sum < a);
}

/*
 * As probe_write() for a probe without payload, in fewer instructions. word: from probe_word().
 * Thread: any.
 */
static __rte_always_inline void
probe_write_alone(uint8_t *at, uint64_t word, const struct probe_due *d, uint32_t key)
{
	const uint16_t check = (uint16_t)probe_crc(key, word) ^ d->check,
		       due_end = (uint16_t)(d->due >> 32);
	const uint32_t half =
		probe_add(probe_add((uint32_t)word, (uint32_t)(word >> 32)), d->sum + check);
	const uint16_t balance = (uint16_t) ~((half + (half << 16 | half >> 16)) >> 16);
	const uint64_t first = balance | (uint64_t)check << 16 | word << 32,
		       second = word >> 32 | d->due << 32;

	memcpy(at, &first, 8);
	/* The compiler would merge the two in a vector register, which takes longer. */
	rte_compiler_barrier();
	memcpy(at + 8, &second, 8);
	memcpy(at + 16, &due_end, 2);
}

/* Read the fields at a probe without checking them. Returns balance and check. */
static __rte_always_inline uint32_t
probe_read(const uint8_t *at, struct probe *p)
{
	uint64_t first, second;
	uint16_t due_end;

	memcpy(&first, at, 8);
	memcpy(&second, at + 8, 8);
	memcpy(&due_end, at + 16, 2);
	p->flow = (uint32_t)(first >> 32) & (PROBE_FLOWS_MAX - 1);
	p->mark = (uint32_t)(first >> 32) >> PROBE_FLOW_BITS;
	p->sequence = (uint32_t)second;
	p->due = second >> 32 | (uint64_t)due_end << 32;
	return (uint32_t)first;
}

/* Return whether the fields agree with each other and the key. sums: from probe_read(). */
static __rte_always_inline bool
probe_agrees(const struct probe *p, uint32_t key, uint32_t sums)
{
	return probe_check(key, probe_word(p), p->due) == sums >> 16;
}

/*
 * Return whether at[0..bytes), payload and probe, is what probe_write() wrote. p, sums: from
 * probe_read().
 */
static __rte_always_inline bool
probe_intact(const uint8_t *at, unsigned int bytes, const struct probe *p, uint32_t sums)
{
	const unsigned int payload = bytes - PROBE_BYTES, words = payload / 8;
	const uint64_t word = probe_word(p), fill = probe_fill(word);
	uint64_t wrong = 0, have = 0;

	for (unsigned int i = 0; i < payload % 8; i++)
		wrong |= *at++;
	for (unsigned int i = 0; i < words; i++, at += 8) {
		memcpy(&have, at, 8);
		wrong |= have ^ fill;
	}
	return wrong == 0 &&
		probe_balance(word, p->due, (uint16_t)(sums >> 16), fill, words) == (uint16_t)sums;
}
