/* Forwarding without mbufs on net_virtio, and its backend: indexes that wrap around, a backend that sleeps and
 * is notified, that disconnects, that lacks a feature, that names wrong lengths. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/direct_ports.h"
#include "fixtures/rig.h"
#include "fixtures/unit.h"
#include "pmd_shims/direct/direct.h"
#include "pmd_shims/recycle/virtio/virtio_queue.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <dirent.h>
#include <inttypes.h>
#include <linux/virtio_config.h>
#include <stdio.h>
#include <string.h>

enum { RING = 256, HEADER = 12, HELD_BACK = 1 };

static const struct virtio_layout *
layout(void)
{
	return direct_state_layout(direct_ports.of[0]);
}

static void *
rx_queue(void)
{
	return direct_state_rx(direct_ports.of[0]);
}

static void *
tx_queue(void)
{
	return direct_state_tx(direct_ports.of[0]);
}

static bool
is_packed(const void *vq)
{
	return direct_state_is_packed(direct_ports.of[0], vq);
}

/* Queues can be bound whatever their indexes are: those of split rings wrap around at 65536. */
static void
index_wraps(void)
{
	uint16_t bound_low = 0;

	if (strcmp(rig.path->name, "split") != 0)
		return;
	direct_ports_open(1024);
	while (shim_u16(rx_queue(), layout()->avail_next) < UINT16_MAX - 4096)
		direct_ports_turns(16);
	for (unsigned int k = 0; k < 300; k++) {
		const struct recycle_ends ends = { 0, 0, 1, 0 };
		struct direct *again;
		struct err e;

		direct_ports_turns(1);
		err_clear(&e);
		again = direct_bind(&ends, NULL, true,
			&(struct direct_count){ &direct_ports.topped_up, &direct_ports.freed }, &e);
		assert_string_equal(e.text, "");
		direct_unbind(again);
		bound_low += shim_u16(rx_queue(), layout()->avail_next) <
			shim_u16(rx_queue(), layout()->used_next);
	}
	assert_true(bound_low > 0);
	direct_ports_close();
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
	struct direct_pkt pkts[RIG_BURST];
	uint16_t n, index;

	rig.model.step();
	direct_flush(d);
	index = shim_u16(tx_queue(), layout()->avail_next);
	n = direct_receive(d, pkts, max);
	assert_true(n > 0);
	direct_ports_send(0, pkts, n);
	assert_int_equal(published(tx_queue(), index), n - HELD_BACK);
	sleeps(rx_queue(), true);
	assert_false(direct_usable(d));
	direct_pause(d);
	assert_int_equal(published(tx_queue(), index), n);
	for (unsigned int k = 0; k < 8; k++) {
		direct_ports_plain(0, operation_plain);
		rig.model.step();
		rig_law();
	}
	sleeps(rx_queue(), false);
}

/*
 * About packets it is notified once a burst: the driver sends the last one. late: it falls asleep
 * after the burst, and the next call sends what was held back.
 */
static void
sleeping_tx(struct direct *d, uint16_t max, bool late)
{
	struct direct_pkt pkts[RIG_BURST];
	uint64_t before = notifications();
	uint16_t n, index;

	rig.model.step();
	direct_flush(d);
	index = shim_u16(tx_queue(), layout()->avail_next);
	sleeps(tx_queue(), !late);
	n = direct_receive(d, pkts, max);
	assert_true(n > 0);
	direct_ports_send(0, pkts, n);
	if (late) {
		assert_int_equal(published(tx_queue(), index), n - HELD_BACK);
		assert_int_equal(notifications(), before);
		sleeps(tx_queue(), true);
		assert_true(direct_usable(d));
		direct_flush(d);
	}
	assert_true(direct_usable(d));
	assert_null(d->held.data);
	assert_int_equal(published(tx_queue(), index), n);
	assert_int_equal(notifications() - before, 1);
	for (unsigned int k = 0; k < 8; k++) {
		direct_ports_poll(0, max);
		assert_null(d->held.data);
		rig.model.step();
		rig_law();
	}
	sleeps(tx_queue(), false);
}

