/* 16-byte vectors of GCC's vector extension, for any processor: SSE on x86, NEON on aarch64, VSX on
 * ppc64el. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_common.h>
#include <rte_vect.h>

#include <stdbool.h>
#include <stdint.h>

/* Two 64-bit words; +, |, ^ and [] work on them. Aligned to 16 bytes; may alias any type. */
typedef uint64_t simd128 __attribute__((vector_size(16), may_alias));

static __rte_always_inline simd128
simd_load(const void *from)
{
	return *(const simd128 *)from;
}

static __rte_always_inline void
simd_store(void *to, simd128 v)
{
	*(simd128 *)to = v;
}

/* Move the second word to the first and clear the second. */
static __rte_always_inline simd128
simd_second(simd128 v)
{
#ifdef __SSE2__
	return (simd128)_mm_srli_si128((__m128i)v, 8);
#else
	return (simd128){ v[1], 0 };
#endif
}

/* True if v has none of the mask's bits. */
static __rte_always_inline bool
simd_none(simd128 v, simd128 mask)
{
#ifdef __SSE4_1__
	return _mm_testz_si128((__m128i)v, (__m128i)mask) != 0;
#else
	v &= mask;
	return (v[0] | v[1]) == 0;
#endif
}
