/* Headers as typed: fields that change from flow to flow, lengths and checksums in them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/traffic/traffic_raw.h"

#include "base/base.h"
#include "base/err.h"
#include "base/text.h"
#include "cmdline/grammar/words.h"
#include "engines/measure/probe.h"
#include "engines/measure/traffic/traffic_range.h"

#include <rte_byteorder.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BITS_MAX 128
#define WRONG 0x5555 /* added to a sum so that the checksum is wrong; no multiple of 65535 */

/* The words. */

/* Fail at the value that is read of a word. */
static int
value_fail(struct words *r, const char *word, struct err *e)
{
	char wrong[128];

	snprintf(wrong, sizeof(wrong), "%s \"%.80s\"", word, r->word);
	return words_fail(r, EINVAL, r->n > 0 ? wrong : NULL, e);
}

/* Read "BYTE:BITS" or "BYTE.BIT:BITS". */
static bool
place_read(const char *text, struct traffic_vary *v)
{
	char copy[32], *colon, *dot;
	uint64_t byte, bit = 0, bits;

	snprintf(copy, sizeof(copy), "%.31s", text);
	colon = strchr(copy, ':');
	dot = strchr(copy, '.');
	if (colon == NULL || strlen(text) >= sizeof(copy))
		return false;
	*colon = '\0';
	if (dot != NULL)
		*dot = '\0';
	if (!traffic_range_number(copy, 0, TRAFFIC_RAW_MAX - 1, &byte) ||
		(dot != NULL && !traffic_range_number(dot + 1, 0, 7, &bit)) ||
		!traffic_range_number(colon + 1, 1, BITS_MAX, &bits))
		return false;
	v->at = (uint16_t)(8 * byte + bit);
	v->bits = (uint16_t)bits;
	return true;
}

/* Read "random", and how many values are drawn before they repeat, by which seed. */
static int
random_read(struct words *r, struct traffic_vary *v, struct err *e)
{
	uint64_t number;

	v->range.random = words_is(r, "random", "draw values of this field");
	if (!v->range.random || r->n == 0 || !isdigit((unsigned char)*r->word) ||
		strchr(r->word, ':') != NULL) {
		if (v->range.random)
			words_hint(r, "a number of values, which then repeat");
		return 0;
	}
	if (words_number(r, "values", 1, PROBE_FLOWS_MAX, &number, e) != 0)
		return -e->code;
	v->draws = (uint32_t)number;
	if (!words_is(r, "by", "seed of this field's values"))
		return 0;
	if (words_number(r, NULL, 0, UINT32_MAX, &number, e) != 0)
		return -e->code;
	v->seed = (uint32_t)number;
	return 0;
}

int
traffic_vary_read(struct words *r, struct traffic *t, struct err *e)
{
	char text[sizeof(r->word)];

	t->n_vary = 0;
	do {
		struct traffic_vary *v = &t->vary[t->n_vary];

		words_hint(r, "BYTE:BITS or BYTE.BIT:BITS, the place of a field in raw");
		if (t->n_vary == TRAFFIC_VARY_MAX) {
			snprintf(text, sizeof(text), "vary \"%.40s\": more than %d fields", r->word,
				TRAFFIC_VARY_MAX);
			return words_fail(r, ERANGE, text, e);
		}
		*v = (struct traffic_vary){ 0 };
		if (!place_read(r->word, v))
			return value_fail(r, "vary", e);
		words_next(r);
		words_hint(r,
			"its values: N, LOW-HIGH, A,B,... or START+STEP*N, also of IP or MAC addresses");
		memcpy(text, r->word, sizeof(text));
		if (!traffic_range_read(t, text, TRAFFIC_BITS, v->bits, &v->range))
			return value_fail(r, "vary", e);
		words_next(r);
		if (random_read(r, v, e) != 0)
			return -e->code;
		t->n_vary++;
	} while (r->n > 0 && isdigit((unsigned char)*r->word));
	return 0;
}

