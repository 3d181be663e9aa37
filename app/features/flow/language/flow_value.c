/* Read numbers, addresses and bytes into the bits of a field. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_value.h"

#include "base/base.h"
#include "base/err.h"
#include "compat.h"
#include "features/flow/language/flow_presets.h"
#include "features/flow/language/flow_rule.h"

#include <rte_ether.h>
#include <rte_meter.h>

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Find bit number i of a field, counted from the lowest. False: there is no such bit. */
static bool
bit_at(const struct flow_field *f, unsigned int i, unsigned int *byte, uint8_t *bit)
{
	for (unsigned int k = 0; k < f->bytes; k++) {
		const unsigned int at = f->big ? f->bytes - 1u - k : k;
		const uint8_t bits = f->bits != NULL ? f->bits[at] : 0xff;

		for (unsigned int b = 0; b < 8; b++) {
			if ((bits & 1u << b) == 0)
				continue;
			if (i-- == 0) {
				*byte = f->at + at;
				*bit = (uint8_t)(1u << b);
				return true;
			}
		}
	}
	return false;
}

static unsigned int
bits_of(const struct flow_field *f)
{
	unsigned int n = 0, byte;
	uint8_t bit;

	while (bit_at(f, n, &byte, &bit))
		n++;
	return n;
}

static void
bit_set(void *to, const struct flow_field *f, unsigned int i, bool on)
{
	uint8_t *bytes = to, bit = 0;
	unsigned int byte = 0;

	if (!bit_at(f, i, &byte, &bit))
		return;
	if (on)
		bytes[byte] |= bit;
	else
		bytes[byte] &= (uint8_t)~bit;
}

/* Set all bits of a field. */
static void
mask_set(void *mask, const struct flow_field *f)
{
	for (unsigned int i = 0; mask != NULL && i < bits_of(f); i++)
		bit_set(mask, f, i, true);
}

static void
number_set(void *to, const struct flow_field *f, uint64_t value)
{
	const unsigned int n = bits_of(f);

	for (unsigned int i = 0; i < n; i++)
		bit_set(to, f, i, i < 64 && (value >> i & 1) != 0);
}

static uint64_t
most(const struct flow_field *f)
{
	const unsigned int n = bits_of(f);

	if (f->max != 0)
		return f->max;
	return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static int
uint_read(struct words *r, const struct flow_field *f, void *to, struct err *e)
{
	uint64_t value;
	int ret = words_uint(r, most(f), &value, e);

	if (ret == 0)
		number_set(to, f, value);
	return ret;
}

static int
int_read(struct words *r, const struct flow_field *f, void *to, struct err *e)
{
	char *end;
	long value;

	words_hint(r, "a number");
	errno = 0;
	value = strtol(r->word, &end, 0);
	if (r->n == 0 || *end != '\0' || errno != 0 || value < INT32_MIN || value > INT32_MAX)
		return words_fail(r, EINVAL, NULL, e);
	number_set(to, f, (uint64_t)value);
	words_next(r);
	return 0;
}

/* Read one of the words; its position modulo values is the value. */
static int
one_of(struct words *r, const char *const *words, size_t n, unsigned int values,
	const struct flow_field *f, void *to, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (!words_is(r, words[i], ""))
			continue;
		number_set(to, f, i % values + f->value);
		return 0;
	}
	return words_fail(r, EINVAL, NULL, e);
}

static int
bool_read(struct words *r, const struct flow_field *f, void *to, struct err *e)
{
	static const char *const words[] = { "0", "1", "false", "true", "no", "yes", "off", "on" };

	return one_of(r, words, ARRAY_SIZE(words), 2, f, to, e);
}

static int
color_read(struct words *r, const struct flow_field *f, void *to, struct err *e)
{
	static const char *const words[] = { [RTE_COLOR_GREEN] = "green",
		[RTE_COLOR_YELLOW] = "yellow",
		[RTE_COLOR_RED] = "red" };

	return one_of(r, words, ARRAY_SIZE(words), ARRAY_SIZE(words), f, to, e);
}

