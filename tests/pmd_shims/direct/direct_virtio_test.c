/* Forwarding without mbufs on net_virtio over modelled devices, alone and in turns with the driver's own
 * functions and with recycling: every packet whole, each buffer in one place, the driver's counters
 * exact, and a backend that sleeps is notified. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/recycle_virtio_fixture.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"
#include "pmd_shims/direct/direct.h"
#include "pmd_shims/drivers/model_nic/model_nic.h"
#include "pmd_shims/recycle/virtio/virtio_queue.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <dirent.h>
#include <inttypes.h>
#include <linux/virtio_config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 1500, SEEDS = 12, HEADER = 12, HELD_BACK = 1 };

static struct {
	struct direct *of[PORTS]; /* by receiving port; NULL: forward with mbufs */
	counter topped_up, freed;
	uint64_t received, flushed;
} direct;

static struct direct *
bound(unsigned int i, struct err *e)
{
	const struct recycle_ends ends = { fixture.port[i], 0, fixture.port[1 - i], 0 };
	const struct direct_count count = { &direct.topped_up, &direct.freed };

	err_clear(e);
	return direct_bind(&ends, NULL, true, &count, e);
}

static void
both_bind(void)
{
	struct err e;

	for (unsigned int i = 0; i < PORTS; i++) {
		direct.of[i] = bound(i, &e);
		if (i == 0 || fixture.paths->both)
			assert_string_equal(e.text, "");
		else
			assert_non_null(strstr(e.text, "refills its ring while it receives"));
	}
}

static void
both_unbind(void)
{
	for (unsigned int i = 0; i < PORTS; i++) {
		if (direct.of[i] != NULL)
			direct_pause(direct.of[i]);
		direct_unbind(direct.of[i]);
		direct.of[i] = NULL;
	}
}

static const struct virtio_layout *
layout(void)
{
	return direct.of[0]->from.layout;
}

static void *
rx_queue(unsigned int i)
{
	return virtio_queue(direct.of[i]->from.rxq, layout());
}

static void *
tx_queue(unsigned int i)
{
	return virtio_queue(direct.of[i]->to.txq, layout());
}

static bool
is_packed(const void *vq)
{
	return virtio_feature(vq, layout(), 34);
}

/* What the driver's functions rely on, and the backend. */
static void
state_check(struct direct *d)
{
	const void *vq = virtio_queue(d->from.rxq, layout());
	const uint16_t size = shim_u16(vq, layout()->size),
		       newest = (uint16_t)(shim_u16(vq, layout()->avail_next) + size - 1) % size;
	const struct vring_packed_desc *desc = shim_pointer(vq, layout()->desc);

	/* The backend of a packed ring overwrites the length when it sets both bits alike. */
	if (!is_packed(vq) ||
		(desc[newest].flags >> VRING_PACKED_DESC_F_AVAIL & 1) !=
			(desc[newest].flags >> VRING_PACKED_DESC_F_USED & 1))
		assert_int_equal(desc[newest].len, RTE_MBUF_DEFAULT_DATAROOM + HEADER);
	assert_int_not_equal(d->from.ops->prove(&d->from), SHIM_WRONG);
	assert_int_not_equal(d->to.ops->prove(&d->to), SHIM_WRONG);
}

static void
law(void)
{
	struct model_nic_report r;

	stepped_reports(&fixture.model, PORTS, &r);
	assert_int_equal(r.corrupted, 0);
	assert_int_equal(r.foreign, 0);
	assert_int_equal(r.duplicated + r.reordered, 0);
	assert_int_equal(r.armed_twice, 0);
	assert_int_equal(r.armed_in_tx, 0);
	assert_int_equal(r.sent_while_armed, 0);
}

/* The headers of packets that direct sends are zero, whatever was there. */
static void
headers_spoil(const struct direct_pkt *pkts, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++)
		if (i % 3 != 0)
			memset(pkts[i].data - 1 - (i + n) % HEADER, 0x80 | i, 1);
}

static void
headers_check(const struct direct_pkt *pkts, uint16_t n)
{
	static const uint8_t zero[HEADER];

	for (uint16_t i = 0; i < n; i++)
		assert_memory_equal(pkts[i].data - HEADER, zero, HEADER);
}

/*
 * The entry of the last received packet of a packed ring is empty: the driver frees what is in entries
 * when it sets up the ring again.
 */