int
traffic_lengths_read(struct words *r, struct traffic *t, struct err *e)
{
	char text[LINE_BYTES], *rest, *part;

	words_hint(r,
		"up to 8 of BYTE:BEFORE with commas between them: 16 bits at BYTE have the packet's length less BEFORE");
	snprintf(text, sizeof(text), "%s", r->word);
	t->n_lengths = 0;
	for (part = strtok_r(text, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
		char *colon = strchr(part, ':');
		uint64_t at, before;

		if (colon == NULL || t->n_lengths == TRAFFIC_LENGTHS_MAX)
			return value_fail(r, "lengths", e);
		*colon = '\0';
		if (!traffic_range_number(part, 1, TRAFFIC_RAW_MAX, &at) ||
			!traffic_range_number(colon + 1, 0, TRAFFIC_RAW_MAX, &before))
			return value_fail(r, "lengths", e);
		t->lengths[t->n_lengths++] =
			(struct traffic_length){ (uint16_t)at, (uint16_t)before };
	}
	if (t->n_lengths == 0)
		return value_fail(r, "lengths", e);
	words_next(r);
	return 0;
}

/* Headers with a checksum: where it is, the protocol of the pseudo header. */
static const struct sum_kind {
	const char *name;
	uint8_t at, proto;
	bool pseudo;
} sum_kinds[] = { { "ipv4", 10, IPPROTO_IPIP, false }, { "udp", 6, IPPROTO_UDP, true },
	{ "tcp", 16, IPPROTO_TCP, true }, { "icmp", 2, IPPROTO_ICMP, false },
	{ "icmpv6", 2, IPPROTO_ICMPV6, true } };

/* Cut a number off the text behind a mark. Returns false if the mark is there, and no number. */
static bool
number_cut(char *text, char mark, uint64_t max, uint16_t *value)
{
	char *at = strchr(text, mark);
	uint64_t number;

	if (at == NULL)
		return true;
	*at = '\0';
	if (!traffic_range_number(at + 1, 0, max, &number))
		return false;
	*value = (uint16_t)number;
	return true;
}

/* Read NAME@BYTE[/IP][-CUT][:wrong]. */
static bool
sum_read(char *text, struct traffic_sum *sum)
{
	char *colon = strchr(text, ':');
	const struct sum_kind *kind = NULL;
	bool pseudo = strchr(text, '/') != NULL;

	*sum = (struct traffic_sum){ .wrong = colon != NULL };
	if (colon != NULL)
		*colon = '\0';
	if ((colon != NULL && strcmp(colon + 1, "wrong") != 0) || strchr(text, '@') == NULL ||
		!number_cut(text, '-', TRAFFIC_RAW_MAX, &sum->cut) ||
		!number_cut(text, '/', TRAFFIC_RAW_MAX, &sum->ip) ||
		!number_cut(text, '@', TRAFFIC_RAW_MAX, &sum->from))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(sum_kinds); i++)
		if (strcmp(sum_kinds[i].name, text) == 0)
			kind = &sum_kinds[i];
	if (kind == NULL || (pseudo && !kind->pseudo) || (pseudo && sum->ip == 0))
		return false;
	sum->at = (uint16_t)(sum->from + kind->at);
	sum->proto = kind->proto;
	return true;
}

int
traffic_sums_read(struct words *r, struct traffic *t, struct err *e)
{
	char text[LINE_BYTES], *rest, *part;

	words_hint(r,
		"up to 8 of ipv4@BYTE, icmp@BYTE, udp@BYTE/IP, tcp@BYTE/IP, icmpv6@BYTE/IP with commas between them; BYTE, IP: where that header and its IP header begin; :wrong behind it");
	snprintf(text, sizeof(text), "%s", r->word);
	t->n_sums = 0;
	for (part = strtok_r(text, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest))
		if (t->n_sums == TRAFFIC_SUMS_MAX || !sum_read(part, &t->sums[t->n_sums++]))
			return value_fail(r, "sums", e);
	if (t->n_sums == 0)
		return value_fail(r, "sums", e);
	words_next(r);
	return 0;
}

/* The whole description. */

