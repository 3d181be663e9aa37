/* Show properties of ports (show port info, summary, macs). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_info.h"

#include "base/err.h"
#include "base/out.h"
#include "compat.h"
#include "port/port.h"
#include "port/port_rss_types.h"

#include <rte_dev.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BORDER "*********************"
#define FIRMWARE_BYTES 32

static int
port_failed(const struct port *p, int ret, const char *what, struct err *e)
{
	return port_fail(p->all, e, ret < 0 ? -ret : EIO, "port %u (%s): cannot read its %s: %s",
		p->id, p->info.driver_name, what, strerror(abs(ret)));
}

static void
mac_show(struct out *o, const char *key, const char *fmt, const struct rte_ether_addr *mac)
{
	char text[RTE_ETHER_ADDR_FMT_SIZE];

	rte_ether_format_addr(text, sizeof(text), mac);
	out_str(o, key, fmt, text);
}

void
port_info_speed(struct out *o, const char *fmt, uint32_t mbps)
{
	out_str(o, NULL, fmt, rte_eth_link_speed_to_str(mbps));
	if (mbps != RTE_ETH_SPEED_NUM_UNKNOWN)
		out_u64(o, "link_mbps", NULL, mbps);
}

bool
port_info_modelled(const struct rte_device *device)
{
	const char *bus = device != NULL ? rte_dev_bus_info(device) : NULL;

	return bus != NULL && strstr(bus, "model_nic") != NULL;
}

unsigned int
port_info_drivers(const struct ports *ps, char *to, size_t bytes)
{
	char name[RTE_MAX_ETHPORTS][64];
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);
	unsigned int names = 0;
	size_t at = 0;

	*to = '\0';
	for (unsigned int i = 0; i < n; i++) {
		struct rte_eth_dev_info info;
		unsigned int known = 0;

		if (rte_eth_dev_info_get(ids[i], &info) != 0)
			continue;
		snprintf(name[names], sizeof(name[names]), "%s%s",
			port_info_modelled(info.device) ? "modelled " : "", info.driver_name);
		while (strcmp(name[known], name[names]) != 0)
			known++;
		if (known < names)
			continue;
		if (at < bytes)
			at += (size_t)snprintf(to + at, bytes - at, "%s%s", names > 0 ? ", " : "",
				name[names]);
		names++;
	}
	return n;
}

static void
identity_show(struct out *o, const struct port *p, const struct rte_eth_dev_info *info)
{
	const struct rte_devargs *devargs = info->device != NULL ? rte_dev_devargs(info->device)
								 : NULL;
	char name[RTE_ETH_NAME_MAX_LEN] = "", firmware[FIRMWARE_BYTES];
	struct rte_ether_addr mac;

	if (rte_eth_macaddr_get(p->id, &mac) == 0)
		mac_show(o, "mac", "MAC address: %s", &mac);
	compat_port_name(p->id, name);
	out_str(o, "name", "\nDevice name: %s", name);
	out_str(o, "driver", "\nDriver name: %s", info->driver_name);
	if (port_info_modelled(info->device))
		out_str(o, "modelled", "\nModelled: %s",
			"the driver is real, the NIC is software (model_nic)");
	if (rte_eth_dev_fw_version_get(p->id, firmware, sizeof(firmware)) == 0)
		out_str(o, "firmware", "\nFirmware-version: %s", firmware);
	else
		out_text(o, "\nFirmware-version: not available");
	if (devargs != NULL && devargs->args != NULL)
		out_str(o, "devargs", "\nDevargs: %s", devargs->args);
	out_i64(o, "socket", "\nConnect to socket: %" PRId64, p->socket);
	out_i64(o, NULL, "\nmemory allocation on the socket: %" PRId64, p->socket);
}

static void
link_show(struct out *o, const struct port *p, const struct rte_eth_link *link,
	const struct rte_eth_dev_info *info)
{
	uint32_t lanes;
	uint16_t mtu;

	out_bool(o, "link_up", "\nLink status: %s\n", link->link_status, "up", "down");
	port_info_speed(o, "Link speed: %s\n", link->link_speed);
	if (compat_speed_lanes_active(p->id, &lanes) == 0)
		out_u64(o, "active_lanes", "Active Lanes: %" PRIu64 "\n", lanes);
	out_bool(o, "full_duplex", "Link duplex: %s\n",
		link->link_duplex == RTE_ETH_LINK_FULL_DUPLEX, "full-duplex", "half-duplex");
	out_bool(o, "autoneg", "Autoneg status: %s\n", link->link_autoneg == RTE_ETH_LINK_AUTONEG,
		"On", "Off");
	if (rte_eth_dev_get_mtu(p->id, &mtu) == 0)
		out_u64(o, "mtu", "MTU: %" PRIu64 "\n", mtu);
	/* testpmd prints some lines since a release only; scripts parse them. */
	out_u64(o, "mtu_min", SINCE_25_11(NULL, "Minimum MTU: %" PRIu64 "\n"), info->min_mtu);
	out_u64(o, "mtu_max", SINCE_25_11(NULL, "Maximum MTU: %" PRIu64 "\n"), info->max_mtu);
	out_bool(o, "promiscuous", "Promiscuous mode: %s\n", rte_eth_promiscuous_get(p->id) == 1,
		"enabled", "disabled");
	out_bool(o, "allmulticast", "Allmulticast mode: %s\n", rte_eth_allmulticast_get(p->id) == 1,
		"enabled", "disabled");
}

