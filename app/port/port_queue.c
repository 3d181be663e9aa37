/* Queues of a port: show configuration, descriptors and support for external buffers; change rates, thresholds, statistics mapping. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_queue.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "memory/pool_memory.h"
#include "pmd_shims/extbuf.h"
#include "port/port.h"
#include "port/port_life.h"

#include <rte_ethdev.h>
#include <rte_mempool.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BORDER "*********************"

/* Add port, queue and direction to a JSON object. */
static void
queue_named(struct out *o, uint16_t id, uint16_t queue, bool rx)
{
	out_u64(o, "port", NULL, id);
	out_u64(o, "queue", NULL, queue);
	out_str(o, "direction", NULL, port_sides[rx].lower);
}

static const char *
state_name(uint8_t state)
{
	switch (state) {
	case RTE_ETH_QUEUE_STATE_STOPPED: return "stopped";
	case RTE_ETH_QUEUE_STATE_STARTED: return "started";
	case RTE_ETH_QUEUE_STATE_HAIRPIN: return "hairpin";
	default: return "unknown";
	}
}

static void
thresholds_show(struct out *o, const char *way, const struct rte_eth_thresh *t)
{
	out_text(o, "%s prefetch threshold: ", way);
	out_u64(o, "prefetch_threshold", "%" PRIu64 "\n", t->pthresh);
	out_text(o, "%s host threshold: ", way);
	out_u64(o, "host_threshold", "%" PRIu64 "\n", t->hthresh);
	out_text(o, "%s writeback threshold: ", way);
	out_u64(o, "writeback_threshold", "%" PRIu64 "\n", t->wthresh);
}

static void
rx_show(struct out *o, const struct rte_eth_rxq_info *q)
{
	out_str(o, NULL, "Mempool: %s\n", q->mp != NULL ? q->mp->name : "NULL");
	out_str(o, "mempool", NULL, q->mp != NULL ? q->mp->name : NULL);
	thresholds_show(o, "RX", &q->conf.rx_thresh);
	out_u64(o, "free_threshold", "RX free threshold: %" PRIu64 "\n", q->conf.rx_free_thresh);
	out_bool(o, "drop", "RX drop packets: %s\n", q->conf.rx_drop_en != 0, "on", "off");
	out_bool(o, "deferred_start", "RX deferred start: %s\n", q->conf.rx_deferred_start != 0,
		"on", "off");
	out_bool(o, "scattered", "RX scattered packets: %s\n", q->scattered_rx != 0, "on", "off");
	out_str(o, "state", "Rx queue state: %s\n", state_name(q->queue_state));
	if (q->rx_buf_size != 0)
		out_u64(o, "buffer_bytes", "RX buffer size: %" PRIu64 "\n", q->rx_buf_size);
	out_u64(o, "descriptors", "Number of RXDs: %" PRIu64 "\n", q->nb_desc);
}

static void
tx_show(struct out *o, const struct rte_eth_txq_info *q)
{
	thresholds_show(o, "TX", &q->conf.tx_thresh);
	out_u64(o, "rs_threshold", "TX RS threshold: %" PRIu64 "\n", q->conf.tx_rs_thresh);
	out_u64(o, "free_threshold", "TX free threshold: %" PRIu64 "\n", q->conf.tx_free_thresh);
	out_bool(o, "deferred_start", "TX deferred start: %s\n", q->conf.tx_deferred_start != 0,
		"on", "off");
	out_u64(o, "descriptors", "Number of TXDs: %" PRIu64 "\n", q->nb_desc);
	out_str(o, "state", "Tx queue state: %s\n", state_name(q->queue_state));
}

int
port_queue_show(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e)
{
	const struct port_side *side = &port_sides[rx];
	struct rte_eth_burst_mode mode;
	struct rte_eth_rxq_info rxq;
	struct rte_eth_txq_info txq;
	int ret = rx ? rte_eth_rx_queue_info_get(id, queue, &rxq)
		     : rte_eth_tx_queue_info_get(id, queue, &txq);

	if (ret != 0)
		return err_set(e, abs(ret),
			"Failed to retrieve information for port: %u, %s queue: %u\nerror desc: %s(%d)",
			id, side->upper, queue, strerror(abs(ret)), ret);
	queue_named(ps->out, id, queue, rx);
	out_text(ps->out, "\n%s Infos for port %-2u, %s queue %-2u %s\n", BORDER, id, side->upper,
		queue, BORDER);
	if (rx)
		rx_show(ps->out, &rxq);
	else
		tx_show(ps->out, &txq);
	if (side->burst_mode(id, queue, &mode) != 0)
		return 0;
	out_str(ps->out, "burst_mode", "Burst mode: %s", mode.info);
	out_bool(ps->out, "burst_mode_per_queue", "%s\n", mode.flags & RTE_ETH_BURST_FLAG_PER_QUEUE,
		" (per queue)", "");
	return 0;
}