static void
sleeping_backend(void)
{
	direct_ports_open(RING);
	direct_ports_turns(100);
	for (unsigned int round = 0; round < 20; round++) {
		const uint16_t max = 1 + round;

		if (round % 4 == 3)
			sleeping_rx(direct_ports.of[0], max);
		else
			sleeping_tx(direct_ports.of[0], max, round % 2 == 0);
		direct_ports_turns(round);
	}
	direct_ports_close();
}

/* While another thread of the driver sets the queues up again, they are not touched. */
static void
disconnected(void)
{
	struct direct_pkt pkts[RIG_BURST];
	struct direct *d;

	direct_ports_open(RING);
	direct_ports_turns(100);
	d = direct_ports.of[0];
	for (unsigned int k = 0; k < 2; k++) {
		void *vq = k == 0 ? rx_queue() : tx_queue();
		volatile uint8_t *started =
			shim_at(shim_pointer(vq, layout()->hw), layout()->started);

		rig.model.step();
		*started = 0;
		assert_false(direct_usable(d));
		if (k == 0)
			assert_int_equal(direct_receive(d, pkts, RIG_BURST), 0);
		else
			assert_int_equal(d->tx_ops->take(d, RIG_BURST), 0);
		*started = 1;
		direct_ports_turns(10);
	}
	direct_ports_close();
}

static void
refusals(void)
{
	uint64_t *features, agreed;

	direct_ports_open(RING);
	direct_ports_turns(10);
	sleeps(rx_queue(), true);
	direct_ports_refused("needs notifications about free mbufs");
	sleeps(rx_queue(), false);
	features = shim_at(shim_pointer(tx_queue(), layout()->hw), layout()->features);
	agreed = *features;
	*features &= ~(UINT64_C(1) << VIRTIO_F_VERSION_1);
	direct_ports_refused("expects the virtio header in a buffer of its own");
	*features = agreed;
	direct_ports_turns(10);
	direct_ports_close();
}

/* The length of the second packet that is received next, as the backend names it. */
static uint32_t *
second_length(void)
{
	const uint16_t at = (shim_u16(rx_queue(), layout()->used_next) + 1) & (RING - 1);

	if (is_packed(rx_queue()))
		return &((struct vring_packed_desc *)shim_pointer(rx_queue(), layout()->desc))[at]
				.len;
	return &((struct vring_used *)shim_pointer(rx_queue(), layout()->used))->ring[at].len;
}

/* Packets whose used length is wrong are dropped; their mbufs are not lost. */
static void
bad_lengths(void)
{
	static const uint32_t lengths[] = { 0, HEADER - 1, HEADER, HEADER + 2049, UINT32_MAX };

	uint64_t *counts;

	direct_ports_open(RING);
	for (unsigned int round = 0; round < 100; round++) {
		const uint64_t before = direct_ports.received;
		const struct direct *d = direct_ports.of[0];
		uint32_t *len, whole;

		if (!d->from.ops->filled(&d->from, 3)) {
			direct_ports_turns(1);
			continue;
		}
		len = second_length();
		whole = *len;
		*len = lengths[round % ARRAY_SIZE(lengths)];
		direct_ports_poll(0, 3);
		if (direct_ports.received == before)
			*len = whole;
		else
			assert_int_equal(direct_ports.received, before + 2);
		direct_ports_turns(2);
	}
	/* The driver counts what the backend says. */
	counts = shim_at(rx_queue(), layout()->rx_stats);
	counts[1] = counts[0] * OPERATIONS_SNAP;
	direct_ports_close();
}

int
main(void)
{
	static const struct rig_case cases[] = {
		{ "index_wraps", index_wraps, RIG_VIRTIO, NULL, NULL },
		{ "sleeping_backend", sleeping_backend, RIG_VIRTIO, NULL, NULL },
		{ "disconnected", disconnected, RIG_VIRTIO, NULL, NULL },
		{ "refusals", refusals, RIG_VIRTIO, NULL, NULL },
		{ "bad_lengths", bad_lengths, RIG_VIRTIO, NULL, NULL },
	};

	return rig_main(cases, ARRAY_SIZE(cases));
}
