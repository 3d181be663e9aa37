/* Derive a device's configuration from the settings, and configure the device and its queues; the
 * only caller of rte_eth_dev_configure(). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_setup.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/text.h"
#include "compat.h"
#include "memory/numa.h"
#include "memory/pool.h"
#include "memory/pool_memory.h"
#include "memory/pool_ops.h"
#include "pmd_shims/extbuf.h"
#include "port/port.h"
#include "port/port_descriptors.h"
#include "port/port_feature.h"
#include "port/port_hairpin.h"
#include "port/port_split.h"

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_version.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return the group of ports of a switch that share Rx queues, from 1; 0: the port shares none. */
static uint32_t
group_of(const struct port *p)
{
	const uint64_t ports = setting_u64(p->all->settings, "rxq-share");

	if (ports == 0 || (p->info.dev_capa & RTE_ETH_DEV_CAPA_RXQ_SHARE) == 0)
		return 0;
	return (uint32_t)(p->id / ports) + 1;
}

/*
 * Put a queue into the share group that --rxq-share assigns to its port, if the driver supports
 * shared Rx queues: equal queue numbers of the consecutive ports of a group are one queue. Thread:
 * control, all of this file.
 */
static void
port_rx_share_conf(const struct port *p, uint16_t queue, struct rte_eth_rxconf *conf)
{
	const uint32_t group = group_of(p);

	if (group == 0)
		return;
	conf->share_group = (uint16_t)group;
	conf->share_qid = queue;
}

bool
port_rx_share_same(const struct port *a, uint16_t a_queue, const struct port *b, uint16_t b_queue)
{
	const uint32_t group = group_of(a);

	return group != 0 && group == group_of(b) && a_queue == b_queue &&
		a->info.switch_info.domain_id == b->info.switch_info.domain_id;
}

uint32_t
port_setup_overhead(const struct port *p)
{
	if (p->info.max_mtu != UINT16_MAX && p->info.max_rx_pktlen > p->info.max_mtu)
		return p->info.max_rx_pktlen - p->info.max_mtu;
	return RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
}

uint64_t
port_setup_rss(const struct ports *ps)
{
	uint64_t types = 0;

	if (ps->rss_given)
		return ps->rss_hf;
	if (setting_on(ps->settings, "disable-rss"))
		return 0;
	if (setting_on(ps->settings, "rss-udp"))
		types |= RTE_ETH_RSS_UDP;
	if (setting_on(ps->settings, "rss-ip") || types == 0)
		types |= RTE_ETH_RSS_IP;
	if (setting_on(ps->settings, "rss-level-inner"))
		types |= RTE_ETH_RSS_LEVEL_INNERMOST;
	if (setting_on(ps->settings, "rss-level-outer"))
		types |= RTE_ETH_RSS_LEVEL_OUTERMOST;
	return types;
}

/* Return the Rx offloads of the boolean settings (enable-rx-cksum, ...) and of rx-offloads. */
static uint64_t
rx_offloads(const struct settings *settings)
{
	static const struct {
		const char *name;
		uint64_t offloads;
	} switches[] = {
		{ "enable-rx-cksum", RTE_ETH_RX_OFFLOAD_CHECKSUM },
		{ "enable-rx-timestamp", RTE_ETH_RX_OFFLOAD_TIMESTAMP },
		{ "enable-scatter", RTE_ETH_RX_OFFLOAD_SCATTER },
		{ "enable-lro", RTE_ETH_RX_OFFLOAD_TCP_LRO },
		{ "enable-hw-vlan", RTE_ETH_RX_OFFLOAD_VLAN },
		{ "enable-hw-vlan-filter", RTE_ETH_RX_OFFLOAD_VLAN_FILTER },
		{ "enable-hw-vlan-strip", RTE_ETH_RX_OFFLOAD_VLAN_STRIP },
		{ "enable-hw-vlan-extend", RTE_ETH_RX_OFFLOAD_VLAN_EXTEND },
		{ "enable-hw-qinq-strip", RTE_ETH_RX_OFFLOAD_QINQ_STRIP },
		{ "disable-crc-strip", RTE_ETH_RX_OFFLOAD_KEEP_CRC },
	};
	uint64_t offloads = strtoull(setting_text(settings, "rx-offloads"), NULL, 16);

	for (size_t i = 0; i < ARRAY_SIZE(switches); i++)
		if (setting_on(settings, switches[i].name))
			offloads |= switches[i].offloads;
	return offloads;
}

