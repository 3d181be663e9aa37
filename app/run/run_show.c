/* Prints a run in words: its configuration in testpmd's format, a one-line summary, and explain drops. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_show.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/text.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "port/port.h"
#include "port/port_descriptors.h"
#include "port/port_setup.h"
#include "port/port_stats.h"
#include "run/run.h"
#include "run/run_classes.h"
#include "run/run_count.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
mac_text(char text[RTE_ETHER_ADDR_FMT_SIZE], const struct rte_ether_addr *mac)
{
	rte_ether_format_addr(text, RTE_ETHER_ADDR_FMT_SIZE, mac);
}

static void
route_show(const struct run *r, const struct plan_stream *route)
{
	const struct port *rx = port_at(r->ports, route->rx_port),
			  *tx = port_at(r->ports, route->tx_port);
	char peer[RTE_ETHER_ADDR_FMT_SIZE];

	if (rx == NULL || tx == NULL)
		return;
	mac_text(peer, &tx->peer);
	out_nest(r->out, NULL, OUT_OBJECT);
	out_u64(r->out, "rx_port", "\n  RX P=%" PRIu64, route->rx_port);
	out_u64(r->out, "rx_queue", "/Q=%" PRIu64, route->rx_queue);
	out_u64(r->out, "rx_socket", " (socket %" PRIu64 ")", rx->socket);
	out_u64(r->out, "tx_port", " -> TX P=%" PRIu64, route->tx_port);
	out_u64(r->out, "tx_queue", "/Q=%" PRIu64, route->tx_queue);
	out_u64(r->out, "tx_socket", " (socket %" PRIu64 ") ", tx->socket);
	out_str(r->out, "peer", "peer=%s", peer);
	out_unnest(r->out);
}

/* Show the lcores that help with streams of others; lcores with own streams were shown before. */
static void
helpers_show(struct out *o, const struct plan *plan)
{
	unsigned int i;

	out_nest(o, "helpers", OUT_ARRAY);
	for (i = 0; i < plan->n_helpers; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "lcore", "Logical Core %" PRIu64, plan->helpers[i]);
		out_u64(o, "socket", " (socket %" PRIu64 ")",
			rte_lcore_to_socket_id(plan->helpers[i]));
		out_bool(o, "owns_streams", " works for these streams%s\n",
			plan_deals(plan, plan->helpers[i]), " too", "");
		out_unnest(o);
	}
	out_unnest(o);
}

static void
plan_show(const struct run *r, const struct engine *engine, const struct plan *plan)
{
	struct out *o = r->out;
	char alloc[32];
	unsigned int i, k;

	out_str(o, "engine", "%s packet forwarding", engine->name);
	out_bool(o, "retry", "%s", r->retry, " with retry", "");
	out_u64(o, "n_ports", " - ports=%" PRIu64, plan->n_ports);
	out_u64(o, "n_lcores", " - cores=%" PRIu64, plan_lcores(plan));
	out_u64(o, "n_streams", " - streams=%" PRIu64, plan->n_streams);
	out_bool(o, "numa", " - NUMA support %s, ", setting_on(r->settings, "numa"), "enabled",
		"disabled");
	out_str(o, "mp_alloc", "MP allocation mode: %s\n",
		setting_word(r->settings, "mp-alloc", alloc, sizeof(alloc)));
	if (r->retry) {
		out_u64(o, "tx_retries", "TX retry num: %" PRIu64,
			setting_u64(r->settings, "burst-tx-retry"));
		out_u64(o, "tx_retry_delay_us", ", delay between TX retries: %" PRIu64 "us\n",
			setting_u64(r->settings, "burst-tx-delay"));
	}
	out_nest(o, "lcores", OUT_ARRAY);
	for (i = 0; i < plan->n_lcores; i++) {
		const struct plan_lcore *l = &plan->lcores[i];

		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "lcore", "Logical Core %" PRIu64, l->lcore);
		out_u64(o, "socket", " (socket %" PRIu64 ") forwards packets on ",
			rte_lcore_to_socket_id(l->lcore));
		out_u64(o, "n_streams", "%" PRIu64 " streams:", l->n);
		out_nest(o, "streams", OUT_ARRAY);
		for (k = l->first; k < l->first + l->n; k++)
			route_show(r, &plan->streams[k]);
		out_unnest(o);
		out_unnest(o);
		out_text(o, "\n");
	}
	out_unnest(o);
	helpers_show(o, plan);
	out_text(o, "\n");
}

