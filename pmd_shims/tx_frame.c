/* Drivers that accept packets which are too long for them, and lose them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/tx_frame.h"

#include "base/base.h"
#include "base/err.h"
#include "compat.h"

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_kvargs.h>
#include <rte_malloc.h>

#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Ask the kernel about an interface. Returns whether *request has the answer. */
static bool
interface_ask(const char *iface, unsigned long what, struct ifreq *request)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool answered;

	if (fd < 0)
		return false;
	memset(request, 0, sizeof(*request));
	snprintf(request->ifr_name, sizeof(request->ifr_name), "%s", iface);
	answered = ioctl(fd, what, request) == 0;
	close(fd);
	return answered;
}

/*
 * The rule of the kernel's packet sockets: MTU and Ethernet header, and 4 bytes more for a frame with
 * an 802.1Q tag. Source: packet_snd(), tpacket_fill_skb() in net/packet/af_packet.c.
 */
static void
socket_limit(const char *iface, struct frame_limit *l)
{
	struct ifreq request;

	if (iface == NULL || !interface_ask(iface, SIOCGIFMTU, &request) || request.ifr_mtu <= 0)
		return;
	l->mtu = (uint32_t)request.ifr_mtu;
	l->bytes = l->mtu + RTE_ETHER_HDR_LEN;
	l->tagged = l->bytes + (uint32_t)sizeof(struct rte_vlan_hdr);
	snprintf(l->iface, sizeof(l->iface), "%s", iface);
}

/* net_af_packet: a frame of its ring also has the kernel's header. */
static void
af_packet_limit(const struct rte_kvargs *args, uint16_t queue, uint16_t mtu, struct frame_limit *l)
{
	const uint32_t header = TPACKET2_HDRLEN - sizeof(struct sockaddr_ll);
	const char *framesz = rte_kvargs_get(args, "framesz");
	const uint32_t frame = framesz != NULL ? (uint32_t)strtoul(framesz, NULL, 10) : 2048;

	socket_limit(rte_kvargs_get(args, "iface"), l);
	if (l->mtu == 0 || frame <= header)
		return;
	l->tagged = RTE_MIN(l->tagged, frame - header);
	if (frame - header >= l->bytes)
		return;
	l->bytes = frame - header;
	l->mtu = 0;
	l->buffer = frame;
}

/* Find the queue's interface: argument iface, or tx_iface number queue. */
struct pcap_search {
	unsigned int left; /* interfaces of queues before it */
	const char *iface;
};

static int
pcap_next(const char *key, const char *value, void *arg)
{
	struct pcap_search *search = arg;

	if (search->iface == NULL && search->left-- == 0)
		search->iface = value;
	return 0;
}

/* net_pcap: a file has no limit. It has either files or interfaces. */
static void
pcap_limit(const struct rte_kvargs *args, uint16_t queue, uint16_t mtu, struct frame_limit *l)
{
	struct pcap_search search = { queue, NULL };

	rte_kvargs_process(args, "tx_iface", pcap_next, &search);
	socket_limit(search.iface != NULL ? search.iface : rte_kvargs_get(args, "iface"), l);
}

/* net_tap compares with ethdev's MTU, header, checksum and a tag. */
static void
tap_limit(const struct rte_kvargs *args, uint16_t queue, uint16_t mtu, struct frame_limit *l)
{
	l->mtu = mtu;
	l->bytes = l->tagged =
		mtu + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN + (uint32_t)sizeof(struct rte_vlan_hdr);
}

/* Drivers of DPDK 22.11, and what they do with a packet that is too long. */
static const struct {
	const char *driver;
	void (*limit)(const struct rte_kvargs *args, uint16_t queue, uint16_t mtu,
		struct frame_limit *l);
} rows[] = {
	/* takes it, counts it as sent, and the kernel drops it without a counter */
	{ "net_af_packet", af_packet_limit },
	/* ends the burst there, so that shorter packets behind it are lost too */
	{ "net_pcap", pcap_limit },
	/* ends the burst there, and counts an error although its caller counts the packet too */
	{ "net_tap", tap_limit },
};

/* The limit of a port that has no member ports. */
static void
own_limit(const struct rte_eth_dev_info *info, const char *text, uint16_t queue, uint16_t mtu,
	struct frame_limit *l)
{
	struct rte_kvargs *args;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].driver, info->driver_name) != 0)
			continue;
		args = rte_kvargs_parse(text, NULL);
		if (args != NULL)
			rows[i].limit(args, queue, mtu, l);
		rte_kvargs_free(args);
	}
}

