/* Reads the values of a field: addresses, numbers, MAC addresses, as ranges, steps and lists. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/measure/traffic/traffic_form.h"

enum traffic_range_kind { TRAFFIC_ADDRESSES, TRAFFIC_NUMBERS, TRAFFIC_MACS, TRAFFIC_BITS };

/* Store a number in the last bytes of a value. Thread: control, for all of this file. */
void traffic_range_put(uint8_t value[16], uint64_t n);

/* Read a decimal number min..max; false: text is none. */
bool traffic_range_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* Read an address into a value; false: text is none. */
bool traffic_range_address(const char *text, uint8_t value[16], bool *ip6);

/*
 * Read VALUE, LOW-HIGH, VALUE,VALUE,..., START+STEP*N or START-STEP*N, of addresses also ADDRESS/PREFIX;
 * text is changed. max: of numbers. TRAFFIC_BITS: a number, an address or a MAC address of up to max
 * bits, and steps go on at the other end of that range. The values of a list are added to t. Returns
 * false if text is none of these, has TRAFFIC_COUNT_MAX values or more, or t has no place left.
 */
bool traffic_range_read(struct traffic *t, char *text, enum traffic_range_kind kind, uint64_t max,
	struct traffic_range *r);

/* Return whether a list has a value twice. */
bool traffic_range_repeats(const struct traffic *t, const struct traffic_range *r);

/* Store value number i of a range. */
void traffic_range_value(const struct traffic *t, const struct traffic_range *r, uint64_t i,
	uint8_t value[16]);
