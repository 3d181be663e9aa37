/* set verbose N: Rx and Tx callbacks that print every burst, installed only while the level asks
 * for them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_verbose.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"
#include "port/port_feature.h"

#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <rte_net.h>
#include <rte_udp.h>
#include <rte_vxlan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 256

/* clang-format off */
static const struct setting setting_rows[] = {
	{ .name = "verbose", .words = SETTING_NONE, .option = SETTING_NONE, .max = UINT16_MAX,
		.when = SETTING_NOW,
		.help = "print forwarded packets (0: none, 1: received, 2: transmitted, 3 and above: both)" },
};
/* clang-format on */
const struct setting_table port_verbose_settings = SETTING_TABLE("Statistics", setting_rows);

static void
mac_add(struct text *t, const char *what, const struct rte_ether_addr *mac)
{
	char text[RTE_ETHER_ADDR_FMT_SIZE];

	rte_ether_format_addr(text, sizeof(text), mac);
	text_add(t, "%s%s", what, text);
}

/* Results of the hardware's parsing: hash, flow director, VLAN tags. */
static void
receive_facts_add(struct text *t, const struct rte_mbuf *m, uint16_t queue)
{
	if (m->ol_flags & RTE_MBUF_F_RX_RSS_HASH)
		text_add(t, " - RSS hash=0x%x - RSS queue=0x%x", m->hash.rss, queue);
	if (m->ol_flags & RTE_MBUF_F_RX_FDIR) {
		text_add(t, " - FDIR matched ");
		if (m->ol_flags & RTE_MBUF_F_RX_FDIR_ID)
			text_add(t, "ID=0x%x", m->hash.fdir.hi);
		else if (m->ol_flags & RTE_MBUF_F_RX_FDIR_FLX)
			text_add(t, "flex bytes=0x%08x %08x", m->hash.fdir.hi, m->hash.fdir.lo);
		else
			text_add(t, "hash=0x%x ID=0x%x ", m->hash.fdir.hash, m->hash.fdir.id);
	}
}

static void
tags_add(struct text *t, const struct rte_mbuf *m)
{
	if (m->ol_flags & RTE_MBUF_F_RX_QINQ)
		text_add(t, " - QinQ VLAN tci=0x%x, VLAN tci outer=0x%x", m->vlan_tci,
			m->vlan_tci_outer);
	else if (m->ol_flags & RTE_MBUF_F_RX_VLAN)
		text_add(t, " - VLAN tci=0x%x", m->vlan_tci);
}

static void
timestamp_add(struct text *t, const struct rte_mbuf *m)
{
	int flag = rte_mbuf_dynflag_lookup(RTE_MBUF_DYNFLAG_RX_TIMESTAMP_NAME, NULL);
	int field = rte_mbuf_dynfield_lookup(RTE_MBUF_DYNFIELD_TIMESTAMP_NAME, NULL);

	if (flag >= 0 && field >= 0 && (m->ol_flags & RTE_BIT64(flag)) != 0)
		text_add(t, " - timestamp %" PRIu64 " ",
			*RTE_MBUF_DYNFIELD(m, field, rte_mbuf_timestamp_t *));
}

/* Packet types from hardware and software, and the lengths of the headers. */
static void
types_add(struct text *t, const struct rte_mbuf *m)
{
	struct rte_net_hdr_lens lens = { 0 };
	uint32_t type = rte_net_get_ptype(m, &lens, RTE_PTYPE_ALL_MASK);
	char name[NAME_BYTES];

	if (m->packet_type != 0) {
		rte_get_ptype_name(m->packet_type, name, sizeof(name));
		text_add(t, " - hw ptype: %s", name);
	}
	rte_get_ptype_name(type, name, sizeof(name));
	text_add(t, " - sw ptype: %s", name);
	if (type & RTE_PTYPE_L2_MASK)
		text_add(t, " - l2_len=%d", lens.l2_len);
	if (type & RTE_PTYPE_L3_MASK)
		text_add(t, " - l3_len=%d", lens.l3_len);
	if (type & RTE_PTYPE_L4_MASK)
		text_add(t, " - l4_len=%d", lens.l4_len);
	if (type & RTE_PTYPE_TUNNEL_MASK)
		text_add(t, " - tunnel_len=%d", lens.tunnel_len);
	if (type & RTE_PTYPE_INNER_L2_MASK)
		text_add(t, " - inner_l2_len=%d", lens.inner_l2_len);
	if (type & RTE_PTYPE_INNER_L3_MASK)
		text_add(t, " - inner_l3_len=%d", lens.inner_l3_len);
	if (type & RTE_PTYPE_INNER_L4_MASK)
		text_add(t, " - inner_l4_len=%d", lens.inner_l4_len);
}