/* In the order of the choices of the setting eth-link-speed. */
static const struct {
	const char *word;
	uint32_t full, half; /* RTE_ETH_LINK_SPEED_*; 0: not in this release, or no half duplex */
	const char *since;   /* first DPDK release; NULL: all */
} speeds[] = {
	{ "auto", RTE_ETH_LINK_SPEED_AUTONEG, 0 },
	{ "10", RTE_ETH_LINK_SPEED_10M, RTE_ETH_LINK_SPEED_10M_HD },
	{ "100", RTE_ETH_LINK_SPEED_100M, RTE_ETH_LINK_SPEED_100M_HD },
	{ "1000", RTE_ETH_LINK_SPEED_1G, 0 },
	{ "2500", RTE_ETH_LINK_SPEED_2_5G, 0 },
	{ "5000", RTE_ETH_LINK_SPEED_5G, 0 },
	{ "10000", RTE_ETH_LINK_SPEED_10G, 0 },
	{ "25000", RTE_ETH_LINK_SPEED_25G, 0 },
	{ "40000", RTE_ETH_LINK_SPEED_40G, 0 },
	{ "50000", RTE_ETH_LINK_SPEED_50G, 0 },
	{ "100000", RTE_ETH_LINK_SPEED_100G, 0 },
	{ "200000", RTE_ETH_LINK_SPEED_200G, 0 },
	{ "400000", COMPAT_LINK_SPEED_400G, 0, "23.03" },
	{ "800000", COMPAT_LINK_SPEED_800G, 0, "25.11" },
};

int
port_setup_speed(const char *speed, const char *duplex, uint32_t *bits, struct err *e)
{
	const bool half = strcmp(duplex, "half") == 0;

	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++) {
		if (strcmp(speeds[i].word, speed) != 0)
			continue;
		if (half && speeds[i].half == 0)
			return err_set(e, EINVAL, "Invalid speed/duplex parameters");
		if (speeds[i].since != NULL && speeds[i].full == 0)
			return err_set(e, ENOSYS, "speed %s: needs DPDK %s, this is %s", speed,
				speeds[i].since, rte_version());
		*bits = half ? speeds[i].half : speeds[i].full;
		if (*bits != RTE_ETH_LINK_SPEED_AUTONEG)
			*bits |= RTE_ETH_LINK_SPEED_FIXED;
		return 0;
	}
	return err_set(e, EINVAL, "Unknown speed parameter");
}

static uint32_t
link_speeds(const struct settings *settings)
{
	const uint64_t which = setting_u64(settings, "eth-link-speed");

	if (which == 0 || which >= ARRAY_SIZE(speeds))
		return RTE_ETH_LINK_SPEED_AUTONEG;
	return speeds[which].full | RTE_ETH_LINK_SPEED_FIXED;
}

/* Get the MTU for the setting max-pkt-len; 0: not set. */
static int
mtu_of_setting(const struct port *p, uint32_t *mtu, struct err *e)
{
	const uint32_t overhead = port_setup_overhead(p);
	uint64_t bytes = setting_u64(p->all->settings, "max-pkt-len");

	*mtu = 0;
	if (bytes == 0)
		return 0;
	if (bytes < RTE_ETHER_MIN_LEN)
		return err_set(e, ERANGE, "Invalid max-pkt-len=%" PRIu64 " - should be > %d", bytes,
			RTE_ETHER_MIN_LEN);
	if (bytes > p->info.max_rx_pktlen)
		return err_set(e, ERANGE,
			"max-pkt-len %" PRIu64 ": port %u (%s) supports at most %u bytes", bytes,
			p->id, p->info.driver_name, p->info.max_rx_pktlen);
	*mtu = (uint32_t)bytes - overhead;
	return 0;
}

