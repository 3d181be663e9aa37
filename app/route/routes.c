/* Routes from commands and files; a file is loaded completely or not at all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "route/routes.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "cmdline/grammar/words.h"

#include <rte_ethdev.h>

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024 };

static const struct {
	const char *word;
	uint8_t number;
} protos[] = { { "tcp", 6 }, { "udp", 17 }, { "sctp", 132 } };

static bool
has_bits_behind(const struct route *r, unsigned int bytes)
{
	for (unsigned int bit = r->depth; bit < bytes * 8; bit++)
		if (r->addr[bit / 8] & (0x80 >> bit % 8))
			return true;
	return false;
}

int
routes_prefix(struct words *r, struct route *to, struct err *e)
{
	const size_t n = strcspn(r->word, "/");
	const bool sized = r->word[n] == '/';
	char text[INET6_ADDRSTRLEN], wrong[128], *end = NULL;
	unsigned long depth, most;

	words_hint(r, "a prefix such as 10.0.0.0/8 or 2001:db8::/32");
	memset(to, 0, sizeof(*to));
	snprintf(text, sizeof(text), "%.*s", (int)n, r->word);
	to->v6 = strchr(text, ':') != NULL;
	most = to->v6 ? 128 : 32;
	if (n >= sizeof(text) || inet_pton(to->v6 ? AF_INET6 : AF_INET, text, to->addr) != 1)
		return words_fail(r, EINVAL, NULL, e);
	depth = sized ? strtoul(r->word + n + 1, &end, 10) : most;
	if (sized &&
		(r->word[n + 1] < '0' || r->word[n + 1] > '9' || *end != '\0' || depth > most)) {
		snprintf(wrong, sizeof(wrong), "\"%.64s\": expected /0../%lu", r->word, most);
		return words_fail(r, EINVAL, wrong, e);
	}
	to->depth = (uint8_t)depth;
	if (has_bits_behind(to, to->v6 ? 16 : 4)) {
		snprintf(wrong, sizeof(wrong),
			"\"%.64s\": expected only zeros after the first %lu bits", r->word, depth);
		return words_fail(r, EINVAL, wrong, e);
	}
	words_next(r);
	return 0;
}

static int
address_read(struct words *r, bool v6, uint8_t *addr, struct err *e)
{
	words_hint(r, v6 ? "an IPv6 address" : "an IPv4 address");
	if (inet_pton(v6 ? AF_INET6 : AF_INET, r->word, addr) != 1)
		return words_fail(r, EINVAL, NULL, e);
	words_next(r);
	return 0;
}

static int
proto_read(struct words *r, uint8_t *to, struct err *e)
{
	uint64_t number;

	for (unsigned int i = 0; i < ARRAY_SIZE(protos); i++)
		if (words_is(r, protos[i].word, "")) {
			*to = protos[i].number;
			return 0;
		}
	if (words_number(r, NULL, 0, UINT8_MAX, &number, e) != 0)
		return -e->code;
	*to = (uint8_t)number;
	return 0;
}

/* Read a prefix or a five-tuple. */
static int
packets_read(struct words *r, struct route *to, struct err *e)
{
	uint64_t sport, dport;

	if (routes_prefix(r, to, e) != 0)
		return -e->code;
	if (to->depth != (to->v6 ? 128 : 32) || strpbrk(r->word, ".:") == NULL)
		return 0;
	to->flow = true;
	memcpy(to->src, to->addr, sizeof(to->src));
	if (address_read(r, to->v6, to->addr, e) != 0 ||
		words_number(r, NULL, 0, UINT16_MAX, &sport, e) != 0 ||
		words_number(r, NULL, 0, UINT16_MAX, &dport, e) != 0 ||
		proto_read(r, &to->proto, e) != 0)
		return -e->code;
	to->sport = (uint16_t)sport;
	to->dport = (uint16_t)dport;
	return 0;
}

int
routes_parse(struct route *to, const char *text, size_t column, struct err *e)
{
	struct words r;
	int ret;

	words_open(&r, text, column, NULL);
	ret = packets_read(&r, to, e);
	words_close(&r);
	return ret;
}

/*
 * Return 0 if both match the same packets; else their order by kind, family, depth, address, rest.
 */