static int
named_read(struct words *r, const struct flow_field *f, void *to, struct err *e)
{
	size_t n = 0;

	while (f->words[n] != NULL)
		n++;
	return one_of(r, f->words, n, (unsigned int)n, f, to, e);
}

/* Append a number to an array. */
static int
more_read(struct words *r, const struct flow_field *f, void *to, struct err *e)
{
	uint32_t n, number;
	uint64_t value;

	memcpy(&n, (uint8_t *)to + f->length_at, sizeof(n));
	if (n == f->bytes / sizeof(number))
		return words_fail(r, E2BIG, "too many numbers", e);
	if (words_uint(r, UINT32_MAX, &value, e) != 0)
		return -e->code;
	number = (uint32_t)value;
	memcpy((uint8_t *)to + f->at + n * sizeof(number), &number, sizeof(number));
	n++;
	memcpy((uint8_t *)to + f->length_at, &n, sizeof(n));
	return 0;
}

/* Read the number of an object of the port and store its handle. */
static int
handle_read(struct words *r, const struct flow_field *f, void *to, struct err *e)
{
	void *handle;
	int ret = flow_value_handle(r, f->object, &handle, e);

	if (ret == 0)
		memcpy((uint8_t *)to + f->at, &handle, sizeof(handle));
	return ret;
}

/* Read an address; its bytes are in network byte order. */
static int
address_read(struct words *r, const struct flow_field *f, void *to, struct err *e)
{
	static const char *const what[] = { [FLOW_MAC] = "a MAC address",
		[FLOW_IPV4] = "an IPv4 address",
		[FLOW_IPV6] = "an IPv6 address" };
	uint8_t bytes[16] = { 0 };
	bool good;

	words_hint(r, what[f->kind]);
	if (f->kind == FLOW_MAC)
		good = rte_ether_unformat_addr(r->word, (struct rte_ether_addr *)bytes) == 0;
	else
		good = inet_pton(f->kind == FLOW_IPV4 ? AF_INET : AF_INET6, r->word, bytes) == 1;
	if (!good || f->bytes > sizeof(bytes))
		return words_fail(r, EINVAL, NULL, e);
	memcpy((uint8_t *)to + f->at, bytes, f->bytes);
	words_next(r);
	return 0;
}

