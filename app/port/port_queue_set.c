/* Change single queues of a configured port: rate limit, threshold, statistics mapping, cleanup of
 * sent buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_queue_set.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "compat.h"
#include "port/port.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int
queue_check(const struct ports *ps, bool rx, uint16_t queue, struct err *e)
{
	const uint64_t n = setting_u64(ps->settings, rx ? "rxq" : "txq");

	return queue < n ? 0
			 : err_set(e, ERANGE, "Invalid %s queue %u (must be < nb_%sq=%u)",
				   rx ? "RX" : "TX", queue, rx ? "rx" : "tx", (unsigned int)n);
}

int
port_queue_rate(struct ports *ps, uint16_t id, uint16_t queue, uint32_t mbps, struct err *e)
{
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
port_queue_rate_show(struct ports *ps, uint16_t id, uint16_t queue, struct err *e)
{
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
port_queue_avail_thresh(struct ports *ps, uint16_t id, uint16_t queue, uint8_t percent,
	struct err *e)
{
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = rte_eth_rx_avail_thresh_set(id, queue, percent);
	return ret >= 0 ? 0 : err_set(e, -ret, "rxq_avail_thresh_cmd error: (%s)", strerror(-ret));
}

int
port_queue_cleanup(struct ports *ps, uint16_t id, uint16_t queue, uint32_t n, struct err *e)
{
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
	ret = rte_eth_tx_done_cleanup(id, queue, n);
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
port_queue_stats_map(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint16_t slot,
	struct err *e)
{
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = queue_check(ps, rx, queue, e);
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
	return ret == 0
		? 0
		: err_set(e, abs(ret), "failed to set %s queue stats mapping.", rx ? "rx" : "tx");
}

int
port_queue_affinity(struct ports *ps, uint16_t id, uint16_t queue, uint8_t affinity, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = queue_check(ps, false, queue, e);
	if (ret != 0)
		return ret;
	ret = compat_aggr_ports(id);
	if (ret == -ENOSYS)
		return err_set(e, ENOSYS, "Tx queue affinity: needs DPDK 23.03, this is %s",
			rte_version());
	if (ret < 0)
		return err_set(e, -ret, "Failed to count the aggregated ports: (%s)",
			strerror(-ret));
	ret = compat_aggr_tx_affinity(id, queue, affinity);
	return ret == 0 ? 0
			: err_set(e, abs(ret), "Failed to map tx queue with an aggregated port: %s",
				  strerror(abs(ret)));
}