static int
sum_finish(const struct traffic *t, struct traffic_sum *sum, struct err *e)
{
	const unsigned int ihl = t->raw[sum->from % TRAFFIC_RAW_MAX] & 0xf;

	if (sum->at + 2u > t->n_raw)
		return err_set(e, ERANGE,
			"sums: a checksum at byte %u: expected one in the %u bytes of raw", sum->at,
			t->n_raw);
	if (sum->proto == IPPROTO_IPIP)
		sum->bytes = (uint16_t)(ihl >= 5 && sum->from + 4 * ihl <= t->n_raw
				? 4 * ihl
				: sizeof(struct rte_ipv4_hdr));
	if (sum->from + sum->bytes > t->n_raw)
		return err_set(e, ERANGE,
			"sums: ipv4@%u: expected %u bytes of IPv4 in the %u bytes of raw",
			sum->from, sum->bytes, t->n_raw);
	if (sum->ip != 0) {
		const unsigned int version = sum->ip < t->n_raw ? t->raw[sum->ip] >> 4 : 0;

		if ((version != 4 && version != 6) ||
			sum->ip + traffic_ip_bytes(version == 6) > sum->from)
			return err_set(e, EINVAL,
				"sums: an IP header at byte %u: expected one of version 4 or 6 in front of byte %u",
				sum->ip, sum->from);
	}
	return 0;
}

int
traffic_raw_finish(struct traffic *t, struct err *e)
{
	if (t->n_raw == 0) {
		if (t->n_vary + t->n_lengths + t->n_sums == 0)
			return 0;
		return err_set(e, EINVAL,
			"vary, lengths, sums: expected raw HEX, the header that they change, too");
	}
	for (unsigned int i = 0; i < t->n_vary; i++)
		if (t->vary[i].at + t->vary[i].bits > 8 * t->n_raw)
			return err_set(e, ERANGE,
				"vary: %u bits at byte %u: expected bits of the %u bytes of raw; the payload and the probe are behind them",
				t->vary[i].bits, t->vary[i].at / 8, t->n_raw);
	for (unsigned int i = 0; i < t->n_lengths; i++)
		if (t->lengths[i].at + 2u > t->n_raw ||
			t->lengths[i].before > t->n_raw + PROBE_BYTES)
			return err_set(e, ERANGE,
				"lengths: %u:%u: expected 2 bytes of the %u bytes of raw, and as many before them at most",
				t->lengths[i].at, t->lengths[i].before, t->n_raw);
	for (unsigned int i = 0; i < t->n_sums; i++)
		if (sum_finish(t, &t->sums[i], e) != 0)
			return -e->code;
	/* Outer headers first. */
	for (unsigned int i = 1; i < t->n_sums; i++)
		for (unsigned int k = i; k > 0 && t->sums[k].at < t->sums[k - 1].at; k--) {
			const struct traffic_sum sum = t->sums[k];

			t->sums[k] = t->sums[k - 1];
			t->sums[k - 1] = sum;
		}
	return 0;
}

/* The bytes. */

/* Write the last bits of a value to bits of a header. */
static void
bits_write(uint8_t *head, unsigned int at, unsigned int bits, const uint8_t value[16])
{
	for (unsigned int i = 0; i < bits; i++) {
		const unsigned int to = at + i, from = BITS_MAX - bits + i;
		const unsigned int bit = value[from / 8] >> (7 - from % 8) & 1;

		head[to / 8] = (uint8_t)((head[to / 8] & ~(0x80u >> to % 8)) | bit << (7 - to % 8));
	}
}

static void
vary_write(const struct traffic *t, unsigned int which, uint32_t flow, uint8_t *head)
{
	const struct traffic_vary *v = &t->vary[which];
	uint64_t i = flow;
	uint8_t value[16];

	if (v->range.random) {
		const uint64_t key = traffic_mix((uint64_t)t->seed << 32 | which);

		i = traffic_mix(traffic_mix(key ^ v->seed) + (v->draws > 0 ? i % v->draws : i));
	}
	traffic_range_value(t, &v->range, i % v->range.count, value);
	bits_write(head, v->at, v->bits, value);
}

