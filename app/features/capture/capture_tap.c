/* Rx and Tx callbacks of a captured queue: filter each burst and copy the matching packets, in the
 * worker's thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/capture/capture_tap.h"

#include "base/err.h"

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_ether.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TAGS_AT 12 /* behind the MAC addresses */
#define TAG_BYTES 4

struct capture_clock
capture_clock_read(double tsc_hz)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (struct capture_clock){
		.wall_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
		.tsc = rte_rdtsc(),
		.tsc_hz = (uint64_t)tsc_hz,
	};
}

uint64_t
capture_clock_ns(const struct capture_clock *c, uint64_t tsc)
{
	const uint64_t passed = tsc - c->tsc;

	return c->wall_ns + passed / c->tsc_hz * 1000000000 +
		passed % c->tsc_hz * 1000000000 / c->tsc_hz;
}

/* A packet as it is on the wire, including VLAN tags that the NIC strips or inserts. */
struct frame {
	const struct rte_mbuf *mbuf;
	uint8_t tags[2 * TAG_BYTES];
	uint32_t n_tags; /* length of tags in bytes */
	uint32_t len;    /* length of the frame, tags included */
};

static void
tag_add(struct frame *f, uint16_t tpid, uint16_t tci)
{
	uint8_t *tag = &f->tags[f->n_tags];

	tag[0] = (uint8_t)(tpid >> 8);
	tag[1] = (uint8_t)tpid;
	tag[2] = (uint8_t)(tci >> 8);
	tag[3] = (uint8_t)tci;
	f->n_tags += TAG_BYTES;
}

static struct frame
frame_of(const struct rte_mbuf *m, bool rx)
{
	const uint64_t outer = rx ? RTE_MBUF_F_RX_QINQ_STRIPPED : RTE_MBUF_F_TX_QINQ,
		       inner = rx ? RTE_MBUF_F_RX_VLAN_STRIPPED
				  : RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_QINQ;
	struct frame f = { .mbuf = m };

	if (unlikely((m->ol_flags & (outer | inner)) != 0) && m->pkt_len >= TAGS_AT) {
		if ((m->ol_flags & outer) != 0)
			tag_add(&f, RTE_ETHER_TYPE_QINQ, m->vlan_tci_outer);
		if ((m->ol_flags & inner) != 0)
			tag_add(&f, RTE_ETHER_TYPE_VLAN, m->vlan_tci);
	}
	f.len = m->pkt_len + f.n_tags;
	return f;
}

/* Copy n bytes from offset at of a packet that may have several segments. */
static void
copy_bytes(uint8_t *to, const struct rte_mbuf *m, uint32_t at, uint32_t n)
{
	for (; m != NULL && n > 0; m = m->next) {
		const uint32_t skip = RTE_MIN((uint32_t)m->data_len, at),
			       here = RTE_MIN(m->data_len - skip, n);

		memcpy(to, rte_pktmbuf_mtod_offset(m, const void *, skip), here);
		to += here;
		n -= here;
		at -= skip;
	}
}

/* Copy the first n bytes of the frame. */
static void
copy_frame(uint8_t *to, const struct frame *f, uint32_t n)
{
	const uint32_t head = f->n_tags > 0 ? RTE_MIN(n, (uint32_t)TAGS_AT) : 0,
		       tags = RTE_MIN(n - head, f->n_tags);

	copy_bytes(to, f->mbuf, 0, head);
	memcpy(to + head, f->tags, tags);
	copy_bytes(to + head + tags, f->mbuf, head, n - head - tags);
}

/* True if the filter accepts the packet, which may have several segments. */
static bool
is_wanted(const struct capture_tap *t, const struct frame *f)
{
	const struct pcap_pkthdr head = { .caplen = RTE_MIN(f->len, (uint32_t)CAPTURE_BYTES_MAX),
		.len = f->len };
	const uint8_t *bytes = t->whole;

	if (!t->filter->filtered)
		return true;
	if (f->n_tags > 0)
		copy_frame(t->whole, f, head.caplen);
	else
		bytes = rte_pktmbuf_read(f->mbuf, 0, head.caplen, t->whole);
	return bytes != NULL && pcap_offline_filter(&t->filter->program, &head, bytes) != 0;
}

/*
 * Filter, count and copy one packet. Returns false if the limit is reached: then it is not counted.
 */
