/* An amount as users write it, a decimal number and its unit: "10", "0.5s", "1000packets". */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;

/*
 * Split word into a number, digits with or without a fraction, and what follows, "" when nothing
 * does. Neither signs nor exponents nor 0x. False when word begins with no such number.
 */
bool amount_read(const char *word, double *number, const char **unit);

/*
 * The same for a length of time or of traffic: above 0 and at most 1e15, its unit "", "s", "ms" or
 * "packets". EINVAL, ERANGE.
 */
int amount_check(const char *word, double *number, const char **unit, struct err *e);
