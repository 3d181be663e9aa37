/* Buffer split and several Rx pools: the settings rxpkts, rxoffs and rxhdrs, and the resulting Rx
 * queue configuration. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_split.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "memory/pool.h"

#include <rte_mbuf.h>
#include <rte_mbuf_ptype.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX (UINT16_MAX - 1)
#define TEXT_BYTES 160 /* a list of PORT_SPLIT_MAX names or numbers */

#define ETHER RTE_PTYPE_L2_ETHER
#define IPV4 (ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN)
#define IPV6 (ETHER | RTE_PTYPE_L3_IPV6_EXT_UNKNOWN)
#define IN_ETHER (RTE_PTYPE_TUNNEL_GRENAT | RTE_PTYPE_INNER_L2_ETHER)
#define IN_IPV4 (IN_ETHER | RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN)
#define IN_IPV6 (IN_ETHER | RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN)

/* Packets are split after the last header of the mask. */
static const struct {
	const char *name;
	uint32_t mask;
} headers[] = {
	{ "eth", ETHER },
	{ "ipv4", IPV4 },
	{ "ipv6", IPV6 },
	{ "ipv4-tcp", IPV4 | RTE_PTYPE_L4_TCP },
	{ "ipv4-udp", IPV4 | RTE_PTYPE_L4_UDP },
	{ "ipv4-sctp", IPV4 | RTE_PTYPE_L4_SCTP },
	{ "ipv6-tcp", IPV6 | RTE_PTYPE_L4_TCP },
	{ "ipv6-udp", IPV6 | RTE_PTYPE_L4_UDP },
	{ "ipv6-sctp", IPV6 | RTE_PTYPE_L4_SCTP },
	{ "grenat", RTE_PTYPE_TUNNEL_GRENAT },
	{ "inner-eth", IN_ETHER },
	{ "inner-ipv4", IN_IPV4 },
	{ "inner-ipv6", IN_IPV6 },
	{ "inner-ipv4-tcp", IN_IPV4 | RTE_PTYPE_INNER_L4_TCP },
	{ "inner-ipv4-udp", IN_IPV4 | RTE_PTYPE_INNER_L4_UDP },
	{ "inner-ipv4-sctp", IN_IPV4 | RTE_PTYPE_INNER_L4_SCTP },
	{ "inner-ipv6-tcp", IN_IPV6 | RTE_PTYPE_INNER_L4_TCP },
	{ "inner-ipv6-udp", IN_IPV6 | RTE_PTYPE_INNER_L4_UDP },
	{ "inner-ipv6-sctp", IN_IPV6 | RTE_PTYPE_INNER_L4_SCTP },
};

/* Parse "64,128", or "off" for an empty list. Returns the number of entries, or -errno. */
static int
text_numbers(const char *what, const char *text, uint16_t *list, struct err *e)
{
	const char *p = text;
	char *end;
	int n = 0;

	if (strcmp(text, "off") == 0)
		return 0;
	for (;; p = end + 1) {
		unsigned long number = strtoul(p, &end, 10);

		if (*p < '0' || *p > '9' || (*end != ',' && *end != '\0'))
			return err_set(e, EINVAL,
				"%s \"%s\": expected numbers of bytes such as 64,128, or off", what,
				text);
		if (number > NUMBER_MAX)
			return err_set(e, ERANGE, "%s %.*s: expected 0..%u bytes", what,
				(int)(end - p), p, NUMBER_MAX);
		if (n == PORT_SPLIT_MAX)
			return err_set(e, E2BIG, "%s \"%s\": expected at most %u numbers", what,
				text, PORT_SPLIT_MAX);
		list[n++] = (uint16_t)number;
		if (*end == '\0')
			return n;
	}
}

/* Return the index of the header named by p[0..n), or -1. */
static int
header_find(const char *p, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (strlen(headers[i].name) == n && memcmp(headers[i].name, p, n) == 0)
			return (int)i;
	return -1;
}

static int
header_unknown(const char *p, size_t n, struct err *e)
{
	char names[300] = "";
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", i > 0 ? "|" : "",
			headers[i].name);
	return err_set(e, EINVAL, "rxhdrs \"%.*s\": expected off or a list of %s", (int)n, p,
		names);
}

/*
 * Parse "eth,ipv4" into indices of headers, or "off" for an empty list. Returns their number, or
 * -errno.
 */
static int
headers_parse(const char *text, uint16_t *list, struct err *e)
{
	const char *p = text;
	int n = 0;

	if (strcmp(text, "off") == 0)
		return 0;
	for (;; p++) {
		size_t letters = strcspn(p, ",");
		int found = header_find(p, letters);

		if (found < 0)
			return header_unknown(p, letters, e);
		/* The payload needs one more segment. */
		if (n == PORT_SPLIT_MAX - 1)
			return err_set(e, E2BIG, "rxhdrs \"%s\": expected at most %u headers", text,
				PORT_SPLIT_MAX - 1);
		list[n++] = (uint16_t)found;
		p += letters;
		if (*p == '\0')
			return n;
	}
}