int
run_show_fwd(struct run *r, struct err *e)
{
	struct plan plan;
	int ret;

	if (r->running) {
		plan_show(r, r->engine_run, &r->plan);
		return 0;
	}
	ret = run_plan(r, r->engine, &plan, e);
	if (ret != 0)
		return ret;
	plan_show(r, r->engine, &plan);
	plan_free(&plan);
	return 0;
}

static void
rxq_show(struct out *o, const struct port *p)
{
	struct rte_eth_rxq_info q;

	if (rte_eth_rx_queue_info_get(p->id, 0, &q) != 0) {
		memset(&q, 0, sizeof(q));
		port_rxconf(p, 0, &q.conf, &q.nb_desc);
	}
	out_nest(o, "rx_queue", OUT_OBJECT);
	out_text(o, "    RX queue: 0\n");
	out_u64(o, "descriptors", "      RX desc=%" PRIu64, q.nb_desc);
	out_u64(o, "free_threshold", " - RX free threshold=%" PRIu64 "\n", q.conf.rx_free_thresh);
	out_u64(o, "pthresh", "      RX threshold registers: pthresh=%" PRIu64,
		q.conf.rx_thresh.pthresh);
	out_u64(o, "hthresh", " hthresh=%" PRIu64 " ", q.conf.rx_thresh.hthresh);
	out_u64(o, "wthresh", " wthresh=%" PRIu64 "\n", q.conf.rx_thresh.wthresh);
	out_u64(o, "offloads", "      RX Offloads=0x%" PRIx64, q.conf.offloads);
	if (q.conf.share_group > 0) {
		out_u64(o, "share_group", " share_group=%" PRIu64, q.conf.share_group);
		out_u64(o, "share_qid", " share_qid=%" PRIu64, q.conf.share_qid);
	}
	out_text(o, "\n");
	out_unnest(o);
}

static void
txq_show(struct out *o, const struct port *p)
{
	struct rte_eth_txq_info q;

	if (rte_eth_tx_queue_info_get(p->id, 0, &q) != 0) {
		memset(&q, 0, sizeof(q));
		port_txconf(p, 0, &q.conf, &q.nb_desc);
	}
	out_nest(o, "tx_queue", OUT_OBJECT);
	out_text(o, "    TX queue: 0\n");
	out_u64(o, "descriptors", "      TX desc=%" PRIu64, q.nb_desc);
	out_u64(o, "free_threshold", " - TX free threshold=%" PRIu64 "\n", q.conf.tx_free_thresh);
	out_u64(o, "pthresh", "      TX threshold registers: pthresh=%" PRIu64,
		q.conf.tx_thresh.pthresh);
	out_u64(o, "hthresh", " hthresh=%" PRIu64 " ", q.conf.tx_thresh.hthresh);
	out_u64(o, "wthresh", " wthresh=%" PRIu64 "\n", q.conf.tx_thresh.wthresh);
	out_u64(o, "offloads", "      TX offloads=0x%" PRIx64, q.conf.offloads);
	out_u64(o, "rs_threshold", " - TX RS bit threshold=%" PRIu64 "\n", q.conf.tx_rs_thresh);
	out_unnest(o);
}

/* Sum and number of the lengths in a list like "64,64,128", which was checked when it was set. */
static unsigned int
lengths_sum(const char *list, unsigned int *n)
{
	unsigned int sum = 0;
	char *end;

	for (*n = 0; *list != '\0'; list = *end == ',' ? end + 1 : end) {
		sum += (unsigned int)strtoul(list, &end, 0);
		(*n)++;
	}
	return sum;
}

