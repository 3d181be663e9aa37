/* What sees bursts beside an engine, switched on at random: verbose output, a mirror, copies of
 * read-only data, a capture. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/fuzz_observers.h"

#include "base/base.h"
#include "base/err.h"
#include "features/device/port_verbose.h"
#include "fixtures/engine_fixture.h"
#include "fuzz/fuzz_check.h"
#include "fuzz/fuzz_packets.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include <stdlib.h>

static uint16_t
print_rx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *arg)
{
	free(port_verbose_text(port, queue, pkts, n, true));
	return n;
}

static uint16_t
print_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, void *arg)
{
	free(port_verbose_text(port, queue, pkts, n, false));
	return n;
}

static void
capture_begin(struct fuzz_observers *o)
{
	static const char *const filters[] = { "", "ip", "udp port 9", "vlan and tcp",
		"ip6 proto 6", "greater 100", "ether[40:4] = 7", "tcp[13] & 2 != 0" };
	pcap_t *dead = pcap_open_dead(DLT_EN10MB, CAPTURE_BYTES_MAX);
	const char *filter = filters[fuzz_below(ARRAY_SIZE(filters))];
	struct err e = { 0 };

	CHECK(dead != NULL && pcap_compile(dead, &o->filter.program, filter, 1, 0) == 0);
	pcap_close(dead);
	o->filter.filtered = filter[0] != '\0';
	o->filter.limited = fuzz_once_in(4);
	o->filter.left = fuzz_below(100);
	o->filter.snaplen = 1 + fuzz_below(fuzz_once_in(2) ? 128 : CAPTURE_BYTES_MAX);
	o->tap[0] = capture_tap_open(FIXTURE_IN, 0, true, CAPTURE_QUEUE_MIN, &o->filter, &e);
	o->tap[1] = capture_tap_open(FIXTURE_OUT, 0, false, CAPTURE_QUEUE_MIN, &o->filter, &e);
	CHECK(o->tap[0] != NULL && o->tap[1] != NULL);
}

static void
capture_end(struct fuzz_observers *o)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(o->tap); i++) {
		struct capture_tap *t = o->tap[i];
		const struct capture_copy *copy;

		if (t == NULL)
			return;
		CHECK(capture_tap_close(t));
		while ((copy = capture_queue_first(&t->ring)) != NULL) {
			CHECK(copy->kept <= copy->len && copy->kept <= o->filter.snaplen);
			capture_queue_taken(&t->ring, capture_queue_need(copy->kept));
		}
		CHECK(t->seen == t->filtered + t->dropped + t->copied || o->filter.limited);
		capture_tap_empty(t);
		capture_tap_free(t);
	}
	pcap_freecode(&o->filter.program);
}

static void
mirror_begin(struct fuzz_observers *o, bool writes)
{
	struct err e = { 0 };

	o->mirror = rte_zmalloc(NULL, sizeof(*o->mirror), CACHE_PAIR);
	CHECK(o->mirror != NULL);
	o->mirror->rx_port = FIXTURE_IN;
	o->mirror->tx_port = FIXTURE_OUT;
	o->mirror->clones = !writes && fuzz_once_in(2);
	o->mirror->mark = fuzz_once_in(2);
	o->mirror->segments = fuzz_once_in(2);
	o->mirror->readonly = fuzz_readonly;
	o->mirror->pool = engine_fixture_pool;
	CHECK(run_mirror_queue_open(o->mirror, &e) == 0);
}

static void
mirror_end(struct fuzz_observers *o)
{
	struct run_mirror_sum sum;

	if (o->mirror == NULL)
		return;
	run_mirror_queue_close(o->mirror);
	sum = run_mirror_queue_read(o->mirror);
	CHECK(sum.received == sum.sent + sum.no_mbuf + sum.full + sum.segments);
	rte_free(o->mirror);
}

static void
writable_begin(struct fuzz_observers *o, struct stream *s)
{
	struct err e = { 0 };

	o->writable = (struct run_writable_queue){ .stream = s,
		.readonly = fuzz_readonly,
		.segments = fuzz_once_in(2) };
	CHECK(run_writable_queue_open(&o->writable, &e) == 0);
}

void
fuzz_observers_begin(struct fuzz_observers *o, struct stream *s)
{
	const bool writes = s->engine->written != NULL, early = fuzz_once_in(2);

	*o = (struct fuzz_observers){ 0 };
	if (writes && early)
		writable_begin(o, s);
	if (fuzz_once_in(3))
		o->verbose[0] = rte_eth_add_rx_callback(FIXTURE_IN, 0, print_rx, NULL);
	if (fuzz_once_in(3))
		o->verbose[1] = rte_eth_add_tx_callback(FIXTURE_OUT, 0, print_tx, NULL);
	if (fuzz_once_in(3))
		capture_begin(o);
	if (fuzz_once_in(4))
		mirror_begin(o, writes);
	if (writes && !early)
		writable_begin(o, s);
}

void
fuzz_observers_end(struct fuzz_observers *o)
{
	if (o->writable.stream != NULL)
		run_writable_queue_close(&o->writable);
	mirror_end(o);
	capture_end(o);
	if (o->verbose[0] != NULL)
		CHECK(rte_eth_remove_rx_callback(FIXTURE_IN, 0, o->verbose[0]) == 0);
	if (o->verbose[1] != NULL)
		CHECK(rte_eth_remove_tx_callback(FIXTURE_OUT, 0, o->verbose[1]) == 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(o->verbose); i++)
		rte_free((void *)(uintptr_t)o->verbose[i]);
}
