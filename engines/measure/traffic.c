/* Parses descriptions of traffic. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/traffic.h"

#include "base/base.h"
#include "base/err.h"
#include "base/plain_file.h"
#include "base/text.h"
#include "engines/measure/probe.h"

#include <rte_ethdev.h>

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTION_MAX 65536 /* bytes of a file */

/* Reading words. */

struct words {
	const char *at;
	char word[512];
	bool cut; /* a word was longer than that */
	struct err *e;
};

/* Read the next word; returns false at the end. */
static bool
word_next(struct words *w)
{
	size_t n = 0;

	for (;;) {
		w->at += strspn(w->at, " \t\r\n");
		if (*w->at != '#')
			break;
		w->at += strcspn(w->at, "\n");
	}
	while (*w->at != '\0' && *w->at != '#' && !isspace((unsigned char)*w->at)) {
		if (n + 1 < sizeof(w->word))
			w->word[n++] = *w->at;
		else
			w->cut = true;
		w->at++;
	}
	w->word[n] = '\0';
	return n > 0;
}

/* Read the value of a keyword. */
static bool
value_next(struct words *w, const char *keyword, const char *expected)
{
	if (word_next(w))
		return true;
	err_set(w->e, EINVAL, "%s: incomplete: expected %s", keyword, expected);
	return false;
}

/* If the next word is this one, skip it and return true. */
static bool
word_skip(struct words *w, const char *word)
{
	struct words ahead = *w;

	if (!word_next(&ahead) || strcmp(ahead.word, word) != 0)
		return false;
	*w = ahead;
	return true;
}

static bool
number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0' && *value >= min && *value <= max;
}

static int
number_read(struct words *w, const char *keyword, uint64_t min, uint64_t max, uint64_t *value)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "%" PRIu64 "..%" PRIu64, min, max);
	if (!value_next(w, keyword, expected))
		return -EINVAL;
	if (number(w->word, min, max, value))
		return 0;
	if (text_quantity(w->word, keyword, value) && *value >= min && *value <= max)
		return 0;
	return err_set(w->e, EINVAL, "%s \"%s\": expected %s", keyword, w->word, expected);
}

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

static void
wide_put(uint8_t value[16], uint64_t n)
{
	memset(value, 0, 16);
	traffic_wide_add(value, n);
}

/* Values of fields. */

/* Read an address into value. */
static bool
address(const char *text, uint8_t value[16], bool *ip6)
{
	memset(value, 0, 16);
	*ip6 = strchr(text, ':') != NULL;
	return inet_pton(*ip6 ? AF_INET6 : AF_INET, text, *ip6 ? value : value + 12) == 1;
}

/* Read ADDRESS, ADDRESS/PREFIX or LOW-HIGH. */
static bool
addresses(char *text, struct traffic_range *r, bool *ip6)
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
	if (!address(text, r->first, ip6))
		return false;
	if (slash != NULL) {
		if (!number(slash + 1, 0, *ip6 ? 128 : 32, &prefix))
			return false;
		host = (unsigned int)((*ip6 ? 128 : 32) - prefix);
		r->count = host >= 32 ? TRAFFIC_COUNT_MAX : UINT64_C(1) << host;
		for (unsigned int i = 0; i < host; i++)
			r->first[15 - i / 8] &= (uint8_t) ~(1u << i % 8);
	} else if (dash != NULL) {
		if (!address(dash + 1, last, &last_ip6) || last_ip6 != *ip6)
			return false;
		distance = wide_distance(r->first, last);
		if (distance >= TRAFFIC_COUNT_MAX)
			return false;
		r->count = distance + 1;
	}
	return true;
}

/* Read N or N-M, each 0..max. */
static bool
numbers(char *text, uint64_t max, struct traffic_range *r)
{
	char *dash = strchr(text, '-');
	uint64_t first, last;

	if (dash != NULL)
		*dash = '\0';
	if (!number(text, 0, max, &first))
		return false;
	last = first;
	if (dash != NULL && (!number(dash + 1, 0, max, &last) || last < first))
		return false;
	wide_put(r->first, first);
	r->count = last - first + 1;
	return true;
}

/* Read MAC or LOW-HIGH. */
static bool
macs(char *text, struct traffic_range *r)
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

#define ADDRESSES "an address, ADDRESS/PREFIX (0..32, IPv6: 0..128) or LOW-HIGH"