static bool
look(struct capture_tap *t, const struct rte_mbuf *m, uint64_t tsc)
{
	const struct frame f = frame_of(m, t->rx);
	struct capture_filter *filter = t->filter;
	uint32_t kept = RTE_MIN(f.len, filter->snaplen);
	struct capture_copy *copy;

	if (!is_wanted(t, &f)) {
		counter_add(&t->seen, 1);
		counter_add(&t->filtered, 1);
		return true;
	}
	if (filter->limited && atomic_fetch_sub(&filter->left, 1) <= 0) {
		atomic_fetch_add(&filter->left, 1);
		return false;
	}
	counter_add(&t->seen, 1);
	copy = capture_queue_room(&t->ring, kept);
	if (copy == NULL) {
		if (filter->limited)
			atomic_fetch_add(&filter->left, 1);
		counter_add(&t->dropped, 1);
		return true;
	}
	copy->tsc = tsc;
	copy->len = f.len;
	copy_frame((uint8_t *)(copy + 1), &f, kept);
	capture_queue_put(&t->ring, copy);
	counter_add(&t->copied, 1);
	return true;
}

static void
look_all(struct capture_tap *t, struct rte_mbuf *const *pkts, uint16_t n)
{
	const struct capture_filter *filter;
	uint64_t tsc;

	/*
	 * Sequentially consistent, like the accesses in capture_tap_close(): either this thread
	 * sees that the tap is closed, or control sees that this thread is inside.
	 */
	atomic_store(&t->inside, true);
	if (atomic_load(&t->open)) {
		filter = t->filter;
		tsc = rte_rdtsc();
		for (uint16_t i = 0; i < n; i++) {
			if (atomic_load_explicit(&filter->stopped, memory_order_relaxed) ||
				(filter->limited &&
					atomic_load_explicit(&filter->left, memory_order_relaxed) <=
						0))
				break;
			if (!look(t, pkts[i], tsc))
				break;
		}
	}
	atomic_store_explicit(&t->inside, false, memory_order_release);
}

/* Thread: worker. */
static uint16_t
on_rx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *tap)
{
	if (n > 0)
		look_all(tap, pkts, n);
	return n;
}

/* Thread: worker. */
static uint16_t
on_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, void *tap)
{
	if (n > 0)
		look_all(tap, pkts, n);
	return n;
}

struct capture_tap *
capture_tap_open(uint16_t port, uint16_t queue, bool rx, size_t bytes,
	struct capture_filter *filter, struct err *e)
{
	struct capture_tap *t = aligned_alloc(CACHE_PAIR, sizeof(*t));

	if (t == NULL) {
		err_set(e, ENOMEM, "capture: no memory for a tap");
		return NULL;
	}
	memset(t, 0, sizeof(*t));
	t->port = port;
	t->queue = queue;
	t->rx = rx;
	t->filter = filter;
	t->ring.size = bytes;
	t->ring.bytes = aligned_alloc(CACHE_PAIR, bytes);
	t->whole = malloc(CAPTURE_BYTES_MAX);
	atomic_store(&t->open, true);
	if (t->ring.bytes == NULL || t->whole == NULL) {
		err_set(e, ENOMEM,
			"capture: no memory for a queue of %zu bytes; use a smaller \"set capture-buffer\"",
			bytes);
		goto fail;
	}
	t->callback = rx ? rte_eth_add_rx_callback(port, queue, on_rx, t)
			 : rte_eth_add_tx_callback(port, queue, on_tx, t);
	if (t->callback != NULL)
		return t;
	err_set(e, rte_errno != 0 ? rte_errno : EIO, "port %u: cannot capture its %s queue %u: %s",
		port, rx ? "receive" : "transmit", queue, rte_strerror(rte_errno));
fail:
	capture_tap_empty(t);
	free(t);
	return NULL;
}

bool
capture_tap_close(struct capture_tap *t)
{
	int ret = t->rx ? rte_eth_remove_rx_callback(t->port, t->queue, t->callback)
			: rte_eth_remove_tx_callback(t->port, t->queue, t->callback);

	atomic_store(&t->open, false);
	while (atomic_load(&t->inside)) /* for one burst at most */
		sched_yield();
	return ret == 0;
}

void
capture_tap_empty(struct capture_tap *t)
{
	free(t->ring.bytes);
	free(t->whole);
	t->ring.bytes = NULL;
	t->whole = NULL;
}

void
capture_tap_free(struct capture_tap *t)
{
	rte_free((void *)(uintptr_t)t->callback);
	free(t);
}