void
run_show_rxtx(const struct run *r)
{
	struct out *o = r->out;
	unsigned int i, n, n_segments, bytes;
	uint16_t ids[RTE_MAX_ETHPORTS];

	out_str(o, "engine", "  %s packet forwarding", r->engine->name);
	out_bool(o, "retry", "%s", r->retry, " with retry", "");
	out_u64(o, "burst", " packets/burst=%" PRIu64 "\n", setting_u64(r->settings, "burst"));
	if ((r->engine->flags & (ENGINE_MAKES | ENGINE_DESCRIBES)) == ENGINE_MAKES) {
		bytes = lengths_sum(setting_text(r->settings, "txpkts"), &n_segments);
		out_u64(o, "packet_bytes", "  packet len=%" PRIu64, bytes);
		out_u64(o, "packet_segments", " - nb packet segments=%" PRIu64 "\n", n_segments);
	}
	out_u64(o, "forwarding_lcores", "  nb forwarding cores=%" PRIu64, r->choice.use_lcores);
	out_u64(o, "forwarding_ports", " - nb forwarding ports=%" PRIu64 "\n", r->choice.use_ports);
	out_nest(o, "ports", OUT_ARRAY);
	n = port_ids(r->ports, ids);
	for (i = 0; i < n; i++) {
		const struct port *p = port_at(r->ports, ids[i]);

		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "port", "  port %" PRIu64 ":", p->id);
		out_u64(o, "rxq", " RX queue number: %" PRIu64, setting_u64(r->settings, "rxq"));
		out_u64(o, "txq", " Tx queue number: %" PRIu64 "\n",
			setting_u64(r->settings, "txq"));
		out_u64(o, "rx_offloads", "    Rx offloads=0x%" PRIx64, p->conf.rxmode.offloads);
		out_u64(o, "tx_offloads", " Tx offloads=0x%" PRIx64 "\n", p->conf.txmode.offloads);
		rxq_show(o, p);
		txq_show(o, p);
		out_unnest(o);
	}
	out_unnest(o);
}

/* Return forwarding port number i if start has a choice for a ring of it; otherwise NULL. */
static const struct port *
defaulted(const struct run *r, unsigned int i)
{
	const struct port *p = port_at(r->ports, r->choice.ports[i]);

	return p != NULL &&
			(port_descriptors_default(p, true) != 0 ||
				port_descriptors_default(p, false) != 0)
		? p
		: NULL;
}

static bool
rings_equal(const struct port *a, const struct port *b)
{
	return port_descriptors_default(a, true) == port_descriptors_default(b, true) &&
		port_descriptors_default(a, false) == port_descriptors_default(b, false);
}

/*
 * Write ", rxd 1024, txd 512" for forwarding port number i, followed by the ports that it is true
 * of, unless that is every forwarding port. Ports whose rings equal those of an earlier port are
 * left out.
 */
static void
rings_text(const struct run *r, unsigned int i, struct text *t)
{
	const struct port *p = defaulted(r, i), *other;
	unsigned int n = 0;

	for (unsigned int k = 0; p != NULL && k < r->choice.use_ports; k++) {
		other = defaulted(r, k);
		if (other == NULL || !rings_equal(p, other))
			continue;
		if (k < i)
			return;
		n++;
	}
	for (int rx = 1; p != NULL && rx >= 0; rx--)
		if (port_descriptors_default(p, rx != 0) != 0)
			text_add(t, ", %s %u", port_sides[rx].descriptors,
				port_descriptors_default(p, rx != 0));
	if (n == 0 || n == r->choice.use_ports)
		return;
	text_add(t, " (port%s", n == 1 ? "" : "s");
	for (unsigned int k = i; k < r->choice.use_ports; k++) {
		other = defaulted(r, k);
		if (other != NULL && rings_equal(p, other))
			text_add(t, "%s%u", k == i ? " " : ",", other->id);
	}
	text_add(t, ")");
}

/* Add the ring sizes of a port to JSON. */
static void
rings_json(struct out *o, const struct port *p)
{
	const struct port_rings rings = port_rings_of(p);
	const uint16_t rxd = port_descriptors_default(p, true),
		       txd = port_descriptors_default(p, false);

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "port", NULL, p->id);
	if (rxd != 0)
		out_u64(o, "rxd", NULL, rxd);
	if (txd != 0)
		out_u64(o, "txd", NULL, txd);
	out_u64(o, "rxd_auto", NULL, rings.rxd_auto);
	out_u64(o, "txd_auto", NULL, rings.txd_auto);
	out_unnest(o);
}