static void
filters_show(struct out *o, const struct port *p, const struct rte_eth_dev_info *info)
{
	int vlan = rte_eth_dev_get_vlan_offload(p->id);

	out_u64(o, "macs_max", "Maximum number of MAC addresses: %" PRIu64 "\n",
		info->max_mac_addrs);
	out_u64(o, "hash_macs_max",
		"Maximum number of MAC addresses of hash filtering: %" PRIu64 "\n",
		info->max_hash_mac_addrs);
	if (vlan >= 0) {
		out_text(o, "VLAN offload: \n");
		out_bool(o, "vlan_strip", "  strip %s, ", vlan & RTE_ETH_VLAN_STRIP_OFFLOAD, "on",
			"off");
		out_bool(o, "vlan_filter", "filter %s, ", vlan & RTE_ETH_VLAN_FILTER_OFFLOAD, "on",
			"off");
		out_bool(o, "vlan_extend", "extend %s, ", vlan & RTE_ETH_VLAN_EXTEND_OFFLOAD, "on",
			"off");
		out_bool(o, "qinq_strip", "qinq strip %s\n", vlan & RTE_ETH_QINQ_STRIP_OFFLOAD,
			"on", "off");
	}
	if (info->hash_key_size > 0)
		out_u64(o, "hash_key_bytes", "Hash key size in bytes: %" PRIu64 "\n",
			info->hash_key_size);
	if (info->reta_size > 0)
		out_u64(o, "reta_size", "Redirection table size: %" PRIu64 "\n", info->reta_size);
	if (info->flow_type_rss_offloads == 0) {
		out_text(o, "No RSS offload flow type is supported.\n");
	} else {
		out_text(o, "Supported RSS offload flow types:\n");
		port_rss_bits_show(o, "rss_types", info->flow_type_rss_offloads);
	}
}

/* Show how received packets can be split into segments (set rxpkts, rxoffs, rxhdrs). */
static void
split_show(struct out *o, const struct rte_eth_rxseg_capa *can)
{
	static const char yes[] = "supported", no[] = "not supported";

	out_nest(o, "rx_split", OUT_OBJECT);
	out_u64(o, "segments_max", SINCE_26_07(NULL, "Rx split:\n\tMax segments: %" PRIu64 "\n"),
		can->max_nseg);
	if (can->max_nseg > 0) {
		out_bool(o, "several_pools", SINCE_26_07(NULL, "\tMulti-pool: %s\n"),
			can->multi_pools != 0, yes, no);
		out_bool(o, "offsets", SINCE_26_07(NULL, "\tBuffer offset: %s\n"),
			can->offset_allowed != 0, yes, no);
		out_u64(o, "offset_align", SINCE_26_07(NULL, "\tOffset alignment: %" PRIu64 "\n"),
			RTE_BIT32(can->offset_align_log2));
		out_bool(o, "selective", SINCE_26_07(NULL, "\tSelective Rx: %s\n"),
			compat_rx_selective(can), yes, no);
	}
	out_unnest(o);
}