int
port_split_lengths_check(const char *text, struct err *e)
{
	uint16_t list[PORT_SPLIT_MAX];

	return RTE_MIN(text_numbers("rxpkts", text, list, e), 0);
}

int
port_split_offsets_check(const char *text, struct err *e)
{
	uint16_t list[PORT_SPLIT_MAX];

	return RTE_MIN(text_numbers("rxoffs", text, list, e), 0);
}

int
port_split_headers_check(const char *text, struct err *e)
{
	uint16_t list[PORT_SPLIT_MAX];

	return RTE_MIN(headers_parse(text, list, e), 0);
}

/* The values of the settings rxpkts, rxoffs and rxhdrs. */
struct asked {
	uint16_t lengths[PORT_SPLIT_MAX], offsets[PORT_SPLIT_MAX], headers[PORT_SPLIT_MAX];
	unsigned int n_lengths, n_offsets, n_headers, n; /* n: segments, 0: no split */
};

static void
ask(const struct settings *settings, struct asked *a)
{
	memset(a, 0, sizeof(*a));
	/* The values were checked when they were set. */
	a->n_lengths = (unsigned int)text_numbers("rxpkts", setting_text(settings, "rxpkts"),
		a->lengths, NULL);
	a->n_offsets = (unsigned int)text_numbers("rxoffs", setting_text(settings, "rxoffs"),
		a->offsets, NULL);
	a->n_headers =
		(unsigned int)headers_parse(setting_text(settings, "rxhdrs"), a->headers, NULL);
	a->n = RTE_MAX(a->n_lengths, a->n_headers > 0 ? a->n_headers + 1 : 0);
}

/* Format n numbers, or header names, as the value of a setting. */
static void
text_make(char *text, const uint16_t *list, unsigned int n, bool names)
{
	size_t at = 0;

	strcpy(text, "off");
	for (unsigned int i = 0; i < n; i++) {
		const char *comma = i > 0 ? "," : "";

		at += (size_t)(names
				? snprintf(text + at, TEXT_BYTES - at, "%s%s", comma,
					  headers[list[i]].name)
				: snprintf(text + at, TEXT_BYTES - at, "%s%u", comma, list[i]));
	}
}

int
port_split_set(struct ports *ps, const struct args *a, struct err *e)
{
	const char *what = arg_str(a, "what", "");
	char other[TEXT_BYTES];
	struct asked now;
	int ret = setting_parse(ps->settings, what, arg_str(a, "list", ""), e);

	if (ret != 0)
		return ret;
	ask(ps->settings, &now);
	if (strcmp(what, "rxpkts") == 0 && now.n_lengths > 0 && now.n_headers >= now.n_lengths) {
		text_make(other, now.headers, now.n_lengths - 1, true);
		ret = setting_parse(ps->settings, "rxhdrs", other, e);
	} else if (strcmp(what, "rxhdrs") == 0 && now.n_lengths > 0 && now.n_headers > 0) {
		text_make(other, now.lengths, now.n_headers + 1, false);
		ret = setting_parse(ps->settings, "rxpkts", other, e);
	}
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		ps->port[id].queues_configured = false;
	return ret;
}

/* Print numbers: in text after a label, or nothing if there are none; in JSON as an array. */
static void
numbers_show(struct out *o, const char *name, const char *label, const uint16_t *list,
	unsigned int n)
{
	out_nest(o, name, OUT_ARRAY);
	for (unsigned int i = 0; i < n; i++) {
		out_text(o, "%s", i == 0 ? label : ",");
		out_u64(o, "", "%" PRIu64, list[i]);
	}
	out_unnest(o);
	if (n > 0)
		out_text(o, "\n");
}

static void
headers_show(struct out *o, const struct asked *a)
{
	out_nest(o, "segments", OUT_ARRAY);
	if (a->n > 0)
		out_text(o, "Packet segs: ");
	for (unsigned int i = 0; i + 1 < a->n; i++)
		out_str(o, "", "%s, ",
			i < a->n_headers ? headers[a->headers[i]].name : "unsupported");
	if (a->n > 0)
		out_str(o, "", "%s\n", "payload");
	out_unnest(o);
}

int
port_split_show(struct ports *ps, const struct args *a, struct err *e)
{
	struct asked now;

	ask(ps->settings, &now);
	if (arg_is(a, "what", "rxoffs")) {
		out_u64(ps->out, "n_offsets", "Number of offsets: %" PRIu64 "\n", now.n_offsets);
		numbers_show(ps->out, "offset_bytes", "Segment offsets: ", now.offsets,
			now.n_offsets);
		return 0;
	}
	out_u64(ps->out, "n_segments", "Number of segments: %" PRIu64 "\n", now.n);
	if (arg_is(a, "what", "rxpkts"))
		numbers_show(ps->out, "segment_bytes", "Segment sizes: ", now.lengths, now.n);
	else
		headers_show(ps->out, &now);
	return 0;
}

/* Return the bytes of segment i that fit into a buffer of the pool; may be 0. */
static uint32_t
room_of(struct rte_mempool *mp, unsigned int i, uint16_t offset)
{
	const uint32_t all = rte_pktmbuf_data_room_size(mp);
	const uint32_t lost = (i == 0 ? RTE_PKTMBUF_HEADROOM : 0u) + offset;

	return all > lost ? all - lost : 0;
}