static const struct {
	const char *word, *expected;
	uint64_t max; /* of a number */
} fields[TRAFFIC_FIELDS] = {
	[TRAFFIC_SRC] = { "src", ADDRESSES, 0 },
	[TRAFFIC_DST] = { "dst", ADDRESSES, 0 },
	[TRAFFIC_SPORT] = { "sport", "a port or LOW-HIGH, 0..65535", UINT16_MAX },
	[TRAFFIC_DPORT] = { "dport", "a port or LOW-HIGH, 0..65535", UINT16_MAX },
	[TRAFFIC_SMAC] = { "smac", "a MAC address or LOW-HIGH", 0 },
	[TRAFFIC_DMAC] = { "dmac", "a MAC address or LOW-HIGH", 0 },
	[TRAFFIC_VLAN] = { "vlan", "a VLAN ID or LOW-HIGH, 0..4095", 4095 },
	[TRAFFIC_QINQ] = { "qinq", "the outer VLAN ID or LOW-HIGH, 0..4095", 4095 },
	[TRAFFIC_DSCP] = { "dscp", "a DSCP or LOW-HIGH, 0..63", 63 },
	[TRAFFIC_OUTER_SRC] = { "outer-src", ADDRESSES, 0 },
	[TRAFFIC_OUTER_DST] = { "outer-dst", ADDRESSES, 0 },
};

static int
field_read(struct traffic *t, unsigned int f, struct words *w)
{
	struct traffic_range *r = &t->range[f];
	char text[sizeof(w->word)];
	bool ip6 = false, good;

	if (!value_next(w, fields[f].word, fields[f].expected))
		return -EINVAL;
	memcpy(text, w->word, sizeof(text));
	if (f == TRAFFIC_SRC || f == TRAFFIC_DST || f == TRAFFIC_OUTER_SRC ||
		f == TRAFFIC_OUTER_DST) {
		good = addresses(text, r, &ip6);
		r->ip6 = ip6;
	} else if (f == TRAFFIC_SMAC || f == TRAFFIC_DMAC)
		good = macs(text, r);
	else
		good = numbers(text, fields[f].max, r);
	if (!good)
		return err_set(w->e, EINVAL, "%s \"%s\": expected %s", fields[f].word, w->word,
			fields[f].expected);
	r->random = word_skip(w, "random");
	if (!r->random)
		word_skip(w, "count");
	return 0;
}

/* Sizes of packets. */

/* Shuffle, so that sizes do not grow from packet to packet. */
static void
sizes_shuffle(struct traffic *t)
{
	for (unsigned int i = t->n_sizes - 1; i > 0; i--) {
		const unsigned int other =
			(unsigned int)(traffic_mix((uint64_t)t->seed << 32 | i) % (i + 1));
		const uint16_t size = t->sizes[i];

		t->sizes[i] = t->sizes[other];
		t->sizes[other] = size;
	}
}

static void
sizes_sum(struct traffic *t)
{
	uint64_t sum = 0;

	t->size_min = UINT16_MAX;
	t->size_max = 0;
	for (unsigned int i = 0; i < t->n_sizes; i++) {
		t->size_min = RTE_MIN(t->size_min, t->sizes[i]);
		t->size_max = RTE_MAX(t->size_max, t->sizes[i]);
		sum += t->sizes[i];
	}
	t->size_mean = (double)sum / t->n_sizes;
}

