/* The engine vhost: packets between guests and any ports; what a guest leaves to its device is passed
 * on to who can, else done here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "compat.h"
#include "engines/engine.h"
#include "engines/vhost/vhost_offload.h"
#include "engines/vhost/vhost_virtqueue.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_gso.h>

#include <string.h>

#define PIECES 2048    /* that one packet is cut into at most */
#define LAST_COPIES 10 /* milliseconds that the end of a run waits for copies in flight */

static const struct stat_row counters[] = {
	[VHOST_CSUM_PASSED] = { .name = "csum_passed",
		.help = "packets whose checksum is left to the transmitting port or guest" },
	[VHOST_CSUM_MADE] = { .name = "csum_made",
		.help = "packets whose checksum was made in software" },
	[VHOST_SEGMENTS_PASSED] = { .name = "segments_passed",
		.help = "packets longer than a frame that the transmitting port or guest takes" },
	[VHOST_CUT] = { .name = "cut", .help = "packets cut into segments in software" },
	[VHOST_CUT_FAILED] = { .name = "cut_failed",
		.help = "packets dropped: no mbufs to cut them with, or too many segments",
		.drop = true },
};
static_assert(ARRAY_SIZE(counters) <= STREAM_NAMED_MAX, "counters of an engine");

/* Guests' checksums are left as they are for the time of the run, as this engine knows better. */
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

/* Guests get what was sent to them before the run is over. */
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

/* Copies to a guest are looked for at each poll, also when nothing comes to be sent. */
static uint16_t
vhost_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	const struct vhost_offload *o = s->state;

	if (o->to_guest)
		rte_eth_tx_done_cleanup(s->tx_port, s->tx_queue, 0);
	return stream_rx(s, pkts, max);
}

/* Transmit pieces of at most BURST_MAX, after the port has had a look at what is asked of it. */
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

/* What guests left to be done is done first; packets leave in the order in which they came. */
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
	.help = "forward between guests (net_async_vhost) and any ports; checksums and segments that one side lacks are made in software",
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