/* Return 0 if descriptors of this queue can be queried; drivers do not check the queue. */
static int
askable(const struct port *p, uint16_t queue, bool rx, struct err *e)
{
	uint16_t n = rx ? p->n_rxq : p->n_txq;

	if (queue >= n)
		return err_set(e, EINVAL, "Invalid queueid = %u: port %u has %u %s queues", queue,
			p->id, n, port_sides[rx].title);
	if (p->state != PORT_STARTED)
		return err_set(e, EBUSY,
			"port %u is stopped and its queues are empty; use \"port start %u\" first",
			p->id, p->id);
	return 0;
}

static int
unanswered(const struct port *p, uint16_t queue, bool rx, int ret, struct err *e)
{
	return err_set(e, abs(ret), "port %u, %s queue %u: driver %s cannot report it: %s", p->id,
		port_sides[rx].title, queue, p->info.driver_name, strerror(abs(ret)));
}

int
port_queue_used(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = askable(p, queue, rx, e);
	if (ret != 0)
		return ret;
	ret = rx ? compat_rx_queue_count(id, queue) : compat_tx_queue_count(id, queue);
	if (ret < 0)
		return unanswered(p, queue, rx, ret, e);
	queue_named(ps->out, id, queue, rx);
	out_u64(ps->out, "used", "Used desc count = %" PRIu64 "\n", ret);
	return 0;
}

static const char *
rx_desc_name(int status)
{
	switch (status) {
	case RTE_ETH_RX_DESC_AVAIL: return "AVAILABLE";
	case RTE_ETH_RX_DESC_DONE: return "DONE";
	default: return "UNAVAILABLE";
	}
}

static const char *
tx_desc_name(int status)
{
	switch (status) {
	case RTE_ETH_TX_DESC_FULL: return "FULL";
	case RTE_ETH_TX_DESC_DONE: return "DONE";
	default: return "UNAVAILABLE";
	}
}

int
port_queue_desc(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0), queue = arg_u64(a, "queue", 0);
	const uint16_t descriptor = arg_u64(a, "descriptor", 0);
	const bool rx = arg_is(a, "way", "rxq");
	const struct port *p = port_find(ps, id, e);
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = askable(p, queue, rx, e);
	if (ret != 0)
		return ret;
	if (rx)
		ret = compat_rx_descriptor_status(id, queue, descriptor);
	else
		ret = compat_tx_descriptor_status(id, queue, descriptor);
	if (ret < 0)
		return err_set(e, abs(ret), "Invalid input: queue id = %u, desc id = %u: %s", queue,
			descriptor, strerror(abs(ret)));
	queue_named(ps->out, id, queue, rx);
	out_u64(ps->out, "descriptor", NULL, descriptor);
	out_str(ps->out, "status", "Desc status = %s\n",
		rx ? rx_desc_name(ret) : tx_desc_name(ret));
	return 0;
}

static void
verdict_show(struct out *o, const char *use, const struct extbuf_verdict *v)
{
	out_nest(o, use, OUT_OBJECT);
	out_text(o, "    %-9s", use);
	out_str(o, "verdict", "%-13s ", extbuf_support_word(v->support));
	out_str(o, "reason", "%s\n", v->why);
	out_unnest(o);
}

static void
function_show(struct out *o, const struct extbuf_queue *q)
{
	out_str(o, "function", "%s", q->path[0] != '\0' ? q->path : "unnamed function");
	out_bool(o, "known", "%s\n", q->known, "", " of an unknown driver: the safe default");
}

static void
extbuf_rx_show(struct out *o, const struct port *p, uint16_t queue, const struct extbuf_queue *q)
{
	struct rte_mempool *pool = port_rx_pool(p, queue, p->socket);

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "queue", "  RX queue %" PRIu64 ": ", queue);
	function_show(o, q);
	out_str(o, "pool", "    pool     %s, ", pool != NULL ? pool->name : "none");
	out_bool(o, "pinned_pool", "%s\n", pool != NULL && extbuf_is_pinned(pool),
		"with pinned external buffers", "with ordinary buffers");
	for (unsigned int use = 0; use < EXTBUF_RX_USES; use++)
		verdict_show(o, extbuf_rx_word(use), &q->verdict[use]);
	out_unnest(o);
}

static void
extbuf_tx_show(struct out *o, uint16_t queue, const struct extbuf_queue *q)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "queue", "  TX queue %" PRIu64 ": ", queue);
	function_show(o, q);
	for (unsigned int use = 0; use < EXTBUF_TX_USES; use++)
		verdict_show(o, extbuf_tx_word(use), &q->verdict[use]);
	out_unnest(o);
}

