/* What a shim believes of a driver's queue, compared with what the driver's own headers say: place by place. */
#pragma once

#include <rte_version.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct layout_place {
	const char *name;     /* the driver's */
	size_t field, offset; /* of the row, which has the place in 16 bits; of the queue */
};

/*
 * In the row of rte_version(), which is the first member of each: each place is the driver's, and no 16 bits of the row between first and last
 * are compared with nothing.
 */
static inline void
layout_check(const void *rows, size_t n, size_t row_size, const struct layout_place *places,
	size_t n_places, size_t first, size_t last)
{
	unsigned char seen[128] = { 0 };
	const char *row = rows;
	const char *version;

	for (;; row += row_size, n--) {
		assert_true(n > 0);
		memcpy(&version, row, sizeof(version));
		if (strcmp(version, rte_version()) == 0)
			break;
	}
	for (size_t i = 0; i < n_places; i++) {
		uint16_t believed;

		memcpy(&believed, row + places[i].field, sizeof(believed));
		if (believed != places[i].offset)
			fail_msg("%s: believed at %u, is at %zu", places[i].name, believed,
				places[i].offset);
		seen[places[i].field] = 1;
	}
	for (size_t at = first; at <= last; at += sizeof(uint16_t))
		if (!seen[at])
			fail_msg("byte %zu of the table is compared with nothing", at);
}