static int
info_read(struct port *p, struct err *e)
{
	struct rte_eth_dev_info info; /* a copy, because DPDK clears it on failure */
	int ret = rte_eth_dev_info_get(p->id, &info);

	if (ret != 0)
		return err_set(e, abs(ret), "Error during getting device (port %u) info: %s", p->id,
			strerror(abs(ret)));
	p->info = info;
	return 0;
}

/*
 * Return the Tx offloads wanted, without fast free if the port lacks it, or if all pools have
 * pinned external buffers (mp-alloc=xbuf) and the driver is not known to support that; then a line
 * is printed. Source: RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE excludes external buffers since 24.11.
 */
static uint64_t
tx_offloads(const struct ports *ps, const struct port *p, uint64_t wanted)
{
	const uint64_t fast_free = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;

	if ((p->info.tx_offload_capa & fast_free) == 0)
		return wanted & ~fast_free;
	if ((wanted & fast_free) == 0 || setting_u64(ps->settings, "mp-alloc") != POOL_XBUF ||
		extbuf_fast_free_pinned(p->info.driver_name))
		return wanted;
	out_warn(ps->out,
		"Port %u: mbuf_fast_free disabled: all buffers are external and driver %s is not known to support that\n",
		p->id, p->info.driver_name);
	return wanted & ~fast_free;
}

/*
 * net_vmxnet3 reads memory that its first configuration allocates when it is asked for statistics, VLANs
 * or promiscuous mode, and crashes without: it is configured for one queue before anybody asks.
 */
static int
first_configure(const struct port *p, struct err *e)
{
	const struct rte_eth_conf conf = { 0 };
	int ret;

	if (strcmp(p->info.driver_name, "net_vmxnet3") != 0 ||
		rte_eal_process_type() != RTE_PROC_PRIMARY)
		return 0;
	ret = rte_eth_dev_configure(p->id, 1, 1, &conf);
	return ret == 0 ? 0
			: err_set(e, abs(ret), "port %u (%s): cannot be configured: %s", p->id,
				  p->info.driver_name, strerror(abs(ret)));
}

int
port_setup_prepare(struct ports *ps, struct port *p, struct err *e)
{
	struct rte_eth_conf conf = { 0 };
	int ret;

	if (p->prepared)
		return 0;
	ret = info_read(p, e);
	if (ret != 0)
		return ret;
	p->socket = numa_socket(ps->settings, p->id);
	conf.link_speeds = link_speeds(ps->settings);
	conf.rxmode.offloads = rx_offloads(ps->settings);
	conf.txmode.offloads =
		tx_offloads(ps, p, strtoull(setting_text(ps->settings, "tx-offloads"), NULL, 16));
	conf.rxmode.max_lro_pkt_size = (uint32_t)setting_u64(ps->settings, "max-lro-pkt-size");
	ret = mtu_of_setting(p, &conf.rxmode.mtu, e);
	if (ret == 0)
		ret = first_configure(p, e);
	if (ret != 0)
		return ret;
	p->conf = conf;
	port_queues_extend(p);
	p->prepared = true;
	return 0;
}

struct port *
port_setup_stopped(struct ports *ps, uint16_t id, struct err *e)
{
	struct port *p = port_find(ps, id, e);

	if (p == NULL)
		return NULL;
	if (p->state != PORT_STOPPED) {
		err_set(e, EBUSY, "Please stop port %u first", id);
		return NULL;
	}
	return port_setup_prepare(ps, p, e) == 0 ? p : NULL;
}

const struct port_number_row port_numbers[] = {
	[PORT_RXQ] = { "rxq", true, true },
	[PORT_TXQ] = { "txq", false, true },
	[PORT_RXD] = { "rxd", true, false },
	[PORT_TXD] = { "txd", false, false },
};