/* Find the ports of a failsafe port, which its arguments name: "dev(net_tap0,...)". */
static int
failsafe_members(const char *text, uint16_t members[RTE_MAX_ETHPORTS])
{
	char device[RTE_ETH_NAME_MAX_LEN], word[RTE_ETH_NAME_MAX_LEN + 5];
	int n = 0;

	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
		const char *at;

		if (!rte_eth_dev_is_valid_port(id) || compat_port_name(id, device) != 0)
			continue;
		snprintf(word, sizeof(word), "dev(%s", device);
		at = strstr(text, word);
		if (at != NULL && strchr(",)", at[strlen(word)]) != NULL)
			members[n++] = id;
	}
	return n;
}

void
tx_frame_limit(uint16_t port, uint16_t queue, uint16_t mtu, struct frame_limit *l)
{
	uint16_t members[RTE_MAX_ETHPORTS];
	const struct rte_devargs *devargs;
	struct rte_eth_dev_info info;
	const char *text = "";
	int n = 0;

	memset(l, 0, sizeof(*l));
	if (rte_eth_dev_info_get(port, &info) != 0 || info.device == NULL)
		return;
	devargs = rte_dev_devargs(info.device);
	if (devargs != NULL && devargs->args != NULL)
		text = devargs->args;
	own_limit(&info, text, queue, mtu, l);
	if (strcmp(info.driver_name, "net_failsafe") == 0)
		n = failsafe_members(text, members);
	for (int i = 0; i < n; i++)
		tx_frame_member(members[i], queue, l);
}

void
tx_frame_member(uint16_t port, uint16_t queue, struct frame_limit *l)
{
	struct frame_limit one;
	uint16_t mtu;

	if (rte_eth_dev_get_mtu(port, &mtu) != 0)
		return;
	tx_frame_limit(port, queue, mtu, &one);
	if (one.bytes > 0 && (l->bytes == 0 || one.bytes < l->bytes))
		*l = one;
}

bool
tx_frame_down(const struct frame_limit *l)
{
	struct ifreq request;

	return l->iface[0] != '\0' && interface_ask(l->iface, SIOCGIFFLAGS, &request) &&
		(request.ifr_flags & IFF_UP) == 0;
}

void
tx_frame_remedy(uint16_t port, const struct frame_limit *l, uint32_t bytes,
	char text[TX_FRAME_REMEDY])
{
	const uint32_t mtu = bytes - RTE_ETHER_HDR_LEN, longest = bytes + RTE_ETHER_CRC_LEN;
	/* A power of two, and at least a page, as the kernel requires of a block. */
	const uint32_t frame = RTE_MAX(rte_align32pow2(bytes + 64), UINT32_C(4096));

	struct rte_eth_dev_info info;

	if (l->buffer > 0)
		snprintf(text, TX_FRAME_REMEDY,
			"use \"framesz=%u,blocksz=%u\" in the device's arguments with --mbuf-size=%u, or shorter packets",
			frame, frame, frame + RTE_PKTMBUF_HEADROOM);
	else if (l->iface[0] != '\0')
		snprintf(text, TX_FRAME_REMEDY,
			"use \"ip link set dev %s mtu %u\", or shorter packets", l->iface, mtu);
	else if (rte_eth_dev_info_get(port, &info) == 0 && longest > info.max_rx_pktlen)
		snprintf(text, TX_FRAME_REMEDY, "use shorter packets: driver %s has no larger MTU",
			info.driver_name);
	else
		snprintf(text, TX_FRAME_REMEDY,
			"use \"port config mtu %u %u\" or, if the driver refuses that, --max-pkt-len=%u; or shorter packets",
			port, mtu, longest);
}

/* Tx callback. Thread: the queue's lcore. */
static uint16_t
on_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, void *arg)
{
	const struct frame_limit *limit = arg;
	uint16_t fits = 0;

	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = pkts[i];

		if (unlikely(frame_limit_exceeded(limit, m)))
			continue;
		pkts[i] = pkts[fits];
		pkts[fits++] = m;
	}
	return fits;
}

int
tx_frame_open(struct tx_frame_queue *q, struct err *e)
{
	if (q->limit->bytes == 0)
		return 0;
	q->callback =
		rte_eth_add_tx_callback(q->port, q->queue, on_tx, (void *)(uintptr_t)q->limit);
	if (q->callback == NULL)
		return err_set(e, rte_errno,
			"port %u queue %u: packets that are too long cannot be refused: %s",
			q->port, q->queue, rte_strerror(rte_errno));
	return 0;
}

void
tx_frame_close(struct tx_frame_queue *q)
{
	/* No lcore sends any more, so the callback can be freed. */
	if (q->callback != NULL && rte_eth_remove_tx_callback(q->port, q->queue, q->callback) == 0)
		rte_free((void *)(uintptr_t)q->callback);
	q->callback = NULL;
}
