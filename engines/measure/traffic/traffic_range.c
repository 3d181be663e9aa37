/* Reads the values of a field: addresses, numbers, MAC addresses, as ranges, steps and lists. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/traffic/traffic_range.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of up to 16 bytes, big endian, whose last bytes are the value. */

/* Returns b - a, or UINT64_MAX if it does not fit or is negative. */
static uint64_t
wide_distance(const uint8_t a[16], const uint8_t b[16])
{
	uint64_t distance = 0;
	int borrow = 0;

	for (int i = 15; i >= 0; i--) {
		const int d = b[i] - a[i] - borrow;

		borrow = d < 0;
		if ((uint8_t)d != 0 && i < 8)
			return UINT64_MAX;
		distance |= (uint64_t)(uint8_t)d << 8 * (15 - i) % 64;
	}
	return borrow != 0 ? UINT64_MAX : distance;
}

/* Add n times a step. n: below 2^32. Returns what does not fit. */
static uint64_t
wide_step(uint8_t value[16], const uint8_t step[16], uint64_t n)
{
	uint64_t carry = 0;

	for (int i = 15; i >= 0; i--) {
		carry += value[i] + n * step[i];
		value[i] = (uint8_t)carry;
		carry >>= 8;
	}
	return carry;
}

static void
wide_negate(uint8_t value[16])
{
	for (int i = 0; i < 16; i++)
		value[i] = (uint8_t)~value[i];
	traffic_wide_add(value, 1);
}

/* The largest value of that many bits. */
static void
wide_most(uint8_t value[16], unsigned int bits)
{
	memset(value, 0, 16);
	for (unsigned int i = 0; i < bits; i++)
		value[15 - i / 8] |= (uint8_t)(1u << i % 8);
}

void
traffic_range_put(uint8_t value[16], uint64_t n)
{
	memset(value, 0, 16);
	traffic_wide_add(value, n);
}

/* Single values. */

bool
traffic_range_number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0' && *value >= min && *value <= max;
}

bool
traffic_range_address(const char *text, uint8_t value[16], bool *ip6)
{
	memset(value, 0, 16);
	*ip6 = strchr(text, ':') != NULL;
	return inet_pton(*ip6 ? AF_INET6 : AF_INET, text, *ip6 ? value : value + 12) == 1;
}

static bool
mac_read(const char *text, uint8_t value[16])
{
	struct rte_ether_addr mac;

	memset(value, 0, 16);
	if (rte_ether_unformat_addr(text, &mac) != 0)
		return false;
	memcpy(value + 10, &mac, 6);
	return true;
}

/* What a text is read as, and the largest value. */
struct reader {
	enum traffic_range_kind kind;
	uint8_t most[16];
	bool ip6, first; /* ip6: of addresses, as the first one is */
};

/* Read one value, or a step, which may be a number for each kind. */
static bool
value_read(struct reader *k, const char *text, bool step, uint8_t value[16])
{
	uint64_t number;
	bool ip6 = k->ip6, read;

	if ((step || k->kind == TRAFFIC_NUMBERS || k->kind == TRAFFIC_BITS) &&
		traffic_range_number(text, 0, UINT64_MAX, &number)) {
		traffic_range_put(value, number);
		read = true;
	} else if (k->kind == TRAFFIC_MACS || (k->kind == TRAFFIC_BITS && mac_read(text, value))) {
		read = mac_read(text, value);
	} else {
		read = k->kind != TRAFFIC_NUMBERS && traffic_range_address(text, value, &ip6);
	}
	if (k->kind == TRAFFIC_ADDRESSES && k->first) {
		k->ip6 = ip6;
		wide_most(k->most, ip6 ? 128 : 32);
	}
	k->first = false;
	return read && (k->kind == TRAFFIC_BITS || ip6 == k->ip6) &&
		memcmp(value, k->most, 16) <= 0;
}

/* The forms of several values. */

