/* The routes of the stage l3fwd, from commands and files; a file is taken whole or not at all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/l3fwd/ring_routes.h"

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

enum { LINE_WORDS = 3, LINE_MAX_BYTES = 1024 };

static bool
has_bits_behind(const struct ring_route *r, unsigned int bytes)
{
	for (unsigned int bit = r->depth; bit < bytes * 8; bit++)
		if (r->addr[bit / 8] & (0x80 >> bit % 8))
			return true;
	return false;
}

int
ring_routes_prefix(struct ring_route *r, const char *word, struct err *e)
{
	const char *slash = strchr(word, '/');
	size_t n = slash != NULL ? (size_t)(slash - word) : strlen(word);
	char text[INET6_ADDRSTRLEN], *end;
	unsigned long depth, most;

	memset(r, 0, sizeof(*r));
	if (n >= sizeof(text))
		return err_set(e, EINVAL, "\"%s\" is no prefix", word);
	memcpy(text, word, n);
	text[n] = '\0';
	r->v6 = strchr(text, ':') != NULL;
	most = r->v6 ? 128 : 32;
	if (inet_pton(r->v6 ? AF_INET6 : AF_INET, text, r->addr) != 1)
		return err_set(e, EINVAL,
			"\"%s\": want a prefix such as 10.0.0.0/8 or 2001:db8::/32", word);
	depth = slash != NULL ? strtoul(slash + 1, &end, 10) : most;
	if (slash != NULL && (slash[1] < '0' || slash[1] > '9' || *end != '\0' || depth > most))
		return err_set(e, EINVAL, "\"%s\": want /0../%lu", word, most);
	r->depth = (uint8_t)depth;
	if (has_bits_behind(r, r->v6 ? 16 : 4))
		return err_set(e, EINVAL, "\"%s\" has bits set behind its first %lu", word, depth);
	return 0;
}

/* By family, depth, prefix; of equal ones the later last. */
static int
compare(const void *a, const void *b)
{
	const struct ring_route *x = *(const struct ring_route *const *)a,
				*y = *(const struct ring_route *const *)b;
	int order;

	if (x->v6 != y->v6)
		return x->v6 ? 1 : -1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	order = memcmp(x->addr, y->addr, sizeof(x->addr));
	return order != 0 ? order : (x > y) - (x < y);
}

static bool
same_prefix(const struct ring_route *x, const struct ring_route *y)
{
	return x->v6 == y->v6 && x->depth == y->depth &&
		memcmp(x->addr, y->addr, sizeof(x->addr)) == 0;
}

/* Of each prefix keep the last route, as if they had been added one by one. */
static int
unite(struct ring_routes *rs, struct err *e)
{
	const struct ring_route **order = malloc((rs->n + 1) * sizeof(struct ring_route *));
	struct ring_route *kept = malloc((rs->n + 1) * sizeof(*kept));
	unsigned int n = 0;

	if (order == NULL || kept == NULL) {
		free(order);
		free(kept);
		return err_set(e, ENOMEM, "no memory for %u routes", rs->n);
	}
	for (unsigned int i = 0; i < rs->n; i++)
		order[i] = &rs->route[i];
	qsort(order, rs->n, sizeof(struct ring_route *), compare);
	for (unsigned int i = 0; i < rs->n; i++)
		if (i + 1 == rs->n || !same_prefix(order[i], order[i + 1]))
			kept[n++] = *order[i];
	free(order);
	free(rs->route);
	*rs = (struct ring_routes){ kept, n, rs->n + 1 };
	return 0;
}

static struct ring_route *
find(const struct ring_routes *rs, const struct ring_route *like)
{
	for (unsigned int i = 0; i < rs->n; i++)
		if (same_prefix(&rs->route[i], like))
			return &rs->route[i];
	return NULL;
}

static int
append(struct ring_routes *rs, const struct ring_route *route, struct err *e)
{
	if (rs->n == RING_ROUTES_MAX)
		return err_set(e, ENOSPC, "more than %u routes", RING_ROUTES_MAX);
	if (rs->n == rs->room) {
		unsigned int room = rs->room > 0 ? 2 * rs->room : 64;
		struct ring_route *more = realloc(rs->route, room * sizeof(*more));

		if (more == NULL)
			return err_set(e, ENOMEM, "no memory for %u routes", room);
		rs->route = more;
		rs->room = room;
	}
	rs->route[rs->n++] = *route;
	return 0;
}

int
ring_routes_add(struct ring_routes *rs, const struct ring_route *route, struct err *e)
{
	struct ring_route *there = find(rs, route);

	if (there == NULL)
		return append(rs, route, e);
	*there = *route;
	return 0;
}