int
port_setup_check(const struct port *p, enum port_number which, uint64_t n, struct err *e)
{
	const char *what = port_numbers[which].setting;
	const bool rx = port_numbers[which].rx, queues = port_numbers[which].queues;
	const struct rte_eth_desc_lim *limits = rx ? &p->info.rx_desc_lim : &p->info.tx_desc_lim;
	const unsigned int max_queues = rx ? p->info.max_rx_queues : p->info.max_tx_queues;

	if (queues && n > max_queues)
		return err_set(e, ERANGE,
			"Fail: input %s (%" PRIu64
			") can't be greater than max_%s_queues (%u) of port %u",
			what, n, port_sides[rx].lower, max_queues, p->id);
	/* 0 descriptors: the driver's choice, even if its minimum is larger. */
	if (queues || n == 0)
		return 0;
	if (n > limits->nb_max)
		return err_set(e, ERANGE,
			"Fail: input %s (%" PRIu64
			") can't be greater than max_%ss (%u) of port %u",
			what, n, what, limits->nb_max, p->id);
	if (n < limits->nb_min)
		return err_set(e, ERANGE,
			"Fail: input %s (%" PRIu64 ") can't be less than min_%ss (%u) of port %u",
			what, n, what, limits->nb_min, p->id);
	if (limits->nb_align > 1 && n % limits->nb_align != 0)
		return err_set(e, EINVAL,
			"Fail: input %s (%" PRIu64
			") is not a multiple of %u, which port %u (%s) requires",
			what, n, limits->nb_align, p->id, p->info.driver_name);
	return 0;
}

int
port_setup_check_lro(const struct port *p, uint64_t bytes, struct err *e)
{
	const uint32_t most = p->info.max_lro_pkt_size;

	/* Drivers without a maximum join up to one frame; ethdev checks that. */
	if (bytes == 0 || most == 0 || (p->conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_TCP_LRO) == 0)
		return 0;
	if (bytes < RTE_ETHER_MIN_LEN || bytes > most)
		return err_set(e, ERANGE,
			"max-lro-pkt-size %" PRIu64 ": driver %s of port %u supports %u..%u bytes",
			bytes, p->info.driver_name, p->id, RTE_ETHER_MIN_LEN, most);
	return 0;
}

/* Fill e with the driver's error; for ENOMEM add the free buffers of the pool. */
static int
queue_fail(const struct ports *ps, const struct port *p, uint16_t queue, bool rx, int ret,
	struct err *e)
{
	const struct rte_mempool *mp = pool_for(ps->pools, p->socket, 0);
	const char *way = port_sides[rx].lower;

	if (ret == -ENOMEM && mp != NULL)
		return err_set(e, ENOMEM,
			"Fail to configure port %u %s queues: queue %u, driver %s: no memory; %u of %u buffers are free "
			"in pool %s; use a larger --total-num-mbufs",
			p->id, way, queue, p->info.driver_name, rte_mempool_avail_count(mp),
			mp->size, mp->name);
	return err_set(e, abs(ret),
		"Fail to configure port %u %s queues: queue %u, driver %s: %s%s", p->id, way, queue,
		p->info.driver_name, strerror(abs(ret)),
		rx && ret == -EINVAL && strcmp(p->info.driver_name, "net_pcap") == 0
			? "; infinite_rx takes an mbuf for each packet of the file: use a larger --total-num-mbufs"
			: "");
}

/* Return the NUMA socket of the rings of a port. */
static int
ring_socket(const struct port *p, bool rx)
{
	const int socket = numa_ring(p->all->settings, p->id, rx);

	return socket >= 0 ? socket : p->socket;
}

int
port_setup_pool_check(const struct port *p, const char *ops, struct err *e)
{
	struct text names = { 0 };
	const char *name;
	int ret;

	if (rte_eth_dev_pool_ops_supported(p->id, ops) >= 0)
		return 0;
	for (unsigned int i = 0; (name = pool_ops_at(i)) != NULL; i++)
		if (rte_eth_dev_pool_ops_supported(p->id, name) >= 0)
			text_add(&names, "%s%s", names.n == 0 ? "" : ", ", name);
	ret = err_set(e, EOPNOTSUPP,
		"port %u (%s) does not support mempool driver %s; use --mbuf-pool-ops=NAME, \"set pool ops NAME\" or \"port config %u pool_ops NAME\" with one of: %s",
		p->id, p->info.driver_name, ops, p->id,
		names.bytes != NULL ? names.bytes : "none available");
	free(names.bytes);
	return ret;
}

