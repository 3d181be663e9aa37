/* Reads descriptions of traffic. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/traffic/traffic.h"

#include "base/base.h"
#include "base/err.h"
#include "base/plain_file.h"
#include "base/text.h"
#include "cmdline/grammar/words.h"
#include "engines/measure/probe.h"
#include "engines/measure/traffic/traffic_head.h"
#include "engines/measure/traffic/traffic_range.h"
#include "engines/measure/traffic/traffic_raw.h"
#include "engines/measure/traffic/traffic_sizes.h"

#include <rte_ethdev.h>

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTION_MAX 65536 /* bytes of a file */
#define ROCEV2_PORT 4791

/* The words of a description. */

struct keyword {
	const char *word, *help;
	const char *expected; /* after the word; NULL: read() lists it */
	int (*read)(const struct keyword *k, struct words *r, struct traffic *t, struct err *e);
	enum traffic_range_kind range; /* for range_read() */
	size_t at;                     /* for number_read(): of a uint32_t in struct traffic */
	uint64_t min, max;
	uint8_t tunnel; /* for tunnel_read(); max 0: it has no number */
	/* for typed_read() */
	int (*typed)(struct words *r, struct traffic *t, struct err *e);
};

/* Fail at the value of a keyword. */
static int
value_fail(const struct keyword *k, struct words *r, struct err *e)
{
	char wrong[128];

	snprintf(wrong, sizeof(wrong), "%s \"%.80s\"", k->word, r->word);
	return words_fail(r, EINVAL, r->n > 0 ? wrong : NULL, e);
}

static int
number_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e)
{
	uint64_t value;

	if (words_number(r, k->word, k->min, k->max, &value, e) != 0)
		return -e->code;
	*(uint32_t *)((char *)t + k->at) = (uint32_t)value;
	return 0;
}

/* Read the values of a field. flows: of one that makes flows. */
static int
values_read(const struct keyword *k, struct words *r, struct traffic *t,
	struct traffic_range *range, bool flows, struct err *e)
{
	char text[sizeof(r->word)];

	words_hint(r, k->expected);
	memcpy(text, r->word, sizeof(text));
	if (!traffic_range_read(t, text, k->range, k->max, range))
		return value_fail(k, r, e);
	/* Flows with equal values would be one flow. */
	if (flows && traffic_range_repeats(t, range)) {
		snprintf(text, sizeof(text), "%s \"%.80s\": a value is given twice", k->word,
			r->word);
		return words_fail(r, EINVAL, text, e);
	}
	words_next(r);
	range->random = words_is(r, "random", "values in random order");
	if (!range->random)
		words_is(r, "count", "values in ascending order (default)");
	return 0;
}

/* Read the word of a tunnel, of which a packet has one. */
static int
tunnel_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e)
{
	const uint8_t before = t->tunnel;

	if (before != TRAFFIC_NO_TUNNEL && before != k->tunnel)
		return words_fail(r, EINVAL,
			"a second tunnel: expected one of vxlan, gre, gtpu and srv6", e);
	t->tunnel = k->tunnel;
	return k->max > 0 ? values_read(k, r, t, &t->tunnel_id, false, e) : 0;
}

/* Read values divided by commas: each() reads number n of them. */
static int
list_read(const struct keyword *k, struct words *r, struct traffic *t,
	bool (*each)(struct traffic *t, unsigned int n, const char *text), unsigned int max,
	unsigned int *n, struct err *e)
{
	char text[LINE_BYTES], *rest, *part;

	words_hint(r, k->expected);
	snprintf(text, sizeof(text), "%s", r->word);
	*n = 0;
	for (part = strtok_r(text, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest))
		if (*n == max || !each(t, (*n)++, part))
			return value_fail(k, r, e);
	if (*n == 0)
		return value_fail(k, r, e);
	words_next(r);
	return 0;
}

static bool
label_read(struct traffic *t, unsigned int n, const char *text)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%.63s", text);
	return strlen(text) < sizeof(copy) &&
		traffic_range_read(t, copy, TRAFFIC_NUMBERS, (1 << 20) - 1, &t->labels[n]);
}