static void
entry_check(const void *vq)
{
	const struct virtio_entry *entries = shim_at(vq, layout()->entries);
	const uint16_t size = shim_u16(vq, layout()->size),
		       last = shim_u16(vq, layout()->used_next) + size - 1;

	if (is_packed(vq))
		assert_null(entries[last % size].mbuf);
}

static void
direct_poll(unsigned int i, uint16_t max)
{
	struct direct_pkt pkts[BURST];
	struct direct *d = direct.of[i];
	const struct direct_pkt held = d->held;
	uint16_t n;

	assert_true(direct_usable(d));
	n = direct_receive(d, pkts, max);
	assert_true(n <= max);
	assert_false(n > 0 && d->any_bad);
	headers_spoil(pkts, n);
	if (n == 0) {
		direct_flush(d);
		direct.flushed += held.data != NULL;
	} else {
		direct_send(d, pkts, n);
		headers_check(pkts, n - HELD_BACK);
		entry_check(rx_queue(i));
	}
	if (held.data != NULL)
		headers_check(&held, 1);
	direct.received += n;
	fixture.sent += n;
	state_check(d);
}

/* The driver's functions. */
static void
mbufs_poll(unsigned int i, operation *done)
{
	struct rte_mbuf *pkts[BURST];
	const uint16_t n = rte_eth_rx_burst(fixture.port[i], 0, pkts, BURST);
	uint16_t sent;

	for (uint16_t k = 0; k < n; k++)
		pkts[k] = operations_do(done, pkts[k]);
	sent = rte_eth_tx_burst(fixture.port[1 - i], 0, pkts, n);
	fixture.sent += sent;
	rte_pktmbuf_free_bulk(pkts + sent, n - sent);
}

static void
poll(unsigned int i)
{
	if (direct.of[i] != NULL)
		direct_poll(i, BURST);
	else
		mbufs_poll(i, operation_plain);
}

static void
turns(unsigned int n)
{
	while (n-- > 0) {
		for (unsigned int i = 0; i < PORTS; i++)
			poll(i);
		/* At times each burst is done at once, at times many together. */
		if (n % 32 < 16 || n % 4 == 0)
			fixture.model.step();
		law();
	}
}

static void
open_and_bind(size_t path, uint16_t ring)
{
	ports_open(&all_paths[path], ring);
	both_bind();
}

static void
unbind_and_finish(void)
{
	both_unbind();
	finish();
}

/* Ports count what they received and sent, also that of direct. */
static void
each_path(void **state)
{
	static const uint16_t sizes[] = { 64, 128, 256, 1024, 4096 };

	for (size_t p = 0; p < ALL_PATHS; p++)
		for (size_t k = 0; k < ARRAY_SIZE(sizes) && runs(&all_paths[p]); k++) {
			struct rte_eth_stats stats, before;

			if (strstr(all_paths[p].devargs[0], PACKED) != NULL && sizes[k] == 64)
				continue;
			open_and_bind(p, sizes[k]);
			assert_int_equal(rte_eth_stats_get(fixture.port[0], &before), 0);
			direct.received = 0;
			turns(400 + 3 * sizes[k]);
			assert_true(direct.received > 400 * 8u);
			print_message("# %s, rings of %u: %" PRIu64 " packets\n", all_paths[p].name,
				sizes[k], direct.received);
			assert_int_equal(rte_eth_stats_get(fixture.port[0], &stats), 0);
			stats.ipackets -= before.ipackets;
			stats.ibytes -= before.ibytes;
			assert_int_equal(stats.ibytes, stats.ipackets * OPERATIONS_SNAP);
			if (!all_paths[p].both)
				assert_int_equal(stats.ipackets, direct.received);
			both_unbind();
			assert_int_equal(rte_eth_stats_get(fixture.port[1], &stats), 0);
			if (!all_paths[p].both)
				assert_true(stats.opackets >= direct.received &&
					stats.obytes == stats.opackets * OPERATIONS_SNAP);
			finish();
		}
}

/* Queues can be bound whatever their indexes are: those of split rings wrap around at 65536. */
static void
index_wraps(void **state)
{
	uint16_t bound_low = 0;

	open_and_bind(0, 1024);
	while (shim_u16(rx_queue(0), layout()->avail_next) < UINT16_MAX - 4096)
		turns(16);
	for (unsigned int k = 0; k < 300; k++) {
		struct direct *again;
		struct err e;

		turns(1);
		again = bound(0, &e);
		assert_string_equal(e.text, "");
		direct_unbind(again);
		bound_low += shim_u16(rx_queue(0), layout()->avail_next) <
			shim_u16(rx_queue(0), layout()->used_next);
	}
	assert_true(bound_low > 0);
	unbind_and_finish();
}