static int
offset_check(const struct port *p, uint16_t offset, struct err *e)
{
	const uint32_t align = UINT32_C(1) << p->info.rx_seg_capa.offset_align_log2;

	if (offset != 0 && p->info.rx_seg_capa.offset_allowed == 0)
		return err_set(e, ENOTSUP,
			"rxoffs %u: driver %s of port %u does not support offsets", offset,
			p->info.driver_name, p->id);
	if (offset % align != 0)
		return err_set(e, EINVAL,
			"rxoffs %u: driver %s of port %u requires multiples of %u bytes", offset,
			p->info.driver_name, p->id, align);
	return 0;
}

/* Fill segment i. used: headers of the earlier segments. */
static int
segment_make(const struct port *p, const struct asked *a, unsigned int i, struct rte_mempool *mp,
	uint32_t *used, struct rte_eth_rxseg_split *s, struct err *e)
{
	const uint32_t room = mp != NULL ? room_of(mp, i, a->offsets[i]) : 0;
	int ret = offset_check(p, a->offsets[i], e);

	if (ret != 0)
		return ret;
	if (mp == NULL) { /* a segment to discard */
		s->offset = a->offsets[i];
		s->length = a->lengths[i];
		return 0;
	}
	if (room == 0 || a->lengths[i] > room)
		return err_set(e, ERANGE,
			"rxpkts %u, rxoffs %u: segment %u of port %u does not fit its buffers of %u bytes%s; use a larger --mbuf-size",
			a->lengths[i], a->offsets[i], i, p->id, rte_pktmbuf_data_room_size(mp),
			i == 0 ? ", headroom of " RTE_STR(RTE_PKTMBUF_HEADROOM) " included" : "");
	s->mp = mp;
	s->offset = a->offsets[i];
	if (a->lengths[i] == 0 && i < a->n_headers) {
		s->proto_hdr = headers[a->headers[i]].mask & ~*used;
		*used |= s->proto_hdr;
		return 0;
	}
	s->length = (uint16_t)(a->lengths[i] != 0 ? a->lengths[i] : room);
	return 0;
}

static int
segments_make(const struct ports *ps, const struct port *p, int socket, const struct asked *a,
	struct port_split *split, struct err *e)
{
	const struct rte_eth_rxseg_capa *can = &p->info.rx_seg_capa;
	uint32_t used = 0;

	if (a->n > can->max_nseg)
		return err_set(e, ENOTSUP,
			"rxpkts, rxhdrs: %u segments: driver %s of port %u supports at most %u",
			a->n, p->info.driver_name, p->id, can->max_nseg);
	for (unsigned int i = 0; i < a->n; i++) {
		const unsigned int size = RTE_MIN(i, ps->pools->config.n_sizes - 1);
		struct rte_mempool *mp = NULL; /* size 0: to discard */
		int ret;

		if (ps->pools->config.sizes[size] != 0)
			mp = pool_for(ps->pools, socket, size);
		/* Headers stay in mbufs; what follows them is for the engine's memory. */
		if (i + 1 == a->n && ps->rx_pool != NULL)
			mp = ps->rx_pool;

		if (size > 0 && can->multi_pools == 0)
			return err_set(e, ENOTSUP,
				"--mbuf-size: driver %s of port %u supports only one pool for all segments",
				p->info.driver_name, p->id);
		ret = segment_make(p, a, i, mp, &used, &split->segments[i].split, e);
		if (ret != 0)
			return ret;
	}
	return 0;
}

static int
pools_make(const struct ports *ps, const struct port *p, int socket, struct port_split *split,
	struct err *e)
{
	const unsigned int n = ps->pools->config.n_sizes;

	if (n < 2)
		return err_set(e, EINVAL,
			"multi-rx-mempool: expected two or more sizes in --mbuf-size, found %u", n);
	if (n > p->info.max_rx_mempools)
		return err_set(e, ENOTSUP,
			"multi-rx-mempool: %u pools: driver %s of port %u supports at most %u", n,
			p->info.driver_name, p->id, p->info.max_rx_mempools);
	for (unsigned int i = 0; i < n; i++)
		split->pools[i] = pool_for(ps->pools, socket, i);
	return 0;
}

int
port_split_conf(const struct ports *ps, const struct port *p, int socket, struct port_split *split,
	struct rte_eth_rxconf *conf, struct err *e)
{
	struct asked a;
	int ret = 0;

	memset(split, 0, sizeof(*split));
	ask(ps->settings, &a);
	if (a.n > 1 && (conf->offloads & RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT) != 0) {
		ret = segments_make(ps, p, socket, &a, split, e);
		conf->rx_seg = split->segments;
		conf->rx_nseg = (uint16_t)a.n;
	} else if (setting_on(ps->settings, "multi-rx-mempool")) {
		ret = pools_make(ps, p, socket, split, e);
		conf->rx_mempools = split->pools;
		conf->rx_nmempool = (uint16_t)ps->pools->config.n_sizes;
	}
	return ret;
}
