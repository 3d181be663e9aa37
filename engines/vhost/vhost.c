/* The engine vhost: forwards between guests and any ports. Checksums and segmentation that a guest
 * offloads are done by the Tx port or guest if it can, otherwise in software. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "compat.h"
#include "engines/engine.h"
#include "engines/vhost/vhost_offload.h"
#include "engines/vhost/vhost_virtqueue.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_gso.h>

#include <string.h>

#define PIECES 2048    /* maximum segments per packet */
#define LAST_COPIES 10 /* milliseconds to wait for DMA copies at the end of a run */

static const struct stat_row counters[] = {
	[VHOST_CSUM_PASSED] = { .name = "csum_passed",
		.help = "packets whose checksum was offloaded to the Tx port or guest" },
	[VHOST_CSUM_MADE] = { .name = "csum_made",
		.help = "packets whose checksum was computed in software" },
	[VHOST_SEGMENTS_PASSED] = { .name = "segments_passed",
		.help = "packets whose segmentation was offloaded to the Tx port or guest" },
	[VHOST_CUT] = { .name = "cut", .help = "packets segmented in software" },
	[VHOST_CUT_FAILED] = { .name = "cut_failed",
		.help = "packets dropped because there was no mbuf for segments or too many segments",
		.drop = true },
};
static_assert(ARRAY_SIZE(counters) <= STREAM_NAMED_MAX, "counters of an engine");

/* During the run the driver must not set guests' checksums, because this engine does. */
static int
vhost_init(struct stream *s, struct err *e)
{
	struct vhost_offload *o = s->state;
	struct net_async_vhost_guest guest;
	int ret = 0;

	o->to_guest = net_async_vhost_is(s->tx_port);
	if (net_async_vhost_guest(s->rx_port, &guest) == 0 && (guest.tso || guest.ufo)) {
		ret = csum_gso_init(&o->gso, s, RTE_GSO_SEG_SIZE_MIN, e);
		o->cuts = ret == 0;
	}
	if (ret == 0)
		ret = vhost_virtqueue_begin(s, e);
	if (ret == 0)
		net_async_vhost_leave_csum(s->rx_port, s->rx_queue, true);
	return ret;
}

/* At the end of a run, wait until packets sent to guests are copied. */
static void
last_copies(const struct stream *s)
{
	const uint64_t until = rte_get_timer_cycles() + LAST_COPIES * rte_get_timer_hz() / 1000;
	struct net_async_vhost_virtqueue v;

	while (net_async_vhost_virtqueue(s->tx_port, s->tx_queue, false, &v) == 0 &&
		v.stats.in_flight > 0 && rte_get_timer_cycles() < until)
		rte_eth_tx_done_cleanup(s->tx_port, s->tx_queue, 0);
}

static void
vhost_fini(struct stream *s)
{
	net_async_vhost_leave_csum(s->rx_port, s->rx_queue, false);
	last_copies(s);
	vhost_virtqueue_end(s);
}

/* Receive. Also poll for completed copies to a guest, which otherwise only sending does. */
static uint16_t
vhost_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	const struct vhost_offload *o = s->state;

	if (o->to_guest)
		rte_eth_tx_done_cleanup(s->tx_port, s->tx_queue, 0);
	return stream_rx(s, pkts, max);
}

/* Transmit in bursts of at most BURST_MAX, after rte_eth_tx_prepare(). */
static void
send_all(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t ready, i = 0;

	while (i < n) {
		const uint16_t some = RTE_MIN(n - i, BURST_MAX);

		ready = compat_tx_prepare(s->tx_port, s->tx_queue, &pkts[i], some);
		if (ready > 0)
			stream_tx(s, &pkts[i], ready);
		i += ready;
		if (ready < some) {
			rte_pktmbuf_free(pkts[i++]);
			counter_add(&s->count.tx_dropped, 1);
		}
	}
}

/* Do the guests' offloads, then send all packets in order. */
static __rte_noinline void
offload_and_send(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct vhost_offload *o = s->state;
	struct rte_mbuf *out[PIECES];
	uint16_t used = 0, more;

	for (uint16_t i = 0; i < n; i++) {
		if (!vhost_offload_due(pkts[i])) {
			if (used == PIECES) {
				send_all(s, out, used);
				used = 0;
			}
			out[used++] = pkts[i];
			continue;
		}
		more = used < PIECES ? vhost_offload_do(o, s, pkts[i], &out[used], PIECES - used)
				     : 0;
		if (more == 0 && used > 0) {
			send_all(s, out, used);
			used = 0;
			more = vhost_offload_do(o, s, pkts[i], out, PIECES);
		}
		if (more == 0) {
			stream_absorb(s, &pkts[i], 1);
			stream_count_named(s, VHOST_CUT_FAILED, 1);
		}
		used += more;
	}
	send_all(s, out, used);
}

static void
vhost_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	bool due = false;

	for (uint16_t i = 0; i < n; i++)
		due |= vhost_offload_due(pkts[i]);
	if (unlikely(due))
		offload_and_send(s, pkts, n);
	else
		stream_tx(s, pkts, n);
}

ENGINE_LOOP(vhost, vhost_source, NULL, vhost_sink)

const struct engine engine_vhost = {
	.name = "vhost",
	.help = "forward between guests (net_async_vhost) and any ports, with checksums and segmentation in software if one side lacks them",
	.flags = ENGINE_WRITES,
	.state_size = sizeof(struct vhost_offload),
	.init = vhost_init,
	.loop = vhost_loop,
	.fini = vhost_fini,
	.forget = vhost_virtqueue_forget,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
	.groups = &vhost_virtqueue_group,
	.n_groups = 1,
};