/* Get the pool of a queue; it is created for the first queue with that mempool driver. */
static int
pool_take(struct ports *ps, const struct port *p, uint16_t queue, int socket,
	struct rte_mempool **mp, struct err *e)
{
	const char *ops = p->rxq[queue].pool_ops;

	if (ops[0] != '\0' && ps->rx_pool == NULL && pool_for(ps->pools, socket, 0) != NULL)
		return pool_own(ps->pools, ops, socket, mp, ps->out, e);
	*mp = port_rx_pool(p, queue, socket);
	return *mp != NULL
		? 0
		: err_set(e, ENOENT,
			  "Failed to setup RX queue: No mempool allocation on the socket %d",
			  socket);
}

/* A queue of a started port is set up only while it is stopped, and stays so. */
static void
stopped_record(const struct port *p, struct port_queue *q)
{
	if (p->state != PORT_STARTED)
		q->stopped = q->deferred_start;
}

/* Record the pools that a receive queue is about to be set up with. */
static void
pools_record(struct port *p, uint16_t queue, const struct rte_eth_rxconf *conf,
	const struct port_split *split, struct rte_mempool *mp)
{
	struct rte_mempool **pools = p->rx_pools[queue];

	memset(pools, 0, sizeof(p->rx_pools[queue]));
	pools[0] = mp;
	for (unsigned int i = 0; conf->rx_seg != NULL && i < conf->rx_nseg; i++)
		pools[i] = split->segments[i].split.mp;
	for (unsigned int i = 0; conf->rx_mempools != NULL && i < conf->rx_nmempool; i++)
		pools[i] = split->pools[i];
}

/* Refuse packet pools of external buffers (mp-alloc=xbuf) that the port's driver maps with gaps. */
static int
pools_mapped(const struct ports *ps, const struct port *p, struct err *e)
{
	const uint64_t page = rte_eal_has_hugepages() ? RTE_PGSIZE_2M
						      : (uint64_t)sysconf(_SC_PAGESIZE);
	int ret = 0;

	for (unsigned int i = 0; i < POOL_MAX && ret == 0; i++) {
		struct rte_mempool *mp = pool_at(ps->pools, i);

		if (mp != NULL && extbuf_is_pinned(mp))
			ret = extbuf_pages_check(p->id, rte_pktmbuf_data_room_size(mp), page, e);
	}
	return ret;
}

int
port_setup_rxq(struct ports *ps, struct port *p, uint16_t queue, struct err *e)
{
	const int socket = ring_socket(p, true);
	struct rte_mempool *mp;
	struct rte_eth_rxconf conf;
	struct port_split split;
	uint16_t n;
	int ret = pool_take(ps, p, queue, socket, &mp, e);

	if (ret != 0)
		return ret;
	port_rxconf(p, queue, &conf, &n);
	ret = port_setup_pool_check(p, pool_ops_name(mp), e);
	if (ret == 0)
		ret = pools_mapped(ps, p, e);
	if (ret == 0)
		ret = port_split_conf(ps, p, socket, &split, &conf, e);
	if (ret != 0)
		return ret;
	pools_record(p, queue, &conf, &split, mp);
	if (conf.rx_seg != NULL || conf.rx_mempools != NULL)
		mp = NULL;
	ret = rte_eth_rx_queue_setup(p->id, queue, n, (unsigned int)socket, &conf, mp);
	if (ret != 0)
		return queue_fail(ps, p, queue, true, ret, e);
	stopped_record(p, &p->rxq[queue]);
	return 0;
}

int
port_setup_txq(struct ports *ps, struct port *p, uint16_t queue, struct err *e)
{
	struct rte_eth_txconf conf;
	uint16_t n;
	int ret;

	port_txconf(p, queue, &conf, &n);
	ret = rte_eth_tx_queue_setup(p->id, queue, n, (unsigned int)ring_socket(p, false), &conf);
	if (ret != 0)
		return queue_fail(ps, p, queue, false, ret, e);
	stopped_record(p, &p->txq[queue]);
	return 0;
}