/* Print a hint for the first port with default rings whose buffers exceed half of L2. */
static void
rings_hint(const struct run *r)
{
	for (unsigned int i = 0; i < r->choice.use_ports; i++) {
		const struct port *p = defaulted(r, i);
		const struct port_rings rings = p != NULL ? port_rings_of(p)
							  : (struct port_rings){ .large = false };
		char advice[PORT_RINGS_ADVICE];

		if (!rings.large)
			continue;
		port_rings_advise(&rings, advice);
		out_note(r->out,
			"hint: port %u: buffers of %u Rx and %u Tx descriptors take %" PRIu64
			" KiB, half of the L2 cache is %" PRIu64
			" KiB; %s, see doc/working-set.md\n",
			p->id, rings.rxd, rings.txd, rings.kib, rings.l2_kib / 2, advice);
		return;
	}
}

void
run_show_defaults(const struct run *r)
{
	const struct rte_mempool *mp = r->ports->rx_pool == NULL ? pool_for(r->pools, 0, 0) : NULL;
	const uint64_t l2_kib = r->ports->l2_bytes >> 10;
	const bool pool = mp != NULL && setting_u64(r->settings, "total-num-mbufs") == 0,
		   cache = mp != NULL && setting_is_default(r->settings, "mbcache");
	struct out *o = r->out;
	struct text t = { 0 };

	for (unsigned int i = 0; i < r->choice.use_ports; i++)
		rings_text(r, i, &t);
	if (t.n > 0 && l2_kib > 0 &&
		(port_descriptors_auto(r->settings, true) ||
			port_descriptors_auto(r->settings, false)))
		text_add(&t, ", L2 cache %" PRIu64 " KiB", l2_kib);
	if (pool)
		text_add(&t, ", pool of %u mbufs", mp->size);
	if (cache)
		text_add(&t, ", cache %u", mp->cache_size);
	if (r->eal_chosen[0] != '\0')
		text_add(&t, ", EAL options%s", r->eal_chosen);
	if (t.n == 0)
		return;
	out_nest(o, "defaults", OUT_OBJECT);
	out_nest(o, "ports", OUT_ARRAY);
	for (unsigned int i = 0; i < r->choice.use_ports; i++)
		if (defaulted(r, i) != NULL)
			rings_json(o, defaulted(r, i));
	out_unnest(o);
	out_u64(o, "l2_kib", NULL, l2_kib);
	if (pool)
		out_u64(o, "mbufs", NULL, mp->size);
	if (cache)
		out_u64(o, "mbcache", NULL, mp->cache_size);
	out_str(o, "eal", NULL, r->eal_chosen + (r->eal_chosen[0] == ' '));
	out_unnest(o);
	out_note(o, "defaults: %s\n", t.bytes + 2);
	free(t.bytes);
	rings_hint(r);
}

void
run_show_cores(const struct run *r)
{
	unsigned int i;

	out_text(r->out, "List of forwarding lcores:");
	out_nest(r->out, "lcores", OUT_ARRAY);
	for (i = 0; i < r->choice.n_lcores; i++)
		out_u64(r->out, "", " %2" PRIu64, r->choice.lcores[i]);
	out_unnest(r->out);
	out_text(r->out, "\n");
}

void
run_show_txpkts(const struct run *r)
{
	const char *list = setting_text(r->settings, "txpkts");
	char split[32];
	unsigned int n;

	lengths_sum(list, &n);
	out_u64(r->out, "n_segments", "Number of segments: %" PRIu64 "\n", n);
	out_str(r->out, "segment_bytes", "Segment sizes: %s\n", list);
	out_str(r->out, "split", "Split packet: %s\n",
		setting_word(r->settings, "txsplit", split, sizeof(split)));
}

void
run_show_txtimes(const struct run *r)
{
	const char *times = setting_text(r->settings, "txtimes");
	const char *intra = strchr(times, ',');

	out_u64(r->out, "inter_ns", "Interburst gap: %" PRIu64 "\n", strtoul(times, NULL, 0));
	out_u64(r->out, "intra_ns", "Intraburst gap: %" PRIu64 "\n",
		intra != NULL ? strtoul(intra + 1, NULL, 0) : 0);
}

/* explain drops: where and why a run lost packets, and what to do about it. */

#define TEXT_BYTES 400

struct drops {
	const struct run *run;
	struct out *out;
	unsigned int causes;
};

