/* Reads the ranges of values of a description: addresses, numbers, MAC addresses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/measure/traffic_form.h"

/* Store a number in the last bytes of a value. Thread: control, for all of this file. */
void traffic_range_put(uint8_t value[16], uint64_t n);

/* Read a decimal number min..max; false: text is none. */
bool traffic_range_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* Read an address into a value; false: text is none. */
bool traffic_range_address(const char *text, uint8_t value[16], bool *ip6);

/*
 * Read ADDRESS, ADDRESS/PREFIX or LOW-HIGH; N or N-M, each 0..max; MAC or LOW-HIGH. text is changed.
 * Return false if it is none, or has TRAFFIC_COUNT_MAX values or more.
 */
bool traffic_range_addresses(char *text, uint64_t max, struct traffic_range *r);
bool traffic_range_numbers(char *text, uint64_t max, struct traffic_range *r);
bool traffic_range_macs(char *text, uint64_t max, struct traffic_range *r);