/*
 * Complete conf before each configuration: RSS for several queues, interrupts that the device
 * supports.
 */
static void
conf_complete(const struct ports *ps, struct port *p)
{
	const bool several = setting_u64(ps->settings, "rxq") > 1 ||
		setting_on(ps->settings, "enable-rss");
	const uint64_t modes = strtoull(setting_text(ps->settings, "rx-mq-mode"), NULL, 16);
	const uint32_t flags = p->info.dev_flags != NULL ? *p->info.dev_flags : 0;
	struct rte_eth_conf *c = &p->conf;
	unsigned int i;

	c->rx_adv_conf.rss_conf.rss_key = NULL;
	c->rx_adv_conf.rss_conf.rss_hf =
		several ? port_setup_rss(ps) & p->info.flow_type_rss_offloads : 0;
	c->rxmode.mq_mode = c->rx_adv_conf.rss_conf.rss_hf != 0
		? (enum rte_eth_rx_mq_mode)(modes & RTE_ETH_MQ_RX_RSS)
		: RTE_ETH_MQ_RX_NONE;
	if (c->rx_adv_conf.rss_conf.rss_hf == 0) {
		c->rxmode.offloads &= ~RTE_ETH_RX_OFFLOAD_RSS_HASH;
		for (i = 0; i < p->n_queues; i++)
			p->rxq[i].offloads &= ~RTE_ETH_RX_OFFLOAD_RSS_HASH;
	}
	c->intr_conf.lsc = (flags & RTE_ETH_DEV_INTR_LSC) != 0 &&
		!setting_on(ps->settings, "no-lsc-interrupt");
	c->intr_conf.rmv = (flags & RTE_ETH_DEV_INTR_RMV) != 0 &&
		!setting_on(ps->settings, "no-rmv-interrupt");
}

/* Update conf: the driver may have enabled more offloads than requested. */
static void
offloads_take(struct port *p)
{
	struct rte_eth_conf now;
	unsigned int i;

	if (rte_eth_dev_conf_get(p->id, &now) != 0)
		return;
	for (i = 0; i < p->n_queues; i++) {
		if (now.rxmode.offloads != p->conf.rxmode.offloads)
			p->rxq[i].offloads |= now.rxmode.offloads;
		if (now.txmode.offloads != p->conf.txmode.offloads)
			p->txq[i].offloads |= now.txmode.offloads;
	}
	p->conf.rxmode.offloads |= now.rxmode.offloads;
	p->conf.txmode.offloads |= now.txmode.offloads;
}

static int
device_configure(struct ports *ps, struct port *p, struct err *e)
{
	const uint16_t n_rxq = (uint16_t)setting_u64(ps->settings, "rxq");
	const uint16_t n_txq = (uint16_t)setting_u64(ps->settings, "txq");
	const uint16_t n_hairpin = (uint16_t)setting_u64(ps->settings, "hairpinq");
	int ret;

	/* Options were parsed before ports were known, and ports can be attached later. */
	for (enum port_number i = 0; i < PORT_NUMBERS; i++) {
		const struct port_number_row *row = &port_numbers[i];
		const uint64_t n = row->queues ? setting_u64(ps->settings, row->setting)
					       : port_descriptors_set(ps->settings, row->rx);

		ret = port_setup_check(p, i, n, e);
		if (ret != 0)
			return ret;
	}
	ret = port_setup_check_lro(p, p->conf.rxmode.max_lro_pkt_size, e);
	if (ret != 0)
		return ret;
	port_queues_extend(p);
	conf_complete(ps, p);
	ret = port_features_configure(ps, p, e);
	if (ret != 0)
		return ret;
	out_say(ps->out, "Configuring Port %u (socket %d)\n", p->id, p->socket);
	ret = port_hairpin_check(p, e);
	if (ret != 0)
		return ret;
	ret = rte_eth_dev_configure(p->id, n_rxq + n_hairpin, n_txq + n_hairpin, &p->conf);
	if (ret != 0)
		return err_set(e, abs(ret),
			"Fail to configure port %u: driver %s, %u Rx and %u Tx queues: %s", p->id,
			p->info.driver_name, n_rxq, n_txq, strerror(abs(ret)));
	offloads_take(p);
	port_features_at(ps, p, PORT_CONFIGURED);
	ret = info_read(p, e); /* some drivers report other limits once configured */
	if (ret != 0)
		return ret;
	p->n_rxq = n_rxq;
	p->n_txq = n_txq;
	p->configured = true;
	return 0;
}