/* Read STEP*N behind START and its sign. */
static bool
steps_read(struct reader *k, char *text, bool down, struct traffic_range *r)
{
	char *times = strchr(text, '*');
	uint8_t distance[16] = { 0 }, last[16];

	*times = '\0';
	if (!value_read(k, text, true, r->step) ||
		!traffic_range_number(times + 1, 1, TRAFFIC_COUNT_MAX - 1, &r->count))
		return false;
	if (k->kind != TRAFFIC_BITS) {
		if (wide_step(distance, r->step, r->count - 1) != 0)
			return false;
		memcpy(last, r->first, 16);
		if (down ? memcmp(distance, r->first, 16) > 0
			 : wide_step(last, distance, 1) != 0 || memcmp(last, k->most, 16) > 0)
			return false;
	}
	if (down)
		wide_negate(r->step);
	return true;
}

static bool
list_read(struct traffic *t, struct reader *k, char *text, struct traffic_range *r)
{
	char *part = text, *comma;

	r->list = (uint16_t)(t->n_values + 1);
	r->count = 0;
	do {
		comma = strchr(part, ',');
		if (comma != NULL)
			*comma = '\0';
		if (t->n_values == TRAFFIC_VALUES_MAX ||
			!value_read(k, part, false, t->values[t->n_values]))
			return false;
		t->n_values++;
		r->count++;
		part = comma + 1;
	} while (comma != NULL);
	return true;
}

/* Read PREFIX behind an address. */
static bool
prefix_read(const struct reader *k, const char *text, struct traffic_range *r)
{
	const unsigned int bits = k->ip6 ? 128 : 32;
	uint64_t prefix;
	unsigned int host;

	if (k->kind != TRAFFIC_ADDRESSES || !traffic_range_number(text, 0, bits, &prefix))
		return false;
	host = (unsigned int)(bits - prefix);
	r->count = host >= 32 ? TRAFFIC_COUNT_MAX : UINT64_C(1) << host;
	for (unsigned int i = 0; i < host; i++)
		r->first[15 - i / 8] &= (uint8_t) ~(1u << i % 8);
	return true;
}

bool
traffic_range_read(struct traffic *t, char *text, enum traffic_range_kind kind, uint64_t max,
	struct traffic_range *r)
{
	struct reader k = { .kind = kind, .first = true };
	char *end = strpbrk(text, "+-/");
	const char form = end != NULL ? *end : '\0';
	uint8_t last[16];
	uint64_t distance;
	bool read;

	if (kind == TRAFFIC_NUMBERS)
		traffic_range_put(k.most, max);
	else
		wide_most(k.most, kind == TRAFFIC_BITS ? (unsigned int)max : 48);
	*r = (struct traffic_range){ .count = 1 };
	traffic_range_put(r->step, 1);
	if (end == NULL && strchr(text, ',') != NULL) {
		read = list_read(t, &k, text, r);
		r->ip6 = k.ip6;
		return read;
	}
	if (end != NULL)
		*end = '\0';
	if (!value_read(&k, text, false, r->first))
		return false;
	r->ip6 = k.ip6;
	if (form == '/')
		return prefix_read(&k, end + 1, r);
	if (form != '\0' && strchr(end + 1, '*') != NULL)
		return steps_read(&k, end + 1, form == '-', r);
	if (form == '+')
		return false;
	if (form == '-') {
		if (!value_read(&k, end + 1, false, last))
			return false;
		distance = wide_distance(r->first, last);
		if (distance >= (kind == TRAFFIC_BITS ? UINT64_MAX : TRAFFIC_COUNT_MAX))
			return false;
		r->count = distance + 1;
	}
	return true;
}

bool
traffic_range_repeats(const struct traffic *t, const struct traffic_range *r)
{
	for (unsigned int i = 0; r->list > 0 && i < r->count; i++)
		for (unsigned int k = i + 1; k < r->count; k++)
			if (memcmp(t->values[r->list - 1 + i], t->values[r->list - 1 + k], 16) == 0)
				return true;
	return false;
}

void
traffic_range_value(const struct traffic *t, const struct traffic_range *r, uint64_t i,
	uint8_t value[16])
{
	if (r->list > 0) {
		memcpy(value, t->values[r->list - 1 + i], 16);
		return;
	}
	memcpy(value, r->first, 16);
	/* Only ranges LOW-HIGH have that many, in steps of 1. */
	if (i > UINT32_MAX)
		traffic_wide_add(value, i);
	else
		wide_step(value, r->step, i);
}
