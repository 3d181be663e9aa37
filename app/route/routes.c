/* Routes from commands and files; a file is loaded completely or not at all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "route/routes.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"

#include <rte_ethdev.h>

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "port PORT mac MAC" follows a prefix or a five-tuple. */
enum { TARGET_WORDS = 4, LINE_WORDS = ROUTES_FLOW_WORDS + TARGET_WORDS, LINE_MAX_BYTES = 1024 };

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
routes_prefix(struct route *r, const char *word, struct err *e)
{
	const char *slash = strchr(word, '/');
	size_t n = slash != NULL ? (size_t)(slash - word) : strlen(word);
	char text[INET6_ADDRSTRLEN], *end;
	unsigned long depth, most;

	memset(r, 0, sizeof(*r));
	if (n >= sizeof(text))
		return err_set(e, EINVAL,
			"\"%s\": expected a prefix such as 10.0.0.0/8 or 2001:db8::/32", word);
	memcpy(text, word, n);
	text[n] = '\0';
	r->v6 = strchr(text, ':') != NULL;
	most = r->v6 ? 128 : 32;
	if (inet_pton(r->v6 ? AF_INET6 : AF_INET, text, r->addr) != 1)
		return err_set(e, EINVAL,
			"\"%s\": expected a prefix such as 10.0.0.0/8 or 2001:db8::/32", word);
	depth = slash != NULL ? strtoul(slash + 1, &end, 10) : most;
	if (slash != NULL && (slash[1] < '0' || slash[1] > '9' || *end != '\0' || depth > most))
		return err_set(e, EINVAL, "\"%s\": expected /0../%lu", word, most);
	r->depth = (uint8_t)depth;
	if (has_bits_behind(r, r->v6 ? 16 : 4))
		return err_set(e, EINVAL, "\"%s\": expected only zeros after the first %lu bits",
			word, depth);
	return 0;
}

static int
address(const char *word, bool v6, uint8_t *addr, struct err *e)
{
	if (inet_pton(v6 ? AF_INET6 : AF_INET, word, addr) == 1)
		return 0;
	return err_set(e, EINVAL, "\"%s\" is not an IPv%c address", word, v6 ? '6' : '4');
}

/* Parse a number, 0..most. */
static int
number(const char *word, unsigned long most, const char *what, uint16_t *to, struct err *e)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (word[0] < '0' || word[0] > '9' || *end != '\0' || n > most)
		return err_set(e, EINVAL, "\"%s\": expected a %s, 0..%lu", word, what, most);
	*to = (uint16_t)n;
	return 0;
}

static int
proto(const char *word, uint8_t *to, struct err *e)
{
	uint16_t n = 0;
	int ret;

	for (unsigned int i = 0; i < ARRAY_SIZE(protos); i++)
		if (strcmp(word, protos[i].word) == 0) {
			*to = protos[i].number;
			return 0;
		}
	ret = number(word, UINT8_MAX, "protocol: tcp, udp, sctp or a number", &n, e);
	*to = (uint8_t)n;
	return ret;
}

int
routes_flow(struct route *r, const char *const *words, struct err *e)
{
	int ret;

	memset(r, 0, sizeof(*r));
	r->flow = true;
	r->v6 = strchr(words[0], ':') != NULL;
	r->depth = r->v6 ? 128 : 32;
	ret = address(words[0], r->v6, r->src, e);
	if (ret == 0)
		ret = address(words[1], r->v6, r->addr, e);
	if (ret == 0)
		ret = number(words[2], UINT16_MAX, "source port", &r->sport, e);
	if (ret == 0)
		ret = number(words[3], UINT16_MAX, "destination port", &r->dport, e);
	return ret == 0 ? proto(words[4], &r->proto, e) : ret;
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

static int
word_port(struct route *r, const char *word, bool (*port_there)(uint16_t id), struct err *e)
{
	char *end;
	unsigned long id = strtoul(word, &end, 10);

	if (word[0] < '0' || word[0] > '9' || *end != '\0' || id > UINT16_MAX)
		return err_set(e, EINVAL, "\"%s\" is not a port number", word);
	if (!port_there((uint16_t)id))
		return err_set(e, ENODEV, "port %lu does not exist", id);
	r->port = (uint16_t)id;
	return 0;
}

/*
 * Parse the n words of a line, with the keywords port and mac, as in `route add`, or without them.
 */
static int
words_parse(struct route *r, char *const *words, unsigned int n, bool (*port_there)(uint16_t id),
	struct err *e)
{
	const bool flow = n > 1 + TARGET_WORDS;
	const unsigned int packets = flow ? ROUTES_FLOW_WORDS : 1;
	const bool named = n > packets && strcmp(words[packets], "port") == 0;
	const unsigned int port = packets + named, mac = port + 1 + named;
	int ret;

	if ((n != port + 1 && n != mac + 1) ||
		(named && n > mac && strcmp(words[mac - 1], "mac") != 0))
		return err_set(e, EINVAL,
			"%u word%s: expected PREFIX port PORT [mac MAC] or SRC DST SPORT DPORT PROTO port PORT [mac MAC]",
			n, n == 1 ? "" : "s");
	ret = flow ? routes_flow(r, (const char *const *)words, e) : routes_prefix(r, words[0], e);
	if (ret == 0)
		ret = word_port(r, words[port], port_there, e);
	if (ret != 0 || n <= mac)
		return ret;
	r->has_mac = true;
	if (rte_ether_unformat_addr(words[mac], &r->mac) != 0)
		return err_set(e, EINVAL, "\"%s\" is not a MAC address", words[mac]);
	return 0;
}

/* Parse a line without its newline; modifies line. Returns 1 if it has no words. */
static int
line_parse(struct route *r, char *line, bool (*port_there)(uint16_t id), struct err *e)
{
	char *words[LINE_WORDS + 1] = { NULL }, *save = NULL, *word;
	unsigned int n = 0;

	line[strcspn(line, "#")] = '\0';
	for (word = strtok_r(line, " \t\r", &save); word != NULL && n <= LINE_WORDS;
		word = strtok_r(NULL, " \t\r", &save))
		words[n++] = word;
	return n == 0 ? 1 : words_parse(r, words, n, port_there, e);
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
		struct err why = { 0 };

		number++;
		if (line[n] == '\0' && n + 1 == sizeof(line))
			return err_set(e, E2BIG, "%s:%u: the line is longer than %zu bytes", path,
				number, n);
		if (line[n] == '\0' && !feof(f))
			return err_set(e, EILSEQ, "%s:%u: the line contains a NUL byte", path,
				number);
		line[n] = '\0';
		ret = line_parse(&r, line, port_there, &why);
		if (ret < 0)
			return err_set(e, why.code, "%s:%u: %s", path, number, why.text);
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