/* Read N, A-B, N:WEIGHT,... or imix. */
static int
sizes_read(struct traffic *t, struct words *w)
{
	static const char expected[] =
		"bytes without CRC, up to 16384: N, LOW-HIGH, imix, or N:WEIGHT,... with weights of 4096 in sum";
	char text[sizeof(w->word)], *rest, *part;
	struct traffic_range r;
	uint64_t weight, size;

	if (!value_next(w, "size", expected))
		return -EINVAL;
	/* The simple IMIX: 64, 594 and 1518 bytes with CRC, 7:4:1. */
	t->grows = strcmp(w->word, "imix") == 0;
	snprintf(text, sizeof(text), "%s", t->grows ? "60:7,590:4,1514:1" : w->word);
	t->n_sizes = 0;
	if (strchr(text, ':') == NULL && numbers(text, TRAFFIC_SIZE_MAX, &r)) {
		size = (uint64_t)r.first[14] << 8 | r.first[15];
		/* A longer range is represented by as many sizes as there is room for. */
		t->n_sizes = (unsigned int)RTE_MIN(r.count, (uint64_t)TRAFFIC_SIZES_MAX);
		for (unsigned int i = 0; i < t->n_sizes; i++)
			t->sizes[i] = (uint16_t)(size +
				(t->n_sizes > 1 ? i * (r.count - 1) / (t->n_sizes - 1) : 0));
		return 0;
	}
	for (part = strtok_r(text, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
		char *colon = strchr(part, ':');

		if (colon == NULL)
			break;
		*colon = '\0';
		if (!number(part, 1, TRAFFIC_SIZE_MAX, &size) ||
			!number(colon + 1, 1, TRAFFIC_SIZES_MAX - t->n_sizes, &weight))
			break;
		while (weight-- > 0)
			t->sizes[t->n_sizes++] = (uint16_t)size;
	}
	if (part == NULL && t->n_sizes > 0)
		return 0;
	return err_set(w->e, EINVAL, "size \"%s\": expected %s", w->word, expected);
}

/* The description as a whole. */

static int
proto_read(struct traffic *t, struct words *w)
{
	static const struct {
		const char *word;
		uint8_t proto;
	} protos[] = { { "udp", IPPROTO_UDP }, { "tcp", IPPROTO_TCP }, { "icmp", IPPROTO_ICMP } };

	if (!value_next(w, "proto", "udp, tcp or icmp"))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(protos); i++)
		if (strcmp(w->word, protos[i].word) == 0) {
			t->proto = protos[i].proto;
			return 0;
		}
	return err_set(w->e, EINVAL, "proto \"%s\": expected udp, tcp or icmp", w->word);
}

/* Keywords of word_read() that are no fields. */
static const char *const others[] = { "size", "proto", "flows", "seed", "ttl", "vxlan" };

/* True when one of the words begins with the other, and both have three letters or more. */
static bool
is_near(const char *a, const char *b)
{
	const size_t n = RTE_MIN(strlen(a), strlen(b));

	return n >= 3 && strncmp(a, b, n) == 0;
}

static int
unknown_word(const char *keyword, struct err *e)
{
	static const char *const settings[] = { "rate", "gaps", "late" }; /* generate-... */
	const char *near = NULL;

	for (size_t i = 0; i < RTE_DIM(settings); i++)
		if (strcmp(settings[i], keyword) == 0)
			return err_set(e, EINVAL,
				"unknown word \"%s\"; did you mean \"set generate-%s\"?", keyword,
				keyword);
	for (size_t i = 0; i < RTE_DIM(others); i++)
		near = is_near(others[i], keyword) ? others[i] : near;
	for (unsigned int f = 0; f < TRAFFIC_FIELDS; f++)
		near = is_near(fields[f].word, keyword) ? fields[f].word : near;
	if (near != NULL)
		return err_set(e, EINVAL, "unknown word \"%s\"; did you mean \"%s\"?", keyword,
			near);
	return err_set(e, EINVAL,
		"unknown word \"%s\": expected flows, size, proto, src, dst, sport, dport, smac, dmac, vlan, qinq, dscp, ttl, vxlan, outer-src, outer-dst, seed or port",
		keyword);
}

static int
word_read(struct traffic *t, const char *keyword, struct words *w)
{
	uint64_t value;
	int ret;

	for (unsigned int f = 0; f < TRAFFIC_FIELDS; f++)
		if (strcmp(keyword, fields[f].word) == 0)
			return field_read(t, f, w);
	if (strcmp(keyword, "size") == 0)
		return sizes_read(t, w);
	if (strcmp(keyword, "proto") == 0)
		return proto_read(t, w);
	if (strcmp(keyword, "flows") == 0) {
		ret = number_read(w, keyword, 0, PROBE_FLOWS_MAX, &value);
		t->flows = (uint32_t)value;
	} else if (strcmp(keyword, "seed") == 0) {
		ret = number_read(w, keyword, 0, UINT32_MAX, &value);
		t->seed = (uint32_t)value;
	} else if (strcmp(keyword, "ttl") == 0) {
		ret = number_read(w, keyword, 1, UINT8_MAX, &value);
		t->ttl = (uint8_t)value;
	} else if (strcmp(keyword, "vxlan") == 0) {
		ret = number_read(w, keyword, 0, (1 << 24) - 1, &value);
		t->vni = (uint32_t)value;
		t->vxlan = true;
	} else if (strcmp(keyword, "file") == 0) {
		ret = err_set(w->e, EINVAL, "file: expected \"file PATH\" and no other words");
	} else {
		ret = unknown_word(keyword, w->e);
	}
	return ret;
}