/* Show one cause. port: RTE_MAX_ETHPORTS if the engine dropped the packets. */
static void __attribute__((format(printf, 5, 6))) cause_show(struct drops *d, unsigned int port,
	const char *cause, uint64_t packets, const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	d->causes++;
	out_nest(d->out, NULL, OUT_OBJECT);
	if (port < RTE_MAX_ETHPORTS)
		out_u64(d->out, "port", "Port %" PRIu64 ": ", port);
	else
		out_text(d->out, "Engine %s: ", d->run->engine_run->name);
	out_str(d->out, "cause", NULL, cause);
	out_u64(d->out, "packets", "%" PRIu64, packets);
	out_str(d->out, "text", " %s\n", text);
	out_unnest(d->out);
}

/* Describe the lcores that receive from a port, such as "lcore 1 was busy 98 % of the time". */
static void
lcores_text(const struct run *r, uint16_t port, char *text, size_t size)
{
	const uint64_t end = r->running ? rte_rdtsc() : r->end_tsc;
	uint64_t cycles = 0;
	unsigned int lcore = 0, n = 0;

	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		struct run_timed timed;

		if (r->streams[i]->rx_port != port)
			continue;
		n += n == 0 || r->streams[i]->lcore != lcore;
		lcore = r->streams[i]->lcore;
		for (unsigned int k = 0; k < r->plan.n_streams; k++) {
			if (r->streams[k]->lcore != lcore)
				continue;
			run_count_timed(r, k, &timed);
			cycles += n == 1 ? timed.cycles : 0;
		}
	}
	if (n == 1 && setting_on(r->settings, "record-core-cycles") && end > r->timed_tsc)
		snprintf(text, size, "lcore %u was busy %.0f %% of the time", lcore,
			100 * (double)cycles / (double)(end - r->timed_tsc));
	else
		snprintf(text, size, "%u lcore%s polled the port", n, n == 1 ? "" : "s");
}

static const struct rte_mempool *
pool_of(const struct run *r, uint16_t port)
{
	for (unsigned int i = 0; i < r->plan.n_streams; i++)
		if (r->streams[i]->rx_port == port)
			return r->streams[i]->rx_pool;
	return NULL;
}

static void
received_explain(struct drops *d, uint16_t port, const struct rte_eth_stats *st)
{
	const struct rte_mempool *pool = pool_of(d->run, port);
	char lcores[80];

	if (st->imissed > 0) {
		lcores_text(d->run, port, lcores, sizeof(lcores));
		cause_show(d, port, "rx_missed", st->imissed,
			"packets missed because no Rx descriptor was free: %s; use more lcores and queues (--nb-cores, --rxq), a larger ring (--rxd) or a faster engine",
			lcores);
	}
	if (st->rx_nombuf > 0)
		cause_show(d, port, "rx_nombuf", st->rx_nombuf,
			"receive failures because the pool was empty: pool %s now has %u of %u mbufs free; use a larger --total-num-mbufs or smaller rings",
			pool != NULL ? pool->name : "?",
			pool != NULL ? rte_mempool_avail_count(pool) : 0,
			pool != NULL ? pool->size : 0);
	if (st->ierrors > 0)
		cause_show(d, port, "rx_errors", st->ierrors,
			"packets received with errors (bad checksum, too short, or longer than max-pkt-len); see \"show port xstats %u\"",
			port);
}

/* Describe the link of a port whose Tx ring was full. */
static void
link_text(uint16_t port, char *text, size_t size)
{
	struct rte_eth_link link;

	memset(&link, 0, sizeof(link));
	if (rte_eth_link_get_nowait(port, &link) != 0)
		snprintf(text, size, "link state unknown");
	else if (!link.link_status)
		snprintf(text, size, "link is down");
	else
		snprintf(text, size,
			"link is up, speed %s; offered load exceeds what the port can send, or the ring is too small (--txd)",
			link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN
				? "unknown"
				: rte_eth_link_speed_to_str(link.link_speed));
}

/*
 * Packets that streams dropped instead of sending them on a port. other: how many of these an
 * engine's own counter explains; the rest were dropped because the Tx ring was full.
 */
static uint64_t
not_taken(const struct run *r, uint16_t port, uint64_t *other)
{
	uint64_t dropped = 0;

	*other = 0;
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		const struct stat_table own = engine_counters(r->streams[i]->engine);
		struct run_count c;

		if (r->streams[i]->tx_port != port)
			continue;
		run_count(r, i, &c);
		dropped += c.count.tx_dropped;
		for (size_t k = 0; k < own.n; k++)
			*other += own.row[k].within != NULL ? stat_value(&own, k, c.count.named)
							    : 0;
	}
	return dropped;
}