int
port_setup_device(struct ports *ps, struct port *p, struct err *e)
{
	if (p->configured)
		return 0;
	p->queues_configured = false;
	return device_configure(ps, p, e);
}

int
port_setup_queues(struct ports *ps, struct port *p, struct err *e)
{
	uint16_t queue;
	int ret = 0;

	if (p->queues_configured)
		return 0;
	for (queue = 0; ret == 0 && queue < p->n_txq; queue++)
		ret = port_setup_txq(ps, p, queue, e);
	for (queue = 0; ret == 0 && queue < p->n_rxq; queue++)
		ret = port_setup_rxq(ps, p, queue, e);
	if (ret == 0)
		ret = port_hairpin_setup(ps, p, e);
	p->queues_configured = ret == 0;
	return ret;
}

void
port_setup_promiscuous(struct ports *ps, struct port *p)
{
	int ret;

	if (p->promiscuous_asked)
		return;
	p->promiscuous_asked = true;
	ret = rte_eth_promiscuous_enable(p->id);
	if (ret != 0)
		out_warn(ps->out,
			"Error during enabling promiscuous mode for port %u: %s - ignore\n", p->id,
			strerror(abs(ret)));
}

/* Get the number of a threshold setting; returns false for the driver's default. */
static bool
threshold(const struct settings *settings, const char *name, uint16_t *n)
{
	const char *text = setting_text(settings, name);

	if (strcmp(text, "driver") == 0)
		return false;
	*n = (uint16_t)strtoul(text, NULL, 0);
	return true;
}

/* Set the prefetch, host and write-back thresholds from rxpt, rxht, rxwt or txpt, txht, txwt. */
static void
thresholds(const struct settings *settings, const struct port_side *side, struct rte_eth_thresh *t)
{
	uint16_t n;

	if (threshold(settings, side->prefetch, &n))
		t->pthresh = (uint8_t)n;
	if (threshold(settings, side->host, &n))
		t->hthresh = (uint8_t)n;
	if (threshold(settings, side->writeback, &n))
		t->wthresh = (uint8_t)n;
}

void
port_rxconf(const struct port *p, uint16_t queue, struct rte_eth_rxconf *conf, uint16_t *n)
{
	const struct settings *settings = p->all->settings;
	const struct port_queue *q = &p->rxq[queue % PORT_QUEUES_MAX];

	*conf = p->info.default_rxconf;
	if (q->offloads != 0)
		conf->offloads = q->offloads;
	thresholds(settings, &port_sides[true], &conf->rx_thresh);
	threshold(settings, "rxfreet", &conf->rx_free_thresh);
	if (setting_on(settings, "enable-drop-en") || p->all->drop_off)
		conf->rx_drop_en = !p->all->drop_off;
	conf->rx_deferred_start = q->deferred_start;
	port_rx_share_conf(p, queue, conf);
	*n = port_descriptors_asked(p, true, queue);
}

void
port_txconf(const struct port *p, uint16_t queue, struct rte_eth_txconf *conf, uint16_t *n)
{
	const struct settings *settings = p->all->settings;
	const struct port_queue *q = &p->txq[queue % PORT_QUEUES_MAX];

	*conf = p->info.default_txconf;
	if (q->offloads != 0)
		conf->offloads = q->offloads;
	thresholds(settings, &port_sides[false], &conf->tx_thresh);
	threshold(settings, "txfreet", &conf->tx_free_thresh);
	threshold(settings, "txrst", &conf->tx_rs_thresh);
	conf->tx_deferred_start = q->deferred_start;
	*n = port_descriptors_asked(p, false, queue);
}