static int
extbuf_port_show(struct ports *ps, struct port *p, void *ctx, struct err *e)
{
	struct stream_end end;
	struct extbuf_queue q;
	int ret = 0;

	if (p->state != PORT_STARTED)
		return port_fail(ps, e, EBUSY,
			"port %u is stopped; its driver chooses Rx and Tx functions at \"port start %u\"",
			p->id, p->id);
	out_str(ps->out, "driver", NULL, p->info.driver_name);
	out_text(ps->out, "Port %u: %s\n", p->id, p->info.driver_name);
	out_nest(ps->out, "rx", OUT_ARRAY);
	for (uint16_t i = 0; ret == 0 && i < p->n_rxq; i++) {
		ret = extbuf_rx_judge(p->id, i, &q, e);
		if (ret == 0)
			extbuf_rx_show(ps->out, p, i, &q);
	}
	out_unnest(ps->out);
	out_nest(ps->out, "tx", OUT_ARRAY);
	for (uint16_t i = 0; ret == 0 && i < p->n_txq; i++) {
		port_stream_end(p, i, false, &end);
		ret = extbuf_tx_judge(p->id, i, end.offloads, &q, e);
		if (ret == 0)
			extbuf_tx_show(ps->out, i, &q);
	}
	out_unnest(ps->out);
	return ret;
}

int
port_queue_extbuf_show(struct ports *ps, uint16_t id, struct err *e)
{
	return port_each(ps, id, extbuf_port_show, NULL, e);
}

/* Change single queues of a configured port: rate limit, threshold, statistics mapping, cleanup of
 * sent buffers. */

int
port_queue_run(struct port *p, bool rx, uint16_t queue, bool start, struct err *e)
{
	const struct port_side *side = &port_sides[rx];
	const int ret = start ? side->queue_start(p->id, queue) : side->queue_stop(p->id, queue);

	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "Function not supported in PMD");
	if (ret != 0)
		return err_set(e, abs(ret), "port %u, %s queue %u: driver %s cannot %s it: %s",
			p->id, side->title, queue, p->info.driver_name, start ? "start" : "stop",
			strerror(abs(ret)));
	port_queue_at(p, rx, queue)->stopped = !start;
	return 0;
}

bool
port_queue_stopped(const struct ports *ps, uint16_t id, bool rx, uint16_t queue)
{
	const struct port *p = port_at(ps, id);

	return p != NULL && queue < PORT_QUEUES_MAX && port_queue_at(p, rx, queue)->stopped;
}

void
port_queue_states_read(const struct port *p, struct port_queue_states *s)
{
	memset(s, 0, sizeof(*s));
	for (unsigned int rx = 0; rx < 2; rx++)
		for (uint16_t q = 0; q < p->n_queues; q++)
			s->stopped[rx][q] = port_queue_at(p, rx != 0, q)->stopped;
}

int
port_queue_states_apply(struct port *p, const struct port_queue_states *s, struct err *e)
{
	int ret = 0;

	for (unsigned int rx = 0; rx < 2; rx++)
		for (uint16_t q = 0; ret == 0 && q < (rx != 0 ? p->n_rxq : p->n_txq); q++)
			if (s->stopped[rx][q] != port_queue_at(p, rx != 0, q)->stopped)
				ret = port_queue_run(p, rx != 0, q, !s->stopped[rx][q], e);
	return ret;
}

int
port_queue_restart(struct ports *ps, struct port *p, struct err *e)
{
	struct port_queue_states states;
	int ret;

	port_queue_states_read(p, &states);
	ret = port_stop(ps, p->id, e);
	if (ret == 0)
		ret = port_start(ps, p->id, e);
	return ret == 0 ? port_queue_states_apply(p, &states, e) : ret;
}

int
port_queue_check(const struct ports *ps, bool rx, uint16_t queue, struct err *e)
{
	const struct port_side *side = &port_sides[rx];
	const uint64_t n = setting_u64(ps->settings, side->queues);

	return queue < n ? 0
			 : err_set(e, ERANGE, "Invalid %s queue %u (must be < nb_%s=%u)",
				   side->upper, queue, side->queues, (unsigned int)n);
}