/* Return a bit for each keyword of word_read() that may stand once. */
static uint32_t
word_bit(const char *keyword)
{
	for (unsigned int f = 0; f < TRAFFIC_FIELDS; f++)
		if (strcmp(keyword, fields[f].word) == 0)
			return UINT32_C(1) << f;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strcmp(keyword, others[i]) == 0)
			return UINT32_C(1) << (TRAFFIC_FIELDS + i);
	return 0;
}

/* Add a range that the description leaves out. */
static void
range_default(struct traffic_range *r, const char *text, uint64_t first, uint64_t count)
{
	char copy[64];
	bool ip6;

	if (r->count != 0)
		return;
	if (text != NULL) {
		snprintf(copy, sizeof(copy), "%s", text);
		addresses(copy, r, &ip6);
	} else {
		wide_put(r->first, first);
		r->count = count;
	}
}

/* How many flows the ranges make; more than PROBE_FLOWS_MAX is as good as that. */
static uint64_t
flows_possible(const struct traffic *t)
{
	uint64_t flows = 1;

	for (unsigned int f = TRAFFIC_SRC;
		f <= (traffic_has_ports(t) ? TRAFFIC_DPORT : TRAFFIC_DST); f++)
		flows = RTE_MIN(flows * t->range[f].count, TRAFFIC_COUNT_MAX);
	return flows;
}

/* Return true, with e set, if two addresses are of different families. */
static bool
families_differ(const struct traffic *t, enum traffic_field one, enum traffic_field other,
	struct err *e)
{
	const struct traffic_range *a = &t->range[one], *b = &t->range[other];

	if (a->count == 0 || b->count == 0 || a->ip6 == b->ip6)
		return false;
	err_set(e, EINVAL, "%s is an IPv%d address, but %s an IPv%d address", fields[one].word,
		a->ip6 ? 6 : 4, fields[other].word, b->ip6 ? 6 : 4);
	return true;
}

static int
finish(struct traffic *t, struct err *e)
{
	struct traffic_range *r = t->range;

	if (families_differ(t, TRAFFIC_SRC, TRAFFIC_DST, e) ||
		families_differ(t, TRAFFIC_OUTER_SRC, TRAFFIC_OUTER_DST, e))
		return -EINVAL;
	t->ip6 = r[TRAFFIC_SRC].ip6 || r[TRAFFIC_DST].ip6;
	t->outer_ip6 = r[TRAFFIC_OUTER_SRC].ip6 || r[TRAFFIC_OUTER_DST].ip6;
	if (t->ip6 && t->proto == IPPROTO_ICMP)
		t->proto = IPPROTO_ICMPV6;
	if (!traffic_has_ports(t) && r[TRAFFIC_SPORT].count + r[TRAFFIC_DPORT].count > 0)
		return err_set(e, EINVAL, "sport, dport: ICMP has no ports: expected src or dst");
	if (!t->vxlan && r[TRAFFIC_OUTER_SRC].count + r[TRAFFIC_OUTER_DST].count > 0)
		return err_set(e, EINVAL, "outer-src, outer-dst: expected vxlan VNI, too");
	if (r[TRAFFIC_QINQ].count > 0 && r[TRAFFIC_VLAN].count == 0)
		return err_set(e, EINVAL, "qinq: expected vlan ID, the inner tag, too");
	/* Without any range, the source port (for ICMP the source address) counts the flows. */
	if (r[TRAFFIC_SRC].count == 0 && !traffic_has_ports(t) && r[TRAFFIC_DST].count <= 1)
		range_default(&r[TRAFFIC_SRC], t->ip6 ? "2001:db8::/96" : "198.18.0.0/16", 0, 0);
	range_default(&r[TRAFFIC_SRC], t->ip6 ? "2001:db8::1" : "198.18.0.1", 0, 0);
	range_default(&r[TRAFFIC_DST], t->ip6 ? "2001:db8:1::1" : "198.19.0.1", 0, 0);
	if (traffic_has_ports(t)) {
		const bool alone = r[TRAFFIC_SRC].count * r[TRAFFIC_DST].count == 1 &&
			r[TRAFFIC_DPORT].count <= 1;

		range_default(&r[TRAFFIC_SPORT], NULL, 1024, alone ? 64512 : 1);
		range_default(&r[TRAFFIC_DPORT], NULL, 9, 1);
	}
	range_default(&r[TRAFFIC_OUTER_SRC], t->outer_ip6 ? "2001:db8:2::1" : "198.18.1.1", 0, 0);
	range_default(&r[TRAFFIC_OUTER_DST], t->outer_ip6 ? "2001:db8:2::2" : "198.18.1.2", 0, 0);
	t->head_bytes = (uint16_t)(traffic_outer_bytes(t) + sizeof(struct rte_ether_hdr) +
		traffic_ip_bytes(t->ip6) + traffic_l4_bytes(t));
	for (unsigned int i = 0; t->grows && i < t->n_sizes; i++)
		t->sizes[i] = (uint16_t)RTE_MAX(t->sizes[i], t->head_bytes + PROBE_BYTES);
	sizes_shuffle(t);
	sizes_sum(t);
	if (t->flows > flows_possible(t))
		return err_set(e, ERANGE,
			"flows %u: the ranges of addresses and ports make only %" PRIu64
			"; expected larger ones",
			t->flows, flows_possible(t));
	if (t->size_min < t->head_bytes + PROBE_BYTES)
		return err_set(e, ERANGE,
			"size %u: expected at least %u bytes: headers of %u and a probe of %u",
			t->size_min, t->head_bytes + PROBE_BYTES, t->head_bytes, PROBE_BYTES);
	return 0;
}