/* Sent mbufs come back to the Rx ring: after the first rounds the pool is not used. */
static void
no_pool(void **state)
{
	for (size_t p = 0; p < ALL_PATHS; p++) {
		uint64_t topped_up, freed;

		if (!runs(&all_paths[p]))
			continue;
		open_and_bind(p, 512);
		turns(320);
		topped_up = shim_counted(&direct.topped_up);
		freed = shim_counted(&direct.freed);
		turns(640);
		assert_int_equal(shim_counted(&direct.topped_up), topped_up);
		assert_int_equal(shim_counted(&direct.freed), freed);
		unbind_and_finish();
	}
}

static void
mbuf_mark(struct rte_mempool *mp, void *unused, void *object, unsigned int number)
{
	struct rte_mbuf *m = object;

	m->hash.usr = 4711;
	m->vlan_tci = 4712;
	m->pkt_len = 4713;
}

static void
mbuf_changed(struct rte_mempool *mp, void *changed, void *object, unsigned int number)
{
	const struct rte_mbuf *m = object;

	assert_true(m->hash.usr == 4711 && m->vlan_tci == 4712);
	*(uint64_t *)changed += m->pkt_len != 4713;
}

/* No mbuf is read or written, but that of a packet after which no other came. */
static void
no_mbuf(void **state)
{
	for (size_t p = 0; p < ALL_PATHS; p++) {
		uint64_t changed = 0;

		if (!runs(&all_paths[p]) || !all_paths[p].both)
			continue;
		open_and_bind(p, 512);
		turns(320);
		rte_mempool_obj_iter(operations.pool, mbuf_mark, NULL);
		direct.flushed = 0;
		turns(320);
		rte_mempool_obj_iter(operations.pool, mbuf_changed, &changed);
		assert_true(changed <= direct.flushed);
		unbind_and_finish();
	}
}

/* A Tx ring that is not emptied: nothing is lost or dropped, and it goes on. */
static void
full_tx_ring(void **state)
{
	for (size_t p = 0; p < ALL_PATHS; p++) {
		if (!runs(&all_paths[p]))
			continue;
		open_and_bind(p, 128);
		for (unsigned int round = 0; round < 50; round++) {
			for (unsigned int k = 0; k < 40; k++)
				for (unsigned int i = 0; i < PORTS; i++)
					if (direct.of[i] != NULL)
						direct_poll(i, BURST);
			turns(3);
		}
		unbind_and_finish();
	}
}

/* The pool is empty, and comes back. */
static void
dry_rx_ring(void **state)
{
	struct rte_mbuf **mbufs = operations.hoard;

	for (size_t p = 0; p < ALL_PATHS; p++) {
		if (!runs(&all_paths[p]))
			continue;
		open_and_bind(p, 128);
		for (unsigned int round = 0; round < 10; round++) {
			turns(20);
			while (operations.n_hoard < OPERATIONS_MBUFS &&
				rte_mempool_get(operations.pool,
					(void **)&mbufs[operations.n_hoard]) == 0)
				operations.n_hoard++;
			for (unsigned int i = 0; i < PORTS; i++)
				if (direct.of[i] != NULL) {
					const struct shim_mbufs sent =
						direct.of[i]->to.ops->sent(&direct.of[i]->to);

					for (uint16_t k = 0; k < sent.n; k++)
						mbufs[operations.n_hoard++] = shim_mbuf(&sent, k);
				}
			turns(30);
			rte_mempool_put_bulk(operations.pool, (void **)mbufs, operations.n_hoard);
			operations.n_hoard = 0;
		}
		turns(20);
		unbind_and_finish();
	}
}

/*
 * Ports stop and start, with another way to forward each time. But the vector receive function of packed
 * rings gives packets of mbufs that it was started with at the wrong place, unless these are new.
 */
static void
restarts(void **state)
{
	for (size_t p = 0; p < ALL_PATHS; p++) {
		if (!runs(&all_paths[p]))
			continue;
		ports_open(&all_paths[p], 256);
		for (unsigned int round = 0; round < 30; round++) {
			const unsigned int way =
				strcmp(all_paths[p].devargs[0], PACKED) == 0 ? 0 : round % 3;

			if (way == 0)
				both_bind();
			else if (way == 1)
				pairs_bind(ZCFWD_RECYCLE_MODE_RING);
			if (way == 0)
				turns(20 + round);
			else
				polls(20, operation_plain);
			both_unbind();
			for (unsigned int i = 0; i < PORTS; i++) {
				recycle_unbind(fixture.pair[i]);
				fixture.pair[i] = NULL;
				assert_int_equal(rte_eth_dev_stop(fixture.port[i]), 0);
				assert_int_equal(rte_eth_dev_start(fixture.port[i]), 0);
			}
		}
		finish();
	}
}