static void
sent_explain(struct drops *d, uint16_t port, const struct rte_eth_stats *st)
{
	uint64_t other, dropped = not_taken(d->run, port, &other);
	char link[128];

	if (dropped > other) {
		link_text(port, link, sizeof(link));
		cause_show(d, port, "tx_dropped", dropped - other,
			"packets dropped because the Tx ring was full: %s%s", link,
			d->run->retry ? "" : "; \"set fwd ENGINE retry\" retries");
	}
	if (st->oerrors > 0)
		cause_show(d, port, "tx_errors", st->oerrors,
			"packets accepted by the driver but not sent; see \"show port xstats %u\"",
			port);
}

/* Packets that were dropped for the engine, from its own drop counters and that of its streams. */
static void
engine_explain(struct drops *d)
{
	const struct stat_table own = engine_counters(d->run->engine_run);
	uint64_t sums[STREAM_NAMED_MAX] = { 0 }, readonly = 0;

	for (unsigned int i = 0; i < d->run->plan.n_streams; i++) {
		struct run_count c;

		run_count(d->run, i, &c);
		stat_add(&own, sums, c.count.named);
		readonly += c.count.readonly_dropped;
	}
	if (readonly > 0)
		cause_show(d, RTE_MAX_ETHPORTS, "readonly_dropped", readonly,
			"packets with read-only data dropped, because there was no mbuf for a copy, or the copy needs several and a Tx queue sends only one; use a larger --total-num-mbufs, or --tx-offloads=0x8000");
	for (size_t i = 0; i < own.n; i++)
		if (own.row[i].drop && stat_value(&own, i, sums) > 0)
			cause_show(d, RTE_MAX_ETHPORTS, own.row[i].name, stat_value(&own, i, sums),
				"%s", own.row[i].help);
}

static void
port_explain(struct drops *d, uint16_t id, const struct run_loss_port *port)
{
	const uint64_t flushed = d->run->ports->port[id].flushed;
	struct rte_eth_stats st;

	if (port_stats_since(d->run->ports, id, &st) != 0)
		memset(&st, 0, sizeof(st));
	if (port->receives)
		received_explain(d, id, &st);
	if (port->sends)
		sent_explain(d, id, &st);
	if (flushed > 0)
		cause_show(d, id, "flushed", flushed,
			"packets discarded before the run, because flush_rx empties the Rx queues at start; \"set flush_rx off\" keeps them");
}

int
run_drops_explain(struct run *r, struct err *e)
{
	struct run_loss_port port[RTE_MAX_ETHPORTS];
	struct drops d = { r, r->out, 0 };
	struct stat_loss loss;

	if (r->streams == NULL)
		return err_set(e, ENOENT, "no statistics: forwarding was never started");
	out_nest(r->out, "causes", OUT_ARRAY);
	run_loss_ports(r, port);
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (port[id].receives || port[id].sends || r->ports->port[id].flushed > 0)
			port_explain(&d, id, &port[id]);
	engine_explain(&d);
	out_unnest(r->out);
	run_loss_read(r, &loss);
	out_u64(r->out, "lost", NULL, loss.lost);
	out_u64(r->out, "offered", NULL, loss.offered);
	if (d.causes > 0 && loss.offered > 0)
		out_text(r->out, "Lost in this run: %" PRIu64 " of %" PRIu64 " packets (%.4f %%)\n",
			loss.lost, loss.offered, 100 * (double)loss.lost / (double)loss.offered);
	if (d.causes == 0)
		out_say(r->out, "No packet was lost in this run\n");
	return 0;
}

/* A one-line summary of a run: duration, packets, rate, share of line rate, loss, cycles. */

static double
ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* Sums over the ports: traffic in the direction that the summary reports, and link speeds. */
struct ways {
	double bytes, packets, line_bps;
};

static void
port_add(const struct run *r, uint16_t port, bool sends, struct ways *w)
{
	struct rte_eth_stats st;

	w->line_bps += port_link_bps(port);
	if (port_stats_since(r->ports, port, &st) != 0)
		return;
	w->bytes += (double)(sends ? st.obytes : st.ibytes);
	w->packets += (double)(sends ? st.opackets : st.ipackets);
}

