/* Reads the ranges of values of a description: addresses, numbers, MAC addresses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/traffic_range.h"

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

void
traffic_range_put(uint8_t value[16], uint64_t n)
{
	memset(value, 0, 16);
	traffic_wide_add(value, n);
}

/* Values of fields. */

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

/* Read an address into value. */
bool
traffic_range_address(const char *text, uint8_t value[16], bool *ip6)
{
	memset(value, 0, 16);
	*ip6 = strchr(text, ':') != NULL;
	return inet_pton(*ip6 ? AF_INET6 : AF_INET, text, *ip6 ? value : value + 12) == 1;
}

/* Read ADDRESS, ADDRESS/PREFIX or LOW-HIGH. */
bool
traffic_range_addresses(char *text, uint64_t max, struct traffic_range *r)
{
	char *slash = strchr(text, '/'), *dash = strchr(text, '-');
	uint8_t last[16];
	uint64_t prefix, distance;
	unsigned int host;
	bool last_ip6;

	r->count = 1;
	if (slash != NULL)
		*slash = '\0';
	else if (dash != NULL)
		*dash = '\0';
	if (!traffic_range_address(text, r->first, &r->ip6))
		return false;
	if (slash != NULL) {
		if (!traffic_range_number(slash + 1, 0, r->ip6 ? 128 : 32, &prefix))
			return false;
		host = (unsigned int)((r->ip6 ? 128 : 32) - prefix);
		r->count = host >= 32 ? TRAFFIC_COUNT_MAX : UINT64_C(1) << host;
		for (unsigned int i = 0; i < host; i++)
			r->first[15 - i / 8] &= (uint8_t) ~(1u << i % 8);
	} else if (dash != NULL) {
		if (!traffic_range_address(dash + 1, last, &last_ip6) || last_ip6 != r->ip6)
			return false;
		distance = wide_distance(r->first, last);
		if (distance >= TRAFFIC_COUNT_MAX)
			return false;
		r->count = distance + 1;
	}
	return true;
}

/* Read N or N-M, each 0..max. */
bool
traffic_range_numbers(char *text, uint64_t max, struct traffic_range *r)
{
	char *dash = strchr(text, '-');
	uint64_t first, last;

	if (dash != NULL)
		*dash = '\0';
	if (!traffic_range_number(text, 0, max, &first))
		return false;
	last = first;
	if (dash != NULL && (!traffic_range_number(dash + 1, 0, max, &last) || last < first))
		return false;
	traffic_range_put(r->first, first);
	r->count = last - first + 1;
	return true;
}

/* Read MAC or LOW-HIGH. */
bool
traffic_range_macs(char *text, uint64_t max, struct traffic_range *r)
{
	char *dash = strchr(text, '-');
	struct rte_ether_addr mac[2];
	uint8_t last[16] = { 0 };
	uint64_t distance;

	if (dash != NULL)
		*dash = '\0';
	if (rte_ether_unformat_addr(text, &mac[0]) != 0)
		return false;
	mac[1] = mac[0];
	if (dash != NULL && rte_ether_unformat_addr(dash + 1, &mac[1]) != 0)
		return false;
	memset(r->first, 0, sizeof(r->first));
	memcpy(r->first + 10, &mac[0], 6);
	memcpy(last + 10, &mac[1], 6);
	distance = wide_distance(r->first, last);
	r->count = distance + 1;
	return distance < TRAFFIC_COUNT_MAX;
}