int
flow_value_hex(const char *word, uint8_t *bytes, size_t room)
{
	size_t n;

	if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
		word += 2;
	n = strlen(word);
	if (n == 0 || n % 2 != 0)
		return -EINVAL;
	if (n / 2 > room)
		return -E2BIG;
	for (size_t i = 0; i < n; i += 2) {
		const char pair[3] = { word[i], word[i + 1], '\0' };

		if (!isxdigit((unsigned char)pair[0]) || !isxdigit((unsigned char)pair[1]))
			return -EINVAL;
		bytes[i / 2] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return (int)(n / 2);
}

/* Store bytes after the struct (or inside it), and their address and number in the struct. */
static int
bytes_read(struct words *r, const struct flow_part *part, const struct flow_field *f, void *to,
	void *mask, struct err *e)
{
	uint8_t *room = (uint8_t *)to + (f->inside ? f->at : part->bytes);
	const size_t most = f->inside ? f->bytes : part->room;
	const struct flow_field length = { .at = f->length_at, .bytes = f->length_bytes };
	int n = (int)r->n;

	words_hint(r, f->kind == FLOW_HEX ? "bytes in hexadecimal" : "characters");
	if (r->n == 0)
		return words_fail(r, EINVAL, NULL, e);
	memset(room, 0, most);
	if (f->kind == FLOW_HEX)
		n = flow_value_hex(r->word, room, most);
	else if (r->n > most)
		n = -E2BIG;
	else
		memcpy(room, r->text + r->at, r->n); /* as typed, with quotes */
	if (n < 0)
		return words_fail(r, -n, n == -E2BIG ? "too long" : NULL, e);
	number_set(to, &length, (uint64_t)n);
	if (!f->inside)
		memcpy((uint8_t *)to + f->at, &room, sizeof(room));
	if (mask != NULL) {
		uint8_t *own = (uint8_t *)mask + (room - (uint8_t *)to);

		memset(own, 0xff, (size_t)n);
		if (!f->inside)
			memcpy((uint8_t *)mask + f->at, &own, sizeof(own));
	}
	words_next(r);
	return 0;
}

/* Read the pattern of a flex item and its mask from a preset. */
static int
pattern_read(struct words *r, const struct flow_part *part, void *to, void *mask, struct err *e)
{
	struct rte_flow_item_flex *spec = to, *bits = mask;
	uint8_t *room = (uint8_t *)to + part->bytes;
	const struct flow_pattern *p;
	uint64_t index;
	int ret = words_uint(r, FLOW_PATTERNS - 1, &index, e);

	if (ret != 0 || flow_defaults_of(r)->presets == NULL)
		return ret;
	p = &flow_defaults_of(r)->presets->pattern[index];
	memcpy(room, p->spec, p->bytes);
	spec->pattern = room;
	spec->length = p->bytes;
	if (bits == NULL)
		return 0;
	room = (uint8_t *)mask + part->bytes;
	memcpy(room, p->mask, p->bytes);
	bits->pattern = room;
	bits->length = p->bytes;
	return 0;
}

int
flow_value_handle(struct words *r, enum flow_object what, void **handle, struct err *e)
{
	const struct flow_defaults *d = r->context;
	uint64_t number;

	*handle = NULL;
	if (words_uint(r, UINT32_MAX, &number, e) != 0)
		return -e->code;
	if (d->port == FLOW_NO_PORT)
		return 0;
	*handle = d->find(d->context, d->port, what, (uint32_t)number, e);
	return *handle != NULL ? 0 : -e->code;
}

int
flow_value_read(struct words *r, const struct flow_part *part, const struct flow_field *f, void *to,
	void *mask, struct err *e)
{
	const struct flow_field length = { .at = f->length_at, .bytes = f->length_bytes };
	int ret = 0;

	switch (f->kind) {
	case FLOW_UINT: ret = uint_read(r, f, to, e); break;
	case FLOW_INT: ret = int_read(r, f, to, e); break;
	case FLOW_BOOL: ret = bool_read(r, f, to, e); break;
	case FLOW_COLOR: ret = color_read(r, f, to, e); break;
	case FLOW_ONE_OF: ret = named_read(r, f, to, e); break;
	case FLOW_HANDLE: ret = handle_read(r, f, to, e); break;
	case FLOW_MORE: return more_read(r, f, to, e);
	case FLOW_PRESET: return pattern_read(r, part, to, mask, e);
	case FLOW_WORD: number_set(to, f, f->value); break;
	case FLOW_MAC:
	case FLOW_IPV4:
	case FLOW_IPV6: ret = address_read(r, f, to, e); break;
	default:
		ret = bytes_read(r, part, f, to, mask, e);
		if (ret == 0)
			mask_set(mask, &length);
		return ret;
	}
	if (ret != 0)
		return ret;
	/* Since 23.03 the mask of a flex item also has its handle, because templates only have
	 * masks. */
	if (f->kind == FLOW_HANDLE && mask != NULL && COMPAT_NEWER(23, 3))
		memcpy((uint8_t *)mask + f->at, (uint8_t *)to + f->at, f->bytes);
	else
		mask_set(mask, f);
	return 0;
}

int
flow_value_prefix(struct words *r, const struct flow_field *f, void *to, struct err *e)
{
	const unsigned int n = bits_of(f);
	uint64_t length;
	int ret = words_uint(r, n, &length, e);

	for (unsigned int i = 0; ret == 0 && i < n; i++)
		bit_set(to, f, i, i >= n - length);
	return ret;
}