int
ring_routes_delete(struct ring_routes *rs, const struct ring_route *route, struct err *e)
{
	struct ring_route *there = find(rs, route);
	char text[64];

	if (there == NULL) {
		ring_routes_text(route, text, sizeof(text));
		return err_set(e, ENOENT, "no route to %s", text);
	}
	memmove(there, there + 1, (size_t)(rs->route + rs->n - (there + 1)) * sizeof(*there));
	rs->n--;
	return 0;
}

static int
word_port(struct ring_route *r, const char *word, bool (*port_there)(uint16_t id), struct err *e)
{
	char *end;
	unsigned long id = strtoul(word, &end, 10);

	if (word[0] < '0' || word[0] > '9' || *end != '\0' || id > UINT16_MAX)
		return err_set(e, EINVAL, "\"%s\" is no port number", word);
	if (!port_there((uint16_t)id))
		return err_set(e, ENODEV, "port %lu does not exist", id);
	r->port = (uint16_t)id;
	return 0;
}

/* One line without its newline, which this cuts into words. Returns 1 for a line without any. */
static int
line_parse(struct ring_route *r, char *line, bool (*port_there)(uint16_t id), struct err *e)
{
	char *words[LINE_WORDS + 1] = { NULL }, *save = NULL, *word;
	unsigned int n = 0;
	int ret;

	line[strcspn(line, "#")] = '\0';
	for (word = strtok_r(line, " \t\r", &save); word != NULL && n <= LINE_WORDS;
		word = strtok_r(NULL, " \t\r", &save))
		words[n++] = word;
	if (n == 0)
		return 1;
	if (n < 2 || n > LINE_WORDS)
		return err_set(e, EINVAL, "%u word%s: want PREFIX PORT [MAC]", n,
			n == 1 ? "" : "s");
	ret = ring_routes_prefix(r, words[0], e);
	if (ret == 0)
		ret = word_port(r, words[1], port_there, e);
	if (ret != 0 || n == 2)
		return ret;
	r->has_mac = true;
	if (rte_ether_unformat_addr(words[2], &r->mac) != 0)
		return err_set(e, EINVAL, "\"%s\" is no MAC address", words[2]);
	return 0;
}

static int
file_read(struct ring_routes *rs, FILE *f, const char *path, bool (*port_there)(uint16_t id),
	struct err *e)
{
	char line[LINE_MAX_BYTES];
	unsigned int number = 0;
	int ret = 0;

	while (ret >= 0 && fgets(line, sizeof(line), f) != NULL) {
		size_t n = strcspn(line, "\n");
		struct ring_route r;
		struct err why = { 0 };

		number++;
		if (line[n] == '\0' && n + 1 == sizeof(line))
			return err_set(e, E2BIG, "%s:%u: line of more than %zu bytes", path, number,
				n);
		if (line[n] == '\0' && !feof(f))
			return err_set(e, EILSEQ, "%s:%u: the line has a NUL byte", path, number);
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
ring_routes_load(struct ring_routes *rs, const char *path, bool (*port_there)(uint16_t id),
	struct err *e)
{
	struct ring_routes all = { 0 };
	FILE *f = plain_file_read(path, e);
	int ret = 0;

	if (f == NULL)
		return -e->code;
	for (unsigned int i = 0; i < rs->n && ret == 0; i++)
		ret = append(&all, &rs->route[i], e);
	if (ret == 0)
		ret = file_read(&all, f, path, port_there, e);
	if (ret == 0 && ferror(f))
		ret = err_set(e, EIO, "%s: cannot be read", path);
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
ring_routes_clear(struct ring_routes *rs)
{
	free(rs->route);
	memset(rs, 0, sizeof(*rs));
}

void
ring_routes_text(const struct ring_route *r, char *text, size_t bytes)
{
	char addr[INET6_ADDRSTRLEN];

	inet_ntop(r->v6 ? AF_INET6 : AF_INET, r->addr, addr, sizeof(addr));
	snprintf(text, bytes, "%s/%u", addr, r->depth);
}

bool
ring_routes_port(uint16_t id)
{
	return rte_eth_dev_is_valid_port(id) != 0;
}

void
ring_routes_show(const struct ring_routes *rs, struct out *o)
{
	char mac[RTE_ETHER_ADDR_FMT_SIZE], prefix[64];

	out_nest(o, "routes", OUT_ARRAY);
	for (unsigned int i = 0; i < rs->n; i++) {
		const struct ring_route *route = &rs->route[i];

		ring_routes_text(route, prefix, sizeof(prefix));
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "prefix", "%s", prefix);
		out_u64(o, "port", " port %" PRIu64, route->port);
		rte_ether_format_addr(mac, sizeof(mac), &route->mac);
		if (route->has_mac)
			out_str(o, "mac", " mac %s", mac);
		out_text(o, "\n");
		out_unnest(o);
	}
	out_unnest(o);
}