static int
mpls_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e)
{
	return list_read(k, r, t, label_read, TRAFFIC_LABELS_MAX, &t->n_labels, e);
}

static bool
segment_read(struct traffic *t, unsigned int n, const char *text)
{
	bool ip6;

	return traffic_range_address(text, t->segments[n], &ip6) && ip6;
}

static int
srv6_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e)
{
	if (tunnel_read(k, r, t, e) != 0)
		return -e->code;
	return list_read(k, r, t, segment_read, TRAFFIC_SEGMENTS_MAX, &t->n_segments, e);
}

static int
raw_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e)
{
	const size_t digits = text_hex(r->word, t->raw, TRAFFIC_RAW_MAX);

	words_hint(r, k->expected);
	if (digits != strlen(r->word) || digits % 2 != 0 || digits > 2 * TRAFFIC_RAW_MAX ||
		digits < 2 * sizeof(struct rte_ether_hdr))
		return value_fail(k, r, e);
	t->n_raw = (unsigned int)digits / 2;
	t->kind = TRAFFIC_RAW;
	words_next(r);
	return 0;
}

/* Read what says more about a header as typed. */
static int
typed_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e)
{
	return k->typed(r, t, e);
}

static int
together_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e)
{
	t->together = true;
	return 0;
}

static int
sizes_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e)
{
	words_hint(r, k->expected);
	if (!traffic_sizes_read(t, r->word))
		return value_fail(k, r, e);
	words_next(r);
	return 0;
}

static int
proto_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e)
{
	static const struct {
		const char *word;
		uint8_t kind, proto;
		bool rocev2;
	} protos[] = { { "udp", TRAFFIC_IP, IPPROTO_UDP, false },
		{ "tcp", TRAFFIC_IP, IPPROTO_TCP, false },
		{ "icmp", TRAFFIC_IP, IPPROTO_ICMP, false },
		{ "rocev2", TRAFFIC_IP, IPPROTO_UDP, true }, { "arp", TRAFFIC_ARP, 0, false },
		{ "pfcpause", TRAFFIC_PFC, 0, false } };

	for (size_t i = 0; i < ARRAY_SIZE(protos); i++)
		if (words_is(r, protos[i].word, "")) {
			t->kind = protos[i].kind;
			t->proto = protos[i].proto;
			t->rocev2 = protos[i].rocev2;
			return 0;
		}
	return value_fail(k, r, e);
}

static int range_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e);

#define RANGE(name, about, reader, most, values) \
	{ \
		.word = name, .help = about, .expected = values, .read = range_read, \
		.range = reader, .max = most \
	}
#define MANY "LOW-HIGH, A,B,... or START+STEP*N"
#define ADDRESSES(name, about) \
	RANGE(name, about, TRAFFIC_ADDRESSES, 0, \
		"an address, ADDRESS/PREFIX (0..32, IPv6: 0..128), LOW-HIGH, A,B,... or START+STEP*N")
#define PORTS(name, about) \
	RANGE(name, about, TRAFFIC_NUMBERS, UINT16_MAX, "a port, " MANY ", 0..65535")
#define MACS(name, about) RANGE(name, about, TRAFFIC_MACS, 0, "a MAC address, " MANY)
#define NUMBER(name, about, member, low, high) \
	{ \
		.word = name, .help = about, .read = number_read, \
		.at = offsetof(struct traffic, member), .min = low, .max = high \
	}

#define TUNNEL(name, about, which, high, values) \
	{ \
		.word = name, .help = about, .expected = values, .read = tunnel_read, \
		.range = TRAFFIC_NUMBERS, .max = high, .tunnel = which \
	}

