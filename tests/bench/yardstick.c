/* Independent additions: as many at a time as the core has units, unless a neighbour uses some. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/yardstick.h"

#include <rte_cycles.h>

#include <stdint.h>

enum { TURNS = 1000, ADDITIONS = 8 };

double
yardstick(void)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, begin;

	begin = rte_rdtsc_precise();
	for (unsigned int i = 0; i < TURNS; i++) {
		a++, b++, c++, d++, e++, f++, g++, h++;
		/* Or the compiler does all of them at once. */
		__asm__ volatile(""
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g),
				 "+r"(h));
	}
	return (double)(rte_rdtsc_precise() - begin) / (TURNS * ADDITIONS);
}
