/* Parse lists of numbers and ranges, "0,2-4", in options and settings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;

/*
 * Parse value into list[0..max) and store the count in *n; the order is kept. what: name of the
 * option or setting, for the error. EINVAL: not a list; E2BIG: more than max numbers.
 */
int numbers_parse(const char *what, const char *value, uint16_t *list, unsigned int max,
	unsigned int *n, struct err *e);