/* Read a file with a description. Returns its text, or NULL; free() it. */
static char *
file_read(const char *path, struct err *e)
{
	FILE *file = plain_file_read(path, e);
	char *text;
	size_t n;

	if (file == NULL)
		return NULL;
	text = malloc(DESCRIPTION_MAX + 1);
	n = text == NULL ? 0 : fread(text, 1, DESCRIPTION_MAX + 1, file);
	if (text == NULL || ferror(file) || n > DESCRIPTION_MAX || memchr(text, '\0', n) != NULL) {
		err_set(e, EINVAL, "%s: expected a text of up to %u bytes", path, DESCRIPTION_MAX);
		free(text);
		text = NULL;
	} else {
		text[n] = '\0';
	}
	fclose(file);
	return text;
}

static int
words_read(struct traffic *t, const char *words, const char *size, unsigned int port, struct err *e)
{
	struct words w = { .at = words, .e = e }, sizes = { .at = size, .e = e };
	/* Words of other ports are checked, but go to a copy that is dropped. */
	struct traffic other;
	bool own = true;
	uint32_t seen = 0; /* since the last "port N" */
	uint64_t value;

	while (word_next(&w)) {
		char keyword[sizeof(w.word)];
		uint32_t bit;
		int ret;

		memcpy(keyword, w.word, sizeof(keyword));
		if (strcmp(keyword, "port") == 0) {
			if (number_read(&w, keyword, 0, UINT16_MAX, &value) != 0)
				return -EINVAL;
			own = value == port;
			other = *t;
			seen = 0;
			if (w.at[strspn(w.at, " ")] == '\0')
				return err_set(e, EINVAL,
					"port %u: incomplete: expected the words of this port after it; numbers in headers are sport and dport",
					(unsigned int)value);
			if (t->absent < 0 && !rte_eth_dev_is_valid_port((uint16_t)value))
				t->absent = (int32_t)value;
			continue;
		}
		bit = word_bit(keyword);
		if ((seen & bit) != 0)
			return err_set(e, EINVAL,
				"%s: given twice: expected once, and once after each port N",
				keyword);
		seen |= bit;
		ret = word_read(own ? t : &other, keyword, &w);
		if (w.cut)
			return err_set(e, EINVAL, "\"%.40s...\": expected at most %zu characters",
				w.word, sizeof(w.word) - 1);
		if (ret != 0)
			return ret;
	}
	if (strcmp(size, TRAFFIC_SIZE_DESCRIBED) != 0 && sizes_read(t, &sizes) != 0)
		return -EINVAL;
	return finish(t, e);
}

int
traffic_parse(struct traffic *t, const char *words, const char *size, unsigned int port,
	struct err *e)
{
	static const char file[] = "file ";
	char *text;
	int ret;

	*t = (struct traffic){
		.flows = 1,
		.sizes = { 60 },
		.n_sizes = 1,
		.grows = true,
		.proto = IPPROTO_UDP,
		.ttl = 64,
		.seed = 1,
		.absent = -1,
	};
	words += strspn(words, " ");
	if (strncmp(words, file, sizeof(file) - 1) != 0)
		return words_read(t, words, size, port, e);
	text = file_read(words + sizeof(file) - 1, e);
	if (text == NULL)
		return -e->code;
	ret = words_read(t, text, size, port, e);
	free(text);
	return ret == 0 ? 0 : err_context(e, "%s", words + sizeof(file) - 1);
}
