/* Parse lists of numbers and ranges, "0,2-4", in options and settings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;

/*
 * Read value into list[0..max), *n of them, in its order. what: the option or setting, for the
 * error. EINVAL, E2BIG.
 */
int numbers_parse(const char *what, const char *value, uint16_t *list, unsigned int max,
	unsigned int *n, struct err *e);