/*
 * The VXLAN header, if the port reports a tunnel packet. Like testpmd this ignores options and
 * extensions of the outer IP header.
 */
static void
vxlan_add(struct text *t, const struct rte_mbuf *m)
{
	uint32_t at = sizeof(struct rte_ether_hdr);
	struct {
		struct rte_udp_hdr udp;
		struct rte_vxlan_hdr vxlan;
	} space;
	union {
		struct rte_ipv4_hdr v4;
		struct rte_ipv6_hdr v6;
	} ip;
	const struct rte_ipv4_hdr *v4;
	const struct rte_ipv6_hdr *v6;
	const struct rte_udp_hdr *udp;
	const struct rte_vxlan_hdr *vxlan;
	uint8_t protocol;

	if (!RTE_ETH_IS_TUNNEL_PKT(m->packet_type))
		return;
	if (RTE_ETH_IS_IPV4_HDR(m->packet_type)) {
		v4 = rte_pktmbuf_read(m, at, sizeof(*v4), &ip.v4);
		protocol = v4 != NULL ? v4->next_proto_id : 0;
		at += sizeof(*v4);
	} else {
		v6 = rte_pktmbuf_read(m, at, sizeof(*v6), &ip.v6);
		protocol = v6 != NULL ? v6->proto : 0;
		at += sizeof(*v6);
	}
	if (protocol != IPPROTO_UDP)
		return;
	udp = rte_pktmbuf_read(m, at, sizeof(*udp), &space.udp);
	vxlan = rte_pktmbuf_read(m, at + sizeof(*udp), sizeof(*vxlan), &space.vxlan);
	if (udp == NULL || vxlan == NULL)
		return;
	text_add(t,
		" - VXLAN packet: packet type =%d, Destination UDP port =%d, VNI = %d, last_rsvd = %d",
		(uint16_t)m->packet_type, rte_be_to_cpu_16(udp->dst_port),
		rte_be_to_cpu_32(vxlan->vx_vni) >> 8, rte_be_to_cpu_32(vxlan->vx_vni) & 0xff);
}

static void
packet_add(struct text *t, const struct rte_mbuf *m, uint16_t queue, bool rx)
{
	uint32_t have = RTE_MIN(rte_pktmbuf_pkt_len(m), sizeof(struct rte_ether_hdr));
	struct rte_ether_hdr space, ether = { 0 };
	const void *start = rte_pktmbuf_read(m, 0, have, &space);
	char flags[NAME_BYTES];
	const char *reason;

	if (start != NULL)
		memcpy(&ether, start, have);
	mac_add(t, "  src=", &ether.src_addr);
	mac_add(t, " - dst=", &ether.dst_addr);
	text_add(t, " - pool=%s - type=0x%04x - length=%u - nb_segs=%d", m->pool->name,
		rte_be_to_cpu_16(ether.ether_type), m->pkt_len, m->nb_segs);
	receive_facts_add(t, m, queue);
	timestamp_add(t, m);
	tags_add(t, m);
	types_add(t, m);
	vxlan_add(t, m);
	text_add(t, " - %s queue=0x%x\n", rx ? "Receive" : "Send", queue);
	if (rx)
		rte_get_rx_ol_flag_list(m->ol_flags, flags, sizeof(flags));
	else
		rte_get_tx_ol_flag_list(m->ol_flags, flags, sizeof(flags));
	text_add(t, "  ol_flags: %s\n", flags);
	if (rte_mbuf_check(m, 1, &reason) < 0)
		text_add(t, "INVALID mbuf: %s\n", reason);
}

char *
port_verbose_text(uint16_t port, uint16_t queue, struct rte_mbuf *const *pkts, uint16_t n, bool rx)
{
	struct text t = { 0 };
	unsigned int i;

	if (n == 0)
		return NULL;
	text_add(&t, "port %u/queue %u: %s %u packets\n", port, queue, rx ? "received" : "sent", n);
	for (i = 0; i < n; i++)
		packet_add(&t, pkts[i], queue, rx);
	return t.bytes;
}