/* The first ones are the fields. */
static const struct keyword keywords[] = {
	[TRAFFIC_SRC] = ADDRESSES("src", "source addresses"),
	[TRAFFIC_DST] = ADDRESSES("dst", "destination addresses"),
	[TRAFFIC_SPORT] = PORTS("sport", "source ports"),
	[TRAFFIC_DPORT] = PORTS("dport", "destination ports"),
	[TRAFFIC_SMAC] = MACS("smac", "source MAC addresses"),
	[TRAFFIC_DMAC] = MACS("dmac", "destination MAC addresses"),
	[TRAFFIC_VLAN] =
		RANGE("vlan", "VLAN IDs", TRAFFIC_NUMBERS, 4095, "a VLAN ID, " MANY ", 0..4095"),
	[TRAFFIC_QINQ] = RANGE("qinq", "outer VLAN IDs; needs vlan", TRAFFIC_NUMBERS, 4095,
		"the outer VLAN ID, " MANY ", 0..4095"),
	[TRAFFIC_DSCP] =
		RANGE("dscp", "DSCP values", TRAFFIC_NUMBERS, 63, "a DSCP, " MANY ", 0..63"),
	[TRAFFIC_ECN] = RANGE("ecn", "ECN bits", TRAFFIC_NUMBERS, 3,
		"ECN bits, " MANY ", 0..3; 3: congestion experienced"),
	[TRAFFIC_OUTER_SRC] = ADDRESSES("outer-src", "source addresses of the tunnel"),
	[TRAFFIC_OUTER_DST] = ADDRESSES("outer-dst", "destination addresses of the tunnel"),
	NUMBER("flows", "number of flows (default 1)", flows, 0, PROBE_FLOWS_MAX),
	{ .word = "together",
		.help = "src, dst, sport and dport count together from flow to flow (default: like the digits of a number)",
		.read = together_read },
	{ .word = "size",
		.help = "packet sizes (default: the least that headers and probe need)",
		.expected = TRAFFIC_SIZES,
		.read = sizes_read },
	{ .word = "proto", .help = "protocol (default udp)", .read = proto_read },
	NUMBER("ttl", "TTL or hop limit (default 64)", ttl, 1, UINT8_MAX),
	TUNNEL("vxlan", "VNI of a VXLAN tunnel around the packets", TRAFFIC_VXLAN, (1 << 24) - 1,
		"a VNI, " MANY ", 0..16777215"),
	TUNNEL("gtpu", "TEID of a GTP-U tunnel around the packets", TRAFFIC_GTPU, UINT32_MAX,
		"a TEID, " MANY ", 0..4294967295"),
	TUNNEL("gre", "a GRE tunnel around the packets", TRAFFIC_GRE, 0, NULL),
	{ .word = "srv6",
		.help = "segments of an SRv6 tunnel around the packets",
		.expected = "up to 8 IPv6 addresses, the path, with commas between them",
		.read = srv6_read,
		.tunnel = TRAFFIC_SRV6 },
	{ .word = "mpls",
		.help = "MPLS labels, the outermost first",
		.expected =
			"up to 8 labels, LOW-HIGH or START+STEP*N, 0..1048575, with commas between them",
		.read = mpls_read },
	NUMBER("qp", "destination queue pair of rocev2 (default 2)", qp, 0, (1 << 24) - 1),
	NUMBER("pfc-classes", "bits of the classes that pfcpause is for (default 255)", pfc_classes,
		0, UINT8_MAX),
	NUMBER("pfc-quanta", "time of pfcpause in units of 512 bit times (default 65535)",
		pfc_quanta, 0, UINT16_MAX),
	{ .word = "raw",
		.help = "the whole header in hexadecimal",
		.expected =
			"hexadecimal digits of 14 to 256 bytes, from the destination MAC address on",
		.read = raw_read },
	{ .word = "vary",
		.help = "fields of raw whose values change from flow to flow",
		.read = typed_read,
		.typed = traffic_vary_read },
	{ .word = "lengths",
		.help = "lengths in raw",
		.read = typed_read,
		.typed = traffic_lengths_read },
	{ .word = "sums",
		.help = "checksums in raw",
		.read = typed_read,
		.typed = traffic_sums_read },
	NUMBER("seed", "seed of random values and of the order of sizes (default 1)", seed, 0,
		UINT32_MAX),
};
static_assert(ARRAY_SIZE(keywords) <= 32, "a bit for each");

