/* Prints the configuration of a run in testpmd's format. */
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
#include "run/account/run_count.h"
#include "run/run.h"
#include "run/run_classes.h"

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
	out_text(r->out, "\n  RX P=%u/Q=%u (socket %d) -> TX P=%u/Q=%u (socket %d) peer=%s",
		route->rx_port, route->rx_queue, rx->socket, route->tx_port, route->tx_queue,
		tx->socket, peer);
	stream_end_show(r->out, NULL, true, route->rx_port, route->rx_queue);
	out_u64(r->out, "rx_socket", NULL, rx->socket);
	stream_end_show(r->out, NULL, false, route->tx_port, route->tx_queue);
	out_u64(r->out, "tx_socket", NULL, tx->socket);
	out_str(r->out, "peer", NULL, peer);
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
		unsigned int n = 0;

		/* During a run streams may have moved, and lcores may have none. */
		for (k = 0; k < plan->n_streams; k++)
			n += plan->streams[k].lcore == l->lcore;
		if (n == 0)
			continue;
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "lcore", "Logical Core %" PRIu64, l->lcore);
		out_u64(o, "socket", " (socket %" PRIu64 ") forwards packets on ",
			rte_lcore_to_socket_id(l->lcore));
		out_u64(o, "n_streams", "%" PRIu64 " streams:", n);
		out_nest(o, "streams", OUT_ARRAY);
		for (k = 0; k < plan->n_streams; k++)
			if (plan->streams[k].lcore == l->lcore)
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