static void
sizes_show(struct out *o, const struct rte_eth_dev_info *info)
{
	out_u64(o, "rx_buffer_min_bytes", "Minimum size of RX buffer: %" PRIu64 "\n",
		info->min_rx_bufsize);
	out_u64(o, "rx_packet_max_bytes", "Maximum configurable length of RX packet: %" PRIu64 "\n",
		info->max_rx_pktlen);
	out_u64(o, "lro_packet_max_bytes",
		"Maximum configurable size of LRO aggregated packet: %" PRIu64 "\n",
		info->max_lro_pkt_size);
	split_show(o, &info->rx_seg_capa);
	if (info->max_vfs > 0)
		out_u64(o, "vfs_max", "Maximum number of VFs: %" PRIu64 "\n", info->max_vfs);
	if (info->max_vmdq_pools > 0)
		out_u64(o, "vmdq_pools_max", "Maximum number of VMDq pools: %" PRIu64 "\n",
			info->max_vmdq_pools);
}

static void
queues_show(struct out *o, const struct rte_eth_dev_info *info)
{
	const struct rte_eth_desc_lim *rx = &info->rx_desc_lim, *tx = &info->tx_desc_lim;

	out_u64(o, "rxq", "Current number of RX queues: %" PRIu64 "\n", info->nb_rx_queues);
	out_u64(o, "rxq_max", "Max possible RX queues: %" PRIu64 "\n", info->max_rx_queues);
	out_u64(o, "rxd_max", "Max possible number of RXDs per queue: %" PRIu64 "\n", rx->nb_max);
	out_u64(o, "rxd_min", "Min possible number of RXDs per queue: %" PRIu64 "\n", rx->nb_min);
	out_u64(o, "rxd_align", "RXDs number alignment: %" PRIu64 "\n", rx->nb_align);
	out_u64(o, "txq", "Current number of TX queues: %" PRIu64 "\n", info->nb_tx_queues);
	out_u64(o, "txq_max", "Max possible TX queues: %" PRIu64 "\n", info->max_tx_queues);
	out_u64(o, "txd_max", "Max possible number of TXDs per queue: %" PRIu64 "\n", tx->nb_max);
	out_u64(o, "txd_min", "Min possible number of TXDs per queue: %" PRIu64 "\n", tx->nb_min);
	out_u64(o, "txd_align", "TXDs number alignment: %" PRIu64 "\n", tx->nb_align);
	out_u64(o, "segments_max", "Max segment number per packet: %" PRIu64 "\n", tx->nb_seg_max);
	out_u64(o, "mtu_segments_max", "Max segment number per MTU/TSO: %" PRIu64 "\n",
		tx->nb_mtu_seg_max);
}

static const char *
recovery_name(enum rte_eth_err_handle_mode mode)
{
	switch (mode) {
	case RTE_ETH_ERROR_HANDLE_MODE_NONE: return "none";
	case RTE_ETH_ERROR_HANDLE_MODE_PASSIVE: return "passive";
	case RTE_ETH_ERROR_HANDLE_MODE_PROACTIVE: return "proactive";
	default: return "unknown";
	}
}

static void
device_show(struct out *o, const struct rte_eth_dev_info *info)
{
	const struct rte_eth_switch_info *sw = &info->switch_info;
	unsigned int bit;

	out_text(o, "Device capabilities: 0x%" PRIx64 "(", info->dev_capa);
	out_nest(o, "capabilities", OUT_ARRAY);
	for (bit = 0; bit < 64; bit++)
		if ((info->dev_capa & RTE_BIT64(bit)) != 0)
			out_str(o, "", " %s", rte_eth_dev_capability_name(RTE_BIT64(bit)));
	out_unnest(o);
	out_text(o, " )\n");
	if (sw->domain_id != RTE_ETH_DEV_SWITCH_DOMAIN_ID_INVALID) {
		if (sw->name != NULL)
			out_str(o, "switch_name", "Switch name: %s\n", sw->name);
		out_u64(o, "switch_domain", "Switch domain Id: %" PRIu64 "\n", sw->domain_id);
		out_u64(o, "switch_port", "Switch Port Id: %" PRIu64 "\n", sw->port_id);
		if ((info->dev_capa & RTE_ETH_DEV_CAPA_RXQ_SHARE) != 0)
			out_u64(o, "switch_rx_domain", "Switch Rx domain: %" PRIu64 "\n",
				sw->rx_domain);
	}
	out_str(o, "error_handling", "Device error handling mode: %s\n",
		recovery_name(info->err_handle_mode));
}