static int
order(const struct route *x, const struct route *y)
{
	int by;

	if (x->flow != y->flow)
		return x->flow ? 1 : -1;
	if (x->v6 != y->v6)
		return x->v6 ? 1 : -1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	by = memcmp(x->addr, y->addr, sizeof(x->addr));
	if (by == 0)
		by = memcmp(x->src, y->src, sizeof(x->src));
	if (by == 0)
		by = x->sport - y->sport;
	if (by == 0)
		by = x->dport - y->dport;
	return by != 0 ? by : x->proto - y->proto;
}

/* Order by order(), and equal routes by their position. */
static int
compare(const void *a, const void *b)
{
	const struct route *x = *(const struct route *const *)a,
			   *y = *(const struct route *const *)b;
	int by = order(x, y);

	return by != 0 ? by : (x > y) - (x < y);
}

/* Keep only the last of equal routes, as if they had been added one by one. */
static int
unite(struct routes *rs, struct err *e)
{
	const struct route **by = malloc((rs->n + 1) * sizeof(struct route *));
	struct route *kept = malloc((rs->n + 1) * sizeof(*kept));
	unsigned int n = 0;

	if (by == NULL || kept == NULL) {
		free(by);
		free(kept);
		return err_set(e, ENOMEM, "no memory for %u routes", rs->n);
	}
	for (unsigned int i = 0; i < rs->n; i++)
		by[i] = &rs->route[i];
	qsort(by, rs->n, sizeof(struct route *), compare);
	for (unsigned int i = 0; i < rs->n; i++)
		if (i + 1 == rs->n || order(by[i], by[i + 1]) != 0)
			kept[n++] = *by[i];
	free(by);
	free(rs->route);
	*rs = (struct routes){ kept, n, rs->n + 1 };
	return 0;
}

struct route *
routes_find(const struct routes *rs, const struct route *like)
{
	for (unsigned int i = 0; i < rs->n; i++)
		if (order(&rs->route[i], like) == 0)
			return &rs->route[i];
	return NULL;
}

static int
append(struct routes *rs, const struct route *route, struct err *e)
{
	if (rs->n == ROUTES_MAX)
		return err_set(e, ENOSPC, "too many routes: expected at most %u", ROUTES_MAX);
	if (rs->n == rs->room) {
		unsigned int room = rs->room > 0 ? 2 * rs->room : 64;
		struct route *more = realloc(rs->route, room * sizeof(*more));

		if (more == NULL)
			return err_set(e, ENOMEM, "no memory for %u routes", room);
		rs->route = more;
		rs->room = room;
	}
	rs->route[rs->n++] = *route;
	return 0;
}

int
routes_add(struct routes *rs, const struct route *route, struct err *e)
{
	struct route *there = routes_find(rs, route);

	if (there == NULL)
		return append(rs, route, e);
	*there = *route;
	return 0;
}

int
routes_delete(struct routes *rs, const struct route *route, struct err *e)
{
	struct route *there = routes_find(rs, route);
	char text[ROUTES_TEXT];

	if (there == NULL) {
		routes_text(route, text, sizeof(text));
		return err_set(e, ENOENT, "no route to %s", text);
	}
	memmove(there, there + 1, (size_t)(rs->route + rs->n - (there + 1)) * sizeof(*there));
	rs->n--;
	return 0;
}

/* Read "port PORT mac MAC" to the end of a line: mac may be missing, and port and mac as words. */
static int
target_read(struct words *r, struct route *to, bool (*port_there)(uint16_t id), struct err *e)
{
	const bool named = words_is(r, "port", "");
	uint64_t port;

	if (words_number(r, NULL, 0, UINT16_MAX, &port, e) != 0)
		return -e->code;
	if (!port_there((uint16_t)port))
		return err_set(e, ENODEV, "port %" PRIu64 " does not exist", port);
	to->port = (uint16_t)port;
	if (r->n == 0)
		return 0;
	if (named && !words_is(r, "mac", ""))
		return words_fail(r, EINVAL, NULL, e);
	words_hint(r, "a MAC address");
	if (rte_ether_unformat_addr(r->word, &to->mac) != 0)
		return words_fail(r, EINVAL, NULL, e);
	to->has_mac = true;
	words_next(r);
	return r->n == 0 ? 0 : words_fail(r, EINVAL, NULL, e);
}