static int
range_read(const struct keyword *k, struct words *r, struct traffic *t, struct err *e)
{
	return values_read(k, r, t, &t->range[k - keywords], k - keywords <= TRAFFIC_DPORT, e);
}

/* Read the next keyword, each of which may stand once since the last "port"; NULL: there is none. */
static const struct keyword *
keyword_next(struct words *r, uint32_t *seen)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(keywords); i++)
		if ((*seen & 1u << i) == 0 && words_is(r, keywords[i].word, keywords[i].help)) {
			*seen |= 1u << i;
			return &keywords[i];
		}
	return NULL;
}

int
traffic_word(struct traffic *t, struct words *r, uint32_t *seen, const char **word, struct err *e)
{
	const struct keyword *k = keyword_next(r, seen);

	if (k == NULL)
		return 0;
	*word = k->word;
	return k->read(k, r, t, e) != 0 ? -e->code : 1;
}

/* Fail at a word that is none of the keywords that may follow. */
static int
keyword_fail(struct words *r, struct err *e)
{
	static const char *const settings[] = { "set generate-rate", "set generate-gaps",
		"set generate-late" };
	const char *wrong = NULL;
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (strcmp(settings[i] + strlen("set generate-"), r->word) == 0)
			r->meant = settings[i];
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (strcmp(keywords[i].word, r->word) == 0) {
			snprintf(text, sizeof(text),
				"%s: given twice: expected once, and once after each port N",
				keywords[i].word);
			wrong = text;
		}
	if (strcmp(r->word, "file") == 0)
		wrong = "file: expected \"file PATH\" and no other words";
	if (strcmp(r->word, "stream") == 0)
		wrong = "stream: incomplete: expected \"set generate stream NAME WORDS\"";
	if (wrong != NULL)
		offers_free(&r->offers);
	if (r->n == 0)
		wrong = "port: incomplete: expected the words of this port after its number; numbers in headers are sport and dport";
	return words_fail(r, EINVAL, wrong, e);
}

static int
words_all(struct traffic *t, struct words *r, unsigned int port, struct err *e)
{
	struct words_port p = { .own = port, .exists = rte_eth_dev_is_valid_port, .absent = -1 };
	/* Words of other ports are checked, but go to a copy that is dropped. */
	struct traffic other;
	bool after_port = false;
	uint32_t seen = 0;

	for (;;) {
		const struct keyword *k = keyword_next(r, &seen);
		const int ret = k != NULL ? k->read(k, r, p.other ? &other : t, e)
					  : words_port(r, &p, e);

		if (ret < 0)
			return ret;
		if (k == NULL && ret == 0)
			break;
		after_port = k == NULL;
		if (after_port) {
			other = *t;
			seen = 0;
		}
	}
	t->absent = p.absent;
	return r->n > 0 || after_port ? keyword_fail(r, e) : 0;
}

/* Add a range that the description leaves out. */
static void
range_default(struct traffic *t, struct traffic_range *r, const char *text, uint64_t first,
	uint64_t count)
{
	char copy[64];

	if (r->count != 0)
		return;
	if (text != NULL) {
		snprintf(copy, sizeof(copy), "%s", text);
		traffic_range_read(t, copy, TRAFFIC_ADDRESSES, 0, r);
	} else {
		traffic_range_put(r->first, first);
		traffic_range_put(r->step, 1);
		r->count = count;
	}
}

/* The least number that is a multiple of both; more than TRAFFIC_COUNT_MAX is as good as that. */
static uint64_t
multiple(uint64_t a, uint64_t b)
{
	uint64_t x = a, y = b;

	while (y != 0) {
		const uint64_t rest = x % y;

		x = y;
		y = rest;
	}
	return RTE_MIN(a / x * b, TRAFFIC_COUNT_MAX);
}

/* How many flows the ranges make; more than PROBE_FLOWS_MAX is as good as that. */
static uint64_t
flows_possible(const struct traffic *t)
{
	uint64_t flows = 1;

	for (unsigned int f = TRAFFIC_SRC;
		f <= (traffic_has_ports(t) ? TRAFFIC_DPORT : TRAFFIC_DST); f++)
		flows = t->together ? multiple(flows, t->range[f].count)
				    : RTE_MIN(flows * t->range[f].count, TRAFFIC_COUNT_MAX);
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
	err_set(e, EINVAL, "%s is an IPv%d address, but %s an IPv%d address", keywords[one].word,
		a->ip6 ? 6 : 4, keywords[other].word, b->ip6 ? 6 : 4);
	return true;
}