/* The backend's flag: whether it needs notifications about a queue. */
static void
sleeps(void *vq, bool asleep)
{
	if (is_packed(vq))
		((struct vring_packed_desc_event *)shim_pointer(vq, layout()->used))->flags =
			asleep ? VRING_PACKED_EVENT_FLAG_ENABLE : VRING_PACKED_EVENT_FLAG_DISABLE;
	else
		((struct vring_used *)shim_pointer(vq, layout()->used))->flags =
			asleep ? 0 : VRING_USED_F_NO_NOTIFY;
}

/* Returns the number of unread notifications from the driver: the sum of all eventfds. */
static uint64_t
notifications(void)
{
	DIR *all = opendir("/proc/self/fdinfo");
	uint64_t sum = 0;

	assert_non_null(all);
	for (const struct dirent *one; (one = readdir(all)) != NULL;) {
		char path[300], line[128];
		uint64_t count;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", one->d_name);
		file = fopen(path, "re");
		while (file != NULL && fgets(line, sizeof(line), file) != NULL)
			if (sscanf(line, "eventfd-count: %" SCNx64, &count) == 1)
				sum += count;
		if (file != NULL)
			fclose(file);
	}
	closedir(all);
	return sum;
}

/* Packets in a Tx ring of 256 that the backend can see, from position index on. */
static uint16_t
published(const void *vq, uint16_t index)
{
	const struct vring_packed_desc *desc = shim_pointer(vq, layout()->desc);
	const struct vring_avail *avail = shim_pointer(vq, layout()->avail);
	const uint16_t flags = shim_u16(vq, layout()->flags),
		       end = shim_u16(vq, layout()->avail_next);
	uint16_t n = 0;

	if (!is_packed(vq))
		return (uint16_t)(avail->idx - index) % 256;
	while (n < 256 &&
		(desc[(index + n) % 256].flags >> VRING_PACKED_DESC_F_AVAIL & 1) ==
			((flags >> VRING_PACKED_DESC_F_AVAIL & 1) ^
				(index + n < 256 && end < index)))
		n++;
	return n;
}

/*
 * The backend falls asleep when a burst is published. About free buffers only the driver can notify it,
 * so the driver's functions forward until it is awake, and send the packet that was held back.
 */
static void
sleeping_rx(struct direct *d, uint16_t max)
{
	struct direct_pkt pkts[BURST];
	uint16_t n, index;

	fixture.model.step();
	direct_flush(d);
	index = shim_u16(tx_queue(0), layout()->avail_next);
	n = direct_receive(d, pkts, max);
	assert_true(n > 0);
	direct_send(d, pkts, n);
	fixture.sent += n;
	assert_int_equal(published(tx_queue(0), index), n - HELD_BACK);
	sleeps(rx_queue(0), true);
	assert_false(direct_usable(d));
	direct_pause(d);
	assert_int_equal(published(tx_queue(0), index), n);
	for (unsigned int k = 0; k < 8; k++) {
		mbufs_poll(0, operation_plain);
		fixture.model.step();
		law();
	}
	sleeps(rx_queue(0), false);
}

/*
 * About packets it is notified once a burst: the driver sends the last one. late: it falls asleep
 * after the burst, and the next call sends what was held back.
 */
static void
sleeping_tx(struct direct *d, uint16_t max, bool late)
{
	struct direct_pkt pkts[BURST];
	uint64_t before = notifications();
	uint16_t n, index;

	fixture.model.step();
	direct_flush(d);
	index = shim_u16(tx_queue(0), layout()->avail_next);
	sleeps(tx_queue(0), !late);
	n = direct_receive(d, pkts, max);
	assert_true(n > 0);
	direct_send(d, pkts, n);
	fixture.sent += n;
	if (late) {
		assert_int_equal(published(tx_queue(0), index), n - HELD_BACK);
		assert_int_equal(notifications(), before);
		sleeps(tx_queue(0), true);
		assert_true(direct_usable(d));
		direct_flush(d);
	}
	assert_true(direct_usable(d));
	assert_null(d->held.data);
	assert_int_equal(published(tx_queue(0), index), n);
	assert_int_equal(notifications() - before, 1);
	for (unsigned int k = 0; k < 8; k++) {
		direct_poll(0, max);
		assert_null(d->held.data);
		fixture.model.step();
		law();
	}
	sleeps(tx_queue(0), false);
}