/* Read a line without its newline. Returns 1 if it has no words. */
static int
line_read(const char *line, struct route *to, bool (*port_there)(uint16_t id), struct err *e)
{
	struct words r;
	int ret = 1;

	words_open(&r, line, 0, NULL);
	if (r.n > 0)
		ret = packets_read(&r, to, e);
	if (ret == 0)
		ret = target_read(&r, to, port_there, e);
	words_close(&r);
	return ret;
}

static int
file_read(struct routes *rs, FILE *f, const char *path, bool (*port_there)(uint16_t id),
	struct err *e)
{
	char line[LINE_MAX_BYTES];
	unsigned int number = 0;
	int ret = 0;

	while (ret >= 0 && fgets(line, sizeof(line), f) != NULL) {
		size_t n = strcspn(line, "\n");
		struct route r;

		number++;
		if (line[n] == '\0' && n + 1 == sizeof(line))
			return err_set(e, E2BIG, "%s:%u: the line is longer than %zu bytes", path,
				number, n);
		if (line[n] == '\0' && !feof(f))
			return err_set(e, EILSEQ, "%s:%u: the line contains a NUL byte", path,
				number);
		line[n] = '\0';
		ret = line_read(line, &r, port_there, e);
		if (ret < 0) {
			e->column = -1; /* it is not one of the command's */
			return err_context(e, "%s:%u", path, number);
		}
		if (ret == 0)
			ret = append(rs, &r, e);
	}
	return ret < 0 ? ret : 0;
}

int
routes_copy(struct routes *to, const struct routes *from, struct err *e)
{
	*to = (struct routes){ 0 };
	if (from->n == 0)
		return 0;
	to->route = malloc(from->n * sizeof(*to->route));
	if (to->route == NULL)
		return err_set(e, ENOMEM, "no memory for %u routes", from->n);
	memcpy(to->route, from->route, from->n * sizeof(*to->route));
	to->n = to->room = from->n;
	return 0;
}

int
routes_load(struct routes *rs, const char *path, bool (*port_there)(uint16_t id), struct err *e)
{
	struct routes all = { 0 };
	FILE *f = plain_file_read(path, e);
	int ret;

	if (f == NULL)
		return -e->code;
	ret = routes_copy(&all, rs, e);
	if (ret == 0)
		ret = file_read(&all, f, path, port_there, e);
	if (ret == 0 && ferror(f))
		ret = err_set(e, EIO, "cannot read %s", path);
	fclose(f);
	if (ret == 0)
		ret = unite(&all, e);
	if (ret != 0) {
		free(all.route);
		return ret;
	}
	free(rs->route);
	*rs = all;
	return 0;
}

void
routes_clear(struct routes *rs)
{
	free(rs->route);
	memset(rs, 0, sizeof(*rs));
}

static void
proto_text(uint8_t number_of, char *text, size_t bytes)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(protos); i++)
		if (protos[i].number == number_of) {
			snprintf(text, bytes, "%s", protos[i].word);
			return;
		}
	snprintf(text, bytes, "%u", number_of);
}

void
routes_text(const struct route *r, char *text, size_t bytes)
{
	const int family = r->v6 ? AF_INET6 : AF_INET;
	char addr[INET6_ADDRSTRLEN], src[INET6_ADDRSTRLEN], last[8];

	inet_ntop(family, r->addr, addr, sizeof(addr));
	if (!r->flow) {
		snprintf(text, bytes, "%s/%u", addr, r->depth);
		return;
	}
	inet_ntop(family, r->src, src, sizeof(src));
	proto_text(r->proto, last, sizeof(last));
	snprintf(text, bytes, "%s %s %u %u %s", src, addr, r->sport, r->dport, last);
}

bool
routes_port(uint16_t id)
{
	return rte_eth_dev_is_valid_port(id) != 0;
}

void
routes_show_one(const struct route *r, const char *name, struct out *o)
{
	char mac[RTE_ETHER_ADDR_FMT_SIZE], text[ROUTES_TEXT];

	routes_text(r, text, sizeof(text));
	out_nest(o, name, OUT_OBJECT);
	out_str(o, r->flow ? "flow" : "prefix", "%s", text);
	out_u64(o, "port", " port %" PRIu64, r->port);
	rte_ether_format_addr(mac, sizeof(mac), &r->mac);
	if (r->has_mac)
		out_str(o, "mac", " mac %s", mac);
	out_text(o, "\n");
	out_unnest(o);
}