/* Refuse words that have no place in the packets that others describe. */
static int
kind_check(struct traffic *t, struct err *e)
{
	const struct traffic_range *r = t->range;
	const bool tunnel = t->tunnel != TRAFFIC_NO_TUNNEL;
	uint64_t fields = 0, addresses = 0;

	for (unsigned int f = 0; f < TRAFFIC_FIELDS; f++) {
		fields += r[f].count;
		if (f != TRAFFIC_SMAC && f != TRAFFIC_DMAC && f != TRAFFIC_VLAN &&
			f != TRAFFIC_QINQ)
			addresses += r[f].count;
	}
	if (t->n_raw > 0 && (t->kind != TRAFFIC_RAW || fields > 0 || tunnel || t->n_labels > 0))
		return err_set(e, EINVAL,
			"raw: is the whole header: expected only vary, lengths, sums, flows, size and seed beside it");
	if (t->together &&
		(r[TRAFFIC_SRC].random || r[TRAFFIC_DST].random || r[TRAFFIC_SPORT].random ||
			r[TRAFFIC_DPORT].random))
		return err_set(e, EINVAL,
			"together: expected src, dst, sport and dport without random");
	if (t->kind == TRAFFIC_PFC && addresses > 0)
		return err_set(e, EINVAL,
			"proto pfcpause: has no addresses: expected only smac, dmac, vlan, qinq beside it");
	if (t->kind != TRAFFIC_IP && (tunnel || t->n_labels > 0))
		return err_set(e, EINVAL, "a tunnel or mpls: expected packets of IP in it");
	if (t->kind == TRAFFIC_ARP && (r[TRAFFIC_SRC].ip6 || r[TRAFFIC_DST].ip6))
		return err_set(e, EINVAL, "proto arp: expected IPv4 addresses");
	if (t->tunnel == TRAFFIC_SRV6 && r[TRAFFIC_OUTER_DST].count > 0)
		return err_set(e, EINVAL,
			"outer-dst: the segments of srv6 are the destinations: expected none");
	if ((t->kind == TRAFFIC_PFC || (t->kind == TRAFFIC_RAW && t->n_vary == 0)) && t->flows > 1)
		return err_set(e, ERANGE, "flows %u: all packets have one header: expected 1",
			t->flows);
	return traffic_raw_finish(t, e);
}