int
port_queue_rate(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0), queue = arg_u64(a, "queue", 0);
	const uint32_t mbps = arg_u64(a, "mbps", 0);
	const struct port *p = port_find(ps, id, e);
	struct rte_eth_link link;
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = rte_eth_link_get_nowait(id, &link);
	if (ret < 0)
		return err_set(e, -ret, "port %u (%s): cannot read its link: %s", id,
			p->info.driver_name, strerror(-ret));
	if (link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN && mbps > link.link_speed)
		return err_set(e, ERANGE, "Invalid rate value:%u bigger than link speed: %u", mbps,
			link.link_speed);
	ret = rte_eth_set_queue_rate_limit(id, queue, mbps);
	return ret == 0
		? 0
		: err_set(e, abs(ret),
			  "rte_eth_set_queue_rate_limit for port_id=%u failed diag=%d\nqueue_rate_limit_cmd error: (%s)",
			  id, ret, strerror(abs(ret)));
}

int
port_queue_rate_show(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0), queue = arg_u64(a, "queue", 0);
	uint32_t mbps = 0;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = compat_queue_rate_get(id, queue, &mbps);
	if (ret == -ENOSYS)
		return err_set(e, ENOSYS, "queue rate limit: needs DPDK 26.07, this is %s",
			rte_version());
	if (ret != 0)
		return err_set(e, abs(ret), "Get queue rate limit failed: %s", strerror(abs(ret)));
	out_u64(ps->out, "port", "Port %" PRIu64, id);
	out_u64(ps->out, "queue", " Queue %" PRIu64 " rate limit: ", queue);
	if (mbps == 0)
		out_text(ps->out, "disabled\n");
	out_u64(ps->out, "rate_mbps", mbps != 0 ? "%" PRIu64 " Mbps\n" : NULL, mbps);
	return 0;
}

int
port_queue_avail_thresh(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0), queue = arg_u64(a, "queue", 0);
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = rte_eth_rx_avail_thresh_set(id, queue, (uint8_t)arg_u64(a, "percent", 0));
	return ret >= 0 ? 0 : err_set(e, -ret, "rxq_avail_thresh_cmd error: (%s)", strerror(-ret));
}

int
port_queue_cleanup(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0), queue = arg_u64(a, "queue", 0);
	struct rte_eth_txq_info info;
	int ret;

	if (ps->forwarding)
		return err_set(e, EBUSY, "Please stop forwarding first");
	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = rte_eth_tx_queue_info_get(id, queue, &info);
	if (ret != 0)
		return err_set(e, abs(ret), "Failed to get port %u Tx queue %u info", id, queue);
	if (info.queue_state != RTE_ETH_QUEUE_STATE_STARTED)
		return err_set(e, EINVAL, "Tx queue %u not started", queue);
	ret = rte_eth_tx_done_cleanup(id, queue, (uint32_t)arg_u64(a, "n", 0));
	if (ret < 0)
		return err_set(e, -ret,
			"Failed to cleanup mbuf for port %u Tx queue %u error desc: %s(%d)", id,
			queue, strerror(-ret), ret);
	out_u64(ps->out, "port", "Cleanup port %" PRIu64, id);
	out_u64(ps->out, "queue", " Tx queue %" PRIu64, queue);
	out_u64(ps->out, "freed", " mbuf nums: %" PRIu64 "\n", ret);
	return 0;
}

int
port_queue_stats_map(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0), queue = arg_u64(a, "queue", 0);
	const uint64_t slot = arg_u64(a, "counter", 0);
	const bool rx = arg_is(a, "way", "rx");
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = port_queue_check(ps, rx, queue, e);
	if (ret != 0)
		return ret;
	if (slot >= COMPAT_QUEUE_STATS)
		return err_set(e, ERANGE, "map_value not in required range 0..%d",
			COMPAT_QUEUE_STATS - 1);
	ret = compat_queue_stats_map(id, rx, queue, (uint8_t)slot);
	if (ret == -ENOSYS)
		return err_set(e, ENOSYS,
			"set stat_qmap: removed in DPDK 25.11, this is %s; use \"show port xstats\"",
			rte_version());
	return ret == 0 ? 0
			: err_set(e, abs(ret), "failed to set %s queue stats mapping.",
				  port_sides[rx].lower);
}

int
port_queue_affinity(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0), queue = arg_u64(a, "queue", 0);
	const struct port *p = port_find(ps, id, e);
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = port_queue_check(ps, false, queue, e);
	if (ret != 0)
		return ret;
	ret = compat_aggr_ports(id);
	if (ret == -ENOSYS)
		return err_set(e, ENOSYS, "Tx queue affinity: needs DPDK 23.03, this is %s",
			rte_version());
	if (ret < 0)
		return err_set(e, -ret, "Failed to count the aggregated ports: (%s)",
			strerror(-ret));
	ret = compat_aggr_tx_affinity(id, queue, (uint8_t)arg_u64(a, "n", 0));
	return ret == 0 ? 0
			: err_set(e, abs(ret), "Failed to map tx queue with an aggregated port: %s",
				  strerror(abs(ret)));
}
