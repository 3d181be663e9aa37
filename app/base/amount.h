/* Parse an amount that a user writes: a decimal number and its unit ("10", "0.5s",
 * "1000packets"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;

/*
 * Split word into a decimal number, with or without a fraction, and its unit ("" if there is none).
 * Signs, exponents and 0x are not accepted. Returns false if word does not begin with a number.
 */
bool amount_read(const char *word, double *number, const char **unit);

/*
 * Split word as amount_read() does, and check that it is a duration or a packet count: above 0, at
 * most 1e15, unit "", "s", "ms" or "packets". EINVAL: not an amount; ERANGE: out of bounds.
 */
int amount_check(const char *word, double *number, const char **unit, struct err *e);