/*
 * One write per burst: stdio's lock keeps the bursts of several workers apart. Flush, because no
 * end of a command follows that would flush.
 */
static void
burst_print(struct out *o, uint16_t port, uint16_t queue, struct rte_mbuf *const *pkts, uint16_t n,
	bool rx)
{
	char *text = port_verbose_text(port, queue, pkts, n, rx);

	if (text != NULL) {
		out_text(o, "%s", text);
		fflush(out_file(o));
	}
	free(text);
}

/* Thread: worker. */
static uint16_t
on_rx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *o)
{
	burst_print(o, port, queue, pkts, n, true);
	return n;
}

/* Thread: worker. */
static uint16_t
on_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, void *o)
{
	burst_print(o, port, queue, pkts, n, false);
	return n;
}

struct verbose {
	const struct rte_eth_rxtx_callback *rx[PORT_QUEUES_MAX], *tx[PORT_QUEUES_MAX];
};

/*
 * While forwarding a worker may still execute the callback, so its few bytes are not freed.
 */
static void
removed(const struct ports *ps, const struct rte_eth_rxtx_callback **callback, int ret)
{
	if (ret != 0)
		return;
	if (!ps->forwarding)
		rte_free((void *)(uintptr_t)*callback);
	*callback = NULL;
}

/* Install or remove the callback of a queue. Returns 0, -ENOTSUP, -ENOMEM. */
static int
queue_apply(struct ports *ps, struct port *p, uint16_t queue, bool rx, bool on)
{
	struct verbose *v = port_feature_state(p, &port_feature_verbose);
	const struct rte_eth_rxtx_callback **callback = rx ? &v->rx[queue] : &v->tx[queue];

	if (on == (*callback != NULL))
		return 0;
	if (!on) {
		removed(ps, callback,
			rx ? rte_eth_remove_rx_callback(p->id, queue, *callback)
			   : rte_eth_remove_tx_callback(p->id, queue, *callback));
		return 0;
	}
	*callback = rx ? rte_eth_add_rx_callback(p->id, queue, on_rx, ps->out)
		       : rte_eth_add_tx_callback(p->id, queue, on_tx, ps->out);
	return *callback != NULL ? 0 : -rte_errno;
}

/*
 * Install or remove the callbacks of all queues of the ethdev; before it is configured it has none.
 */
static int
apply(struct ports *ps, struct port *p, struct err *e)
{
	const uint64_t level = setting_u64(ps->settings, "verbose");
	uint16_t q;
	int ret = 0;

	for (q = 0; ret == 0 && q < RTE_MIN(p->n_rxq, PORT_QUEUES_MAX); q++)
		ret = queue_apply(ps, p, q, true, level == 1 || level > 2);
	for (q = 0; ret == 0 && q < RTE_MIN(p->n_txq, PORT_QUEUES_MAX); q++)
		ret = queue_apply(ps, p, q, false, level >= 2);
	if (ret != 0)
		return err_set(e, abs(ret),
			"port %u: cannot install the callback that prints packets: %s", p->id,
			strerror(abs(ret)));
	return 0;
}

int
port_verbose_set(struct ports *ps, const struct args *a, struct err *e)
{
	const uint64_t level = arg_u64(a, "level", 0);
	const uint64_t before = setting_u64(ps->settings, "verbose");
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);
	int ret = setting_set(ps->settings, "verbose", level, e);

	if (ret != 0)
		return ret;
	out_say(ps->out, "Change verbose level from %" PRIu64 " to %" PRIu64 "\n", before, level);
	for (unsigned int i = 0; i < n && ret == 0; i++)
		ret = apply(ps, port_at(ps, ids[i]), e);
	return ret;
}

/* Do not access the device, which may have been removed. */
static void
closing(struct ports *ps, struct port *p)
{
	uint16_t q;

	for (q = 0; q < PORT_QUEUES_MAX; q++) {
		queue_apply(ps, p, q, true, false);
		queue_apply(ps, p, q, false, false);
	}
}

const struct port_feature port_feature_verbose = {
	.name = "verbose",
	.state_size = sizeof(struct verbose),
	.run = apply,
	.at = { [PORT_CLOSING] = closing },
};