static void
put16(uint8_t *at, unsigned int value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* The sum that a checksum is of, in host order and not inverted. Its own bytes are 0. */
static uint16_t
sum_of(const struct traffic *t, const struct traffic_sum *sum, unsigned int size,
	const uint8_t *head)
{
	uint64_t total =
		rte_raw_cksum(head + sum->from, sum->bytes > 0 ? sum->bytes : t->n_raw - sum->from);

	if (sum->ip != 0) {
		const bool ip6 = head[sum->ip] >> 4 == 6;

		total += rte_raw_cksum(head + sum->ip + (ip6 ? 8 : 12), ip6 ? 32 : 8);
		total += rte_cpu_to_be_16(sum->proto);
		total += rte_cpu_to_be_16((uint16_t)(size - sum->from - sum->cut));
	}
	return probe_fold(total + (sum->wrong ? WRONG : 0));
}

/* Write lengths and checksums for a size; the sums of these go to sums. */
static void
complete(const struct traffic *t, unsigned int size, uint8_t *head, uint16_t *sums)
{
	for (unsigned int i = 0; i < t->n_lengths; i++)
		put16(head + t->lengths[i].at, size - t->lengths[i].before);
	for (unsigned int i = 0; i < t->n_sums; i++)
		memset(head + t->sums[i].at, 0, 2);
	/* The inner ones first: outer ones are over them. */
	for (unsigned int i = t->n_sums; i-- > 0;) {
		const struct traffic_sum *sum = &t->sums[i];
		uint16_t value;

		sums[i] = sum_of(t, sum, size, head);
		value = (uint16_t)~sums[i];
		if (sum->proto == IPPROTO_UDP && value == 0)
			value = UINT16_MAX;
		memcpy(head + sum->at, &value, 2);
	}
}

/* By how much each sum grows with the size, modulo 65535; its value for size 0 in host order. */
static void
sums_measure(const struct traffic *t, uint8_t *head, uint16_t *slope, uint16_t *origin)
{
	const unsigned int size = t->n_raw + PROBE_BYTES;
	uint16_t one[TRAFFIC_SUMS_MAX], next[TRAFFIC_SUMS_MAX];

	complete(t, size, head, one);
	complete(t, size + 1, head, next);
	for (unsigned int i = 0; i < t->n_sums; i++) {
		const uint32_t a = rte_be_to_cpu_16(one[i]), b = rte_be_to_cpu_16(next[i]);

		slope[i] = (uint16_t)((b + UINT16_MAX - a % UINT16_MAX) % UINT16_MAX);
		origin[i] = probe_fold(one[i] +
			(uint64_t)(UINT16_MAX - slope[i]) * rte_cpu_to_be_16((uint16_t)size));
	}
}

void
traffic_raw_head(const struct traffic *t, uint32_t flow, uint8_t *head)
{
	uint16_t slope[TRAFFIC_SUMS_MAX], origin[TRAFFIC_SUMS_MAX];

	memcpy(head, t->raw, t->n_raw);
	for (unsigned int i = 0; i < t->n_vary; i++)
		vary_write(t, i, flow, head);
	if (t->n_sums == 0)
		return;
	sums_measure(t, head, slope, origin);
	for (unsigned int i = 0; i < t->n_sums; i++)
		memcpy(head + t->sums[i].at, &origin[i], 2);
}

unsigned int
traffic_raw_patches(const struct traffic *t, struct traffic_patch *patches)
{
	uint16_t slope[TRAFFIC_SUMS_MAX], origin[TRAFFIC_SUMS_MAX];
	uint8_t head[TRAFFIC_RAW_MAX];
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->n_lengths; i++)
		patches[n++] = (struct traffic_patch){ .length_at = t->lengths[i].at,
			.before = t->lengths[i].before };
	memcpy(head, t->raw, t->n_raw);
	sums_measure(t, head, slope, origin);
	for (unsigned int i = 0; i < t->n_sums; i++)
		patches[n++] = (struct traffic_patch){ .sum_at = t->sums[i].at,
			.times = slope[i],
			.udp = t->sums[i].proto == IPPROTO_UDP };
	return n;
}