static int
finish(struct traffic *t, struct err *e)
{
	struct traffic_range *r = t->range;

	if (kind_check(t, e) != 0)
		return -e->code;
	if (families_differ(t, TRAFFIC_SRC, TRAFFIC_DST, e) ||
		families_differ(t, TRAFFIC_OUTER_SRC, TRAFFIC_OUTER_DST, e))
		return -EINVAL;
	t->ip6 = r[TRAFFIC_SRC].ip6 || r[TRAFFIC_DST].ip6;
	t->outer_ip6 = r[TRAFFIC_OUTER_SRC].ip6 || r[TRAFFIC_OUTER_DST].ip6 ||
		t->tunnel == TRAFFIC_SRV6;
	if (t->ip6 && t->proto == IPPROTO_ICMP)
		t->proto = IPPROTO_ICMPV6;
	if (!traffic_has_ports(t) && r[TRAFFIC_SPORT].count + r[TRAFFIC_DPORT].count > 0)
		return err_set(e, EINVAL, "sport, dport: %s has no ports: expected src or dst",
			t->kind == TRAFFIC_ARP ? "ARP" : "ICMP");
	if (t->tunnel == TRAFFIC_NO_TUNNEL &&
		r[TRAFFIC_OUTER_SRC].count + r[TRAFFIC_OUTER_DST].count > 0)
		return err_set(e, EINVAL,
			"outer-src, outer-dst: expected vxlan, gre, gtpu or srv6, too");
	if (r[TRAFFIC_QINQ].count > 0 && r[TRAFFIC_VLAN].count == 0)
		return err_set(e, EINVAL, "qinq: expected vlan ID, the inner tag, too");
	/* Without any range, the source port (for ICMP the source address) counts the flows. */
	if (r[TRAFFIC_SRC].count == 0 && !traffic_has_ports(t) && r[TRAFFIC_DST].count <= 1)
		range_default(t, &r[TRAFFIC_SRC], t->ip6 ? "2001:db8::/96" : "198.18.0.0/16", 0, 0);
	range_default(t, &r[TRAFFIC_SRC], t->ip6 ? "2001:db8::1" : "198.18.0.1", 0, 0);
	range_default(t, &r[TRAFFIC_DST], t->ip6 ? "2001:db8:1::1" : "198.19.0.1", 0, 0);
	if (traffic_has_ports(t)) {
		const bool alone = r[TRAFFIC_SRC].count * r[TRAFFIC_DST].count == 1 &&
			r[TRAFFIC_DPORT].count <= 1;

		range_default(t, &r[TRAFFIC_SPORT], NULL, 1024, alone ? 64512 : 1);
		range_default(t, &r[TRAFFIC_DPORT], NULL, t->rocev2 ? ROCEV2_PORT : 9, 1);
	}
	range_default(t, &r[TRAFFIC_OUTER_SRC], t->outer_ip6 ? "2001:db8:2::1" : "198.18.1.1", 0,
		0);
	range_default(t, &r[TRAFFIC_OUTER_DST], t->outer_ip6 ? "2001:db8:2::2" : "198.18.1.2", 0,
		0);
	t->head_bytes = (uint16_t)traffic_head_bytes(t);
	traffic_sizes_finish(t);
	if (t->kind != TRAFFIC_RAW && t->flows > flows_possible(t))
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

/* Read the words of the file whose path follows: the rest of the text, or in quotes. */
static int
file_words(struct traffic *t, struct words *r, unsigned int port, struct err *e)
{
	char path[LINE_BYTES], *text;
	struct words words;
	int ret;

	words_file(r);
	if (r->n == 0 || r->wrong != NULL)
		return words_fail(r, EINVAL, NULL, e);
	snprintf(path, sizeof(path), "%s", r->quoted ? r->word : r->text + r->at);
	while (!r->quoted && r->n > 0)
		words_next(r);
	if (r->quoted)
		words_next(r);
	if (r->n > 0)
		return words_fail(r, EINVAL, NULL, e);
	text = file_read(path, e);
	if (text == NULL)
		return -e->code;
	words_open(&words, text, 0, NULL);
	ret = words_all(t, &words, port, e);
	if (ret != 0) {
		err_context(e, "%s:%u", path, words_line(&words));
		e->column = -1;
	}
	words_close(&words);
	free(text);
	return ret;
}

int
traffic_read(struct traffic *t, struct words *r, const char *size, unsigned int port, struct err *e)
{
	int ret;

	*t = (struct traffic){
		.flows = 1,
		.sizes = { 60 },
		.n_sizes = 1,
		.grows = true,
		.proto = IPPROTO_UDP,
		.qp = 2,
		.pfc_classes = UINT8_MAX,
		.pfc_quanta = UINT16_MAX,
		.ttl = 64,
		.seed = 1,
	};
	ret = words_is(r, "file", "read the words from a file") ? file_words(t, r, port, e)
								: words_all(t, r, port, e);
	if (ret != 0)
		return ret;
	if (strcmp(size, TRAFFIC_SIZE_DESCRIBED) != 0 && !traffic_sizes_read(t, size))
		return err_set(e, EINVAL, "size \"%s\": expected " TRAFFIC_SIZES, size);
	return finish(t, e);
}

int
traffic_parse(struct traffic *t, const char *text, const char *size, unsigned int port,
	struct err *e)
{
	struct words r;
	int ret;

	words_open(&r, text, 0, NULL);
	ret = traffic_read(t, &r, size, port, e);
	words_close(&r);
	return ret;
}