static int
link_and_info(const struct port *p, struct rte_eth_link *link, struct rte_eth_dev_info *info,
	struct err *e)
{
	int ret = rte_eth_link_get_nowait(p->id, link);

	if (ret < 0)
		return port_failed(p, ret, "link", e);
	ret = rte_eth_dev_info_get(p->id, info);
	return ret == 0 ? 0 : port_failed(p, ret, "information", e);
}

static int
info_show(struct ports *ps, struct port *p, void *ctx, struct err *e)
{
	struct rte_eth_dev_info info;
	struct rte_eth_link link;
	int ret;

	ret = link_and_info(p, &link, &info, e);
	if (ret != 0)
		return ret;
	out_text(ps->out, "\n%s Infos for port %-2u %s\n", BORDER, p->id, BORDER);
	identity_show(ps->out, p, &info);
	link_show(ps->out, p, &link, &info);
	filters_show(ps->out, p, &info);
	sizes_show(ps->out, &info);
	queues_show(ps->out, &info);
	device_show(ps->out, &info);
	return 0;
}

int
port_info_show(struct ports *ps, uint16_t id, struct err *e)
{
	return port_each(ps, id, info_show, NULL, e);
}

static int
summary_show(struct ports *ps, struct port *p, void *ctx, struct err *e)
{
	char name[RTE_ETH_NAME_MAX_LEN] = "";
	struct rte_eth_dev_info info;
	struct rte_ether_addr mac;
	struct rte_eth_link link;
	int ret;

	ret = link_and_info(p, &link, &info, e);
	if (ret != 0)
		return ret;
	ret = rte_eth_macaddr_get(p->id, &mac);
	if (ret != 0)
		return port_failed(p, ret, "MAC address", e);
	compat_port_name(p->id, name);
	out_text(ps->out, "%-4u ", p->id);
	mac_show(ps->out, "mac", "%s ", &mac);
	out_str(ps->out, "name", "%-12s ", name);
	out_str(ps->out, "driver", "%-14s ", info.driver_name);
	out_bool(ps->out, "link_up", "%-8s ", link.link_status, "up", "down");
	port_info_speed(ps->out, "%s\n", link.link_speed);
	return 0;
}

int
port_info_summary(struct ports *ps, uint16_t id, struct err *e)
{
	out_u64(ps->out, "n_ports", "Number of available ports: %" PRIu64 "\n",
		rte_eth_dev_count_avail());
	out_text(ps->out, "%-4s %-17s %-12s %-14s %-8s %s\n", "Port", "MAC Address", "Name",
		"Driver", "Status", "Link");
	return port_each(ps, id, summary_show, NULL, e);
}

/* Print the number and the list of non-zero addresses. */
static void
macs_show(struct ports *ps, const struct port *p, const char *fmt,
	const struct rte_ether_addr *macs, int n)
{
	int i, set = 0;

	for (i = 0; i < n; i++)
		set += !rte_is_zero_ether_addr(&macs[i]);
	out_u64(ps->out, "port", NULL, p->id);
	out_u64(ps->out, "n_macs", fmt, set);
	out_nest(ps->out, "macs", OUT_ARRAY);
	for (i = 0; i < n; i++)
		if (!rte_is_zero_ether_addr(&macs[i]))
			mac_show(ps->out, "", "  %s\n", &macs[i]);
	out_unnest(ps->out);
}

int
port_info_macs(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	struct rte_eth_dev_info info;
	struct rte_ether_addr *macs;
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = rte_eth_dev_info_get(id, &info);
	if (ret != 0)
		return port_failed(p, ret, "information", e);
	macs = calloc(info.max_mac_addrs + 1, sizeof(*macs));
	if (macs == NULL)
		return err_set(e, ENOMEM, "no memory for %u MAC addresses", info.max_mac_addrs);
	ret = rte_eth_macaddrs_get(id, macs, info.max_mac_addrs);
	if (ret < 0)
		port_failed(p, ret, "MAC addresses", e);
	else
		macs_show(ps, p, "Number of MAC address added: %" PRIu64 "\n", macs, ret);
	free(macs);
	return ret < 0 ? ret : 0;
}

int
port_info_mcast_macs(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);

	if (p == NULL)
		return -ENODEV;
	macs_show(ps, p, "Number of Multicast MAC address added: %" PRIu64 "\n", p->mcast,
		p->n_mcast);
	return 0;
}