static void
sleeping_backend(void **state)
{
	for (size_t p = 0; p < ALL_PATHS; p++) {
		if (!runs(&all_paths[p]))
			continue;
		open_and_bind(p, 256);
		turns(100);
		for (unsigned int round = 0; round < 20; round++) {
			const uint16_t max = 1 + round;

			if (round % 4 == 3)
				sleeping_rx(direct.of[0], max);
			else
				sleeping_tx(direct.of[0], max, round % 2 == 0);
			turns(round);
		}
		unbind_and_finish();
	}
}

/* While another thread of the driver sets the queues up again, they are not touched. */
static void
disconnected(void **state)
{
	for (size_t p = 0; p < ALL_PATHS; p++) {
		struct direct_pkt pkts[BURST];
		struct direct *d;

		if (!runs(&all_paths[p]))
			continue;
		open_and_bind(p, 256);
		turns(100);
		d = direct.of[0];
		for (unsigned int k = 0; k < 2; k++) {
			void *vq = k == 0 ? rx_queue(0) : tx_queue(0);
			volatile uint8_t *started =
				shim_at(shim_pointer(vq, layout()->hw), layout()->started);

			fixture.model.step();
			*started = 0;
			assert_false(direct_usable(d));
			if (k == 0)
				assert_int_equal(direct_receive(d, pkts, BURST), 0);
			else
				assert_int_equal(d->tx_ops->take(d, BURST), 0);
			*started = 1;
			turns(10);
		}
		unbind_and_finish();
	}
}

/* In an order that a seed gives. */
static struct world {
	uint64_t seed, random;
	bool running;
	size_t path;
} w;

static uint32_t
dice(uint32_t sides)
{
	return seed_dice(&w.random, sides);
}

/* A backend without in-order may use packets in any order: shuffle the packets that it has not used yet. */
static void
used_shuffle(void *vq)
{
	struct vring_used *used = shim_pointer(vq, layout()->used);
	const uint16_t mask = shim_u16(vq, layout()->size) - 1,
		       first = shim_u16(vq, layout()->used_next), n = used->idx - first;

	if (is_packed(vq) || virtio_feature(vq, layout(), 35))
		return;
	for (uint16_t i = 1; i < n; i++) {
		struct vring_used_elem *a = &used->ring[(first + i) & mask],
				       *b = &used->ring[(first + dice(i + 1u)) & mask], one = *a;

		*a = *b;
		*b = one;
	}
}

static operation *
any_operation(void)
{
	static operation *const done[] = { operation_plain, operation_from_another_pool,
		operation_shared, operation_cloned, operation_external };
	/* The vector transmit function of packed rings fails with packets of two descriptors. */
	const bool faithful = strcmp(all_paths[w.path].devargs[0], PACKED) != 0 &&
		strcmp(all_paths[w.path].devargs[1], PACKED) != 0;

	return done[dice(faithful ? ARRAY_SIZE(done) : 2)];
}

static void
turn(void)
{
	const unsigned int i = dice(PORTS);
	/* Ways stay for a while, so that what one left is used up by the next. */
	static unsigned int way[PORTS];

	if (dice(20) == 0)
		way[i] = dice(4);
	if (dice(3) == 0) {
		fixture.model.step();
		for (unsigned int k = 0; k < PORTS; k++)
			if (direct.of[k] != NULL)
				used_shuffle(tx_queue(k));
		law();
		return;
	}
	if (direct.of[i] == NULL) {
		mbufs_poll(i, any_operation());
	} else if (way[i] < 2) {
		direct_pause(direct.of[i]);
		if (way[i] == 1) {
			fixture.pair[i] = pair_bind(i, ZCFWD_RECYCLE_MODE_RING, NULL);
			assert_non_null(fixture.pair[i]);
			recycle_run(fixture.pair[i]);
			recycle_unbind(fixture.pair[i]);
			fixture.pair[i] = NULL;
		}
		mbufs_poll(i, any_operation());
	} else {
		direct_poll(i, (uint16_t)(1 + dice(BURST)));
	}
	law();
}