void
run_summary_read(const struct run *r, struct run_summary *s)
{
	const bool sends = (r->engine_run->flags & ENGINE_NO_TX) == 0,
		   makes = (r->engine_run->flags & ENGINE_MAKES) != 0;
	const uint64_t end = run_busy(r) ? rte_rdtsc() : r->end_tsc;
	struct run_loss_port port[RTE_MAX_ETHPORTS];
	struct run_timed timed, all = { 0 };
	struct stat_loss loss;
	struct ways w = { 0 };

	*s = (struct run_summary){ .seconds = (double)(end - r->base_tsc) / r->tsc_hz };
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		struct run_count c;

		run_count(r, i, &c);
		s->received += c.count.rx;
		s->sent += c.count.tx;
		run_count_timed(r, i, &timed);
		all.cycles += timed.cycles;
		all.rx += timed.rx;
		all.tx += timed.tx;
	}
	s->receives = (r->engine_run->flags & ENGINE_NO_RX) == 0;
	s->sends = sends;
	s->packets = sends ? s->sent : s->received;
	run_loss_ports(r, port);
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (sends ? port[id].sends : port[id].receives)
			port_add(r, id, sends, &w);
	run_loss_read(r, &loss);
	s->lost = loss.lost;
	s->offered = loss.offered;
	s->pps = ratio((double)s->packets, s->seconds);
	s->l2_bps = s->pps * 8 * ratio(w.bytes, w.bytes > 0 ? w.packets : 0);
	s->l1_bps = s->l2_bps + s->pps * 8 * L1_BYTES;
	s->line_bps = w.line_bps > 0 ? w.line_bps : NAN;
	s->loss = ratio((double)s->lost, (double)s->offered);
	s->cycles = all.cycles > 0 ? ratio((double)all.cycles, (double)(makes ? all.tx : all.rx))
				   : NAN;
}

/* Print a value with its words unless it is unknown. */
static void
part(struct out *o, const char *key, const char *fmt, double value)
{
	if (!isnan(value))
		out_f64_fmt(o, key, fmt, value);
}

void
run_summary_text(const struct run *r)
{
	struct run_summary s;
	struct out *o = r->out;

	if (r->streams == NULL || out_format(o) != OUT_TEXT)
		return;
	run_summary_read(r, &s);
	out_text(o, "\n  Run: %.3f s", s.seconds);
	if (s.receives)
		out_text(o, ", %" PRIu64 " packets received", s.received);
	if (s.sends)
		out_text(o, ", %" PRIu64 "%s sent", s.sent, s.receives ? "" : " packets");
	part(o, NULL, ", %.3f Mpps", s.pps / 1e6);
	part(o, NULL, ", L2 %.3f Gb/s", s.l2_bps / 1e9);
	part(o, NULL, ", L1 %.3f Gb/s", s.l1_bps / 1e9);
	part(o, NULL, ", %.1f %% of line rate", 100 * s.l1_bps / s.line_bps);
	part(o, NULL, ", loss %.4f %%", 100 * s.loss);
	part(o, NULL, ", %.1f cycles/packet", s.cycles);
	out_text(o, "\n");
}

void
run_summary_json(const struct run *r)
{
	struct run_summary s;
	struct out *o = r->out;

	if (r->streams == NULL || out_format(o) != OUT_JSON)
		return;
	run_summary_read(r, &s);
	out_nest(o, "summary", OUT_OBJECT);
	out_f64(o, "seconds", NULL, s.seconds);
	out_u64(o, "packets", NULL, s.packets);
	out_u64(o, "received", NULL, s.received);
	out_u64(o, "sent", NULL, s.sent);
	out_f64(o, "packets_per_second", NULL, s.pps);
	out_f64(o, "l2_bits_per_second", NULL, s.l2_bps);
	out_f64(o, "l1_bits_per_second", NULL, s.l1_bps);
	out_f64(o, "line_bits_per_second", NULL, s.line_bps);
	out_f64(o, "line_rate_fraction", NULL, s.l1_bps / s.line_bps);
	out_u64(o, "lost", NULL, s.lost);
	out_u64(o, "offered", NULL, s.offered);
	out_f64(o, "loss_fraction", NULL, s.loss);
	out_f64(o, "cycles_per_packet", NULL, s.cycles);
	out_unnest(o);
}