static void
in_turns(void **state)
{
	static const uint16_t rings[] = { 128, 256, 512 };
	const uint64_t n = seed_count(SEEDS), before = direct.received;

	for (uint64_t k = 0; k < n; k++)
		for (w.path = 0; w.path < ALL_PATHS; w.path++) {
			if (!runs(&all_paths[w.path]))
				continue;
			w.seed = w.random = test_seed + k;
			w.running = true;
			operations.segments = dice(4) == 0 && w.path < 3 ? OPERATIONS_SEGMENTS : 0;
			open_and_bind(w.path, rings[dice(ARRAY_SIZE(rings))]);
			for (unsigned int i = 0; i < TURNS; i++)
				turn();
			both_unbind();
			polls(50, operation_plain);
			finish();
			operations.segments = 0;
			w.running = false;
		}
	assert_true(direct.received - before > n * TURNS);
}

static int
seed_print(void **state)
{
	if (w.running)
		print_message("# red: ZCFWD_TEST_SEED=%" PRIu64 " ZCFWD_TEST_SEEDS=1: %s\n", w.seed,
			all_paths[w.path].name);
	return 0;
}

static void
refused(unsigned int i, const char *reason)
{
	struct err e;

	assert_null(bound(i, &e));
	if (strstr(e.text, reason) == NULL)
		fail_msg("\"%s\": expected \"%s\"", e.text, reason);
	assert_int_equal(e.code, ENOTSUP);
}

static void
refusals(void **state)
{
	for (size_t p = 0; p < ALL_PATHS; p++) {
		uint64_t *features, agreed;

		if (!runs(&all_paths[p]))
			continue;
		open_and_bind(p, 256);
		turns(10);
		sleeps(rx_queue(0), true);
		refused(0, "needs notifications about free mbufs");
		sleeps(rx_queue(0), false);
		features = shim_at(shim_pointer(tx_queue(0), layout()->hw), layout()->features);
		agreed = *features;
		*features &= ~(UINT64_C(1) << VIRTIO_F_VERSION_1);
		refused(0, "expects the virtio header in a buffer of its own");
		*features = agreed;
		turns(10);
		unbind_and_finish();
	}
}

/* Packets whose used length is wrong are dropped; their mbufs are not lost. */
static void
bad_lengths(void **state)
{
	static const uint32_t lengths[] = { 0, HEADER - 1, HEADER, HEADER + 2049, UINT32_MAX };

	for (size_t p = 0; p < ALL_PATHS; p++) {
		if (!runs(&all_paths[p]))
			continue;
		open_and_bind(p, 256);
		for (unsigned int round = 0; round < 100; round++) {
			const uint16_t mask = 255,
				       at = shim_u16(rx_queue(0), layout()->used_next) & mask;
			struct direct_pkt pkts[BURST];
			struct direct *d = direct.of[0];
			void *vq = rx_queue(0);
			uint32_t *len, whole;
			uint16_t n;

			if (!d->from.ops->filled(&d->from, 3)) {
				turns(1);
				continue;
			}
			len = is_packed(vq)
				? &((struct vring_packed_desc *)shim_pointer(vq,
					  layout()->desc))[(at + 1) & mask]
					   .len
				: &((struct vring_used *)shim_pointer(vq, layout()->used))
					   ->ring[(at + 1) & mask]
					   .len;
			whole = *len;
			*len = lengths[round % ARRAY_SIZE(lengths)];
			n = direct_receive(d, pkts, 3);
			if (n < 3) {
				*len = whole;
				direct_flush(d);
				turns(1);
				continue;
			}
			assert_true(d->any_bad);
			assert_int_equal(direct_drop_bad(d, pkts, n), 2);
			direct_send(d, pkts, 2);
			fixture.sent += 2;
			turns(2);
		}
		both_unbind();
		polls(10, operation_plain);
		finish();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_path),
		cmocka_unit_test(index_wraps), cmocka_unit_test(no_pool), cmocka_unit_test(no_mbuf),
		cmocka_unit_test(full_tx_ring), cmocka_unit_test(dry_rx_ring),
		cmocka_unit_test(restarts), cmocka_unit_test(sleeping_backend),
		cmocka_unit_test(disconnected), cmocka_unit_test_teardown(in_turns, seed_print),
		cmocka_unit_test(refusals), cmocka_unit_test(bad_lengths) };

	if (group_setup(NULL) != 0)
		return 1;
	if (stepped_skips_width())
		return group_teardown(NULL);
	return cmocka_run_group_tests(tests, NULL, group_teardown);
}
