/* What drivers do to external buffers: each fault shown without zcfwd's mend, and gone with it. On
 * NICs that move when told to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/extbuf_driver_fixture.h"
#include "fixtures/extbuf_driver_tx.h"
#include "fixtures/rig.h"
#include "fixtures/unit.h"
#include "memory/extmem.h"
#include "memory/extmem_pin.h"
#include "pmd_shims/extbuf.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_version.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { POLLS = 400 };

static bool
is_marked(const struct rte_mbuf *m)
{
	return (m->ol_flags & RTE_MBUF_F_EXTERNAL) != 0;
}

/*
 * A packet whose buffer has others in front of it in the region, without the mark if the driver
 * forgets that at all.
 */
static struct rte_mbuf *
received(void)
{
	struct rte_mbuf *pkts[RIG_BURST], *found = NULL;

	for (unsigned int i = 0; i < 64 && found == NULL; i++) {
		extbuf_driver_receive(pkts, RIG_BURST);
		for (unsigned int k = 0; k < RIG_BURST; k++)
			if (found == NULL &&
				(uint8_t *)pkts[k]->buf_addr >
					fixture.region + 4 * FIXTURE_ELEMENT &&
				(!is_marked(pkts[k]) || !extbuf_driver_finds("lost")))
				found = pkts[k];
			else
				rte_pktmbuf_free(pkts[k]);
	}
	assert_non_null(found);
	return found;
}

/* The clone's own buffer again, without asking anybody; what it was counted in is uncounted. */
static void
clone_undo(struct rte_mbuf *clone)
{
	rte_mbuf_refcnt_update(rte_mbuf_from_indirect(clone), -1);
	clone->buf_addr = (char *)clone + sizeof(*clone);
	clone->buf_len = rte_pktmbuf_data_room_size(clone->pool);
	rte_mbuf_iova_set(clone, rte_mempool_virt2iova(clone) + sizeof(*clone));
	clone->ol_flags = 0;
	rte_mbuf_raw_free(clone);
}

/*
 * A packet without the mark is cloned: memory of the application changes, and the packet's buffer
 * is free while the clone points at it.
 */
static void
clone_of_forgotten(struct rte_mbuf *m)
{
	const unsigned int in_use = rte_mempool_in_use_count(fixture.pinned);
	struct rte_mbuf *clone;

	extbuf_driver_region_keep();
	clone = rte_pktmbuf_clone(m, fixture.plain);
	assert_non_null(clone);
	assert_true(extbuf_driver_region_changed());
	assert_int_equal(rte_mbuf_refcnt_read(m), 1);
	assert_int_equal(rte_mbuf_ext_refcnt_read(m->shinfo), 1);
	rte_pktmbuf_free(m);
	assert_int_equal(rte_mempool_in_use_count(fixture.pinned), in_use - 1);
	clone_undo(clone);
	assert_false(extbuf_driver_region_changed());
}

/*
 * The same with the mark put back: nothing is written, and the buffer stays out until the clone is
 * freed, whatever else arrives.
 */
static void
clone_of_marked(struct rte_mbuf *m)
{
	const unsigned int in_use = rte_mempool_in_use_count(fixture.pinned);
	uint8_t bytes[64];
	struct rte_mbuf *clone;

	extbuf_mark(&m, 1);
	assert_true(is_marked(m));
	extbuf_driver_region_keep();
	clone = rte_pktmbuf_clone(m, fixture.plain);
	assert_non_null(clone);
	assert_false(extbuf_driver_region_changed());
	assert_int_equal(rte_mbuf_ext_refcnt_read(m->shinfo), 2);
	memcpy(bytes, rte_pktmbuf_mtod(clone, void *), 60);
	rte_pktmbuf_free(m);
	assert_int_equal(rte_mempool_in_use_count(fixture.pinned), in_use);
	rig_poll(POLLS, operation_plain);
	assert_memory_equal(rte_pktmbuf_mtod(clone, void *), bytes, 60);
	rte_pktmbuf_free(clone);
}

/* Receiving into a pinned pool, and cloning what was received. */
static void
clones_of_pinned(void)
{
	bool lost = false;

	extbuf_driver_open(true, 0);
	assert_int_equal(extbuf_driver_rx_support(EXTBUF_RX_PINNED), EXTBUF_OK);
	for (unsigned int i = 0; i < 20; i++) {
		struct rte_mbuf *m = received();

		assert_false(is_marked(m) && extbuf_driver_finds("lost"));
		assert_false(!is_marked(m) && extbuf_driver_finds("kept"));
		if (!is_marked(m)) {
			lost = true;
			clone_of_forgotten(m);
			m = received();
		}
		clone_of_marked(m);
		rig_poll(20, operation_plain);
	}
	/* A fault is worked around. */
	if (lost)
		assert_int_equal(extbuf_driver_rx_support(EXTBUF_RX_CLONES), EXTBUF_WORKED_AROUND);
	assert_int_equal(extbuf_driver_rx_support(EXTBUF_RX_CLONES) == EXTBUF_OK,
		extbuf_driver_finds("says"));
	extbuf_driver_close(true);
}

/*
 * A pool whose mbufs another port's driver forgot about: functions that leave the mark as it is do
 * not find it again.
 */
static void
forgotten_elsewhere(void)
{
	/* Since 25.11 allocation writes the mark; before, it kept what there was. */
	const bool anew = RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0) &&
		extbuf_driver_finds("header");
	struct rte_mbuf *pkts[RIG_BURST];
	unsigned int marked = 0;

	extbuf_driver_open(true, 0);
	for (unsigned int i = 0; i < 4 * FIXTURE_MBUFS / RIG_BURST; i++) {
		extbuf_driver_receive(pkts, RIG_BURST);
		for (unsigned int k = 0; k < RIG_BURST; k++)
			pkts[k]->ol_flags = 0;
		rte_pktmbuf_free_bulk(pkts, RIG_BURST);
	}
	for (unsigned int i = 0; i < 8; i++) {
		extbuf_driver_receive(pkts, RIG_BURST);
		for (unsigned int k = 0; k < RIG_BURST; k++)
			marked += is_marked(pkts[k]);
		extbuf_mark(pkts, RIG_BURST);
		for (unsigned int k = 0; k < RIG_BURST; k++)
			assert_true(is_marked(pkts[k]));
		rte_pktmbuf_free_bulk(pkts, RIG_BURST);
	}
	assert_int_equal(marked, anew || extbuf_driver_finds("says") ? 8 * RIG_BURST : 0);
	extbuf_driver_close(true);
}

/*
 * A packet is cloned, sent, and the clone kept: its bytes stay, unless sent mbufs are put back
 * unseen.
 */
static bool
clone_survives(bool pinned, uint64_t offloads)
{
	struct rte_mbuf *pkts[RIG_BURST], *clones[RIG_BURST];
	uint8_t bytes[RIG_BURST][60];
	bool same = true;

	extbuf_driver_open(pinned, offloads);
	rig_poll(POLLS, operation_plain);
	extbuf_driver_receive(pkts, RIG_BURST);
	extbuf_mark(pkts, RIG_BURST);
	for (unsigned int i = 0; i < RIG_BURST; i++) {
		clones[i] = rte_pktmbuf_clone(pkts[i], fixture.plain);
		assert_non_null(clones[i]);
		memcpy(bytes[i], rte_pktmbuf_mtod(clones[i], void *), 60);
	}
	extbuf_driver_send(pkts, RIG_BURST);
	rig_poll(POLLS * 4, operation_plain);
	for (unsigned int i = 0; i < RIG_BURST; i++)
		same = same && memcmp(bytes[i], rte_pktmbuf_mtod(clones[i], void *), 60) == 0;
	if (same)
		rte_pktmbuf_free_bulk(clones, RIG_BURST);
	extbuf_driver_close(same);
	return same;
}

static void
clones_and_fast_free(void)
{
	const uint64_t fast_free = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;

	assert_true(clone_survives(true, 0));
	assert_true(clone_survives(false, 0));
	if (!extbuf_driver_finds("unseen"))
		return;
	assert_false(clone_survives(true, fast_free));
	assert_false(clone_survives(false, fast_free));
}

/*
 * Let all mbufs of the pool be received into, by holding many at a time; whether the driver went on
 * to the end.
 */
static bool
all_received(void)
{
	enum { HOARD = FIXTURE_MBUFS / 2 / RIG_BURST * RIG_BURST, IDLE = 1000 };
	struct rte_mbuf *held[HOARD + RIG_BURST];

	for (unsigned int round = 0; round < 8; round++) {
		unsigned int n = 0, idle = 0;

		while (n < HOARD && idle < IDLE) {
			uint16_t came = extbuf_driver_poll(held + n);

			idle = came == 0 ? idle + 1 : 0;
			n += came;
		}
		rte_pktmbuf_free_bulk(held, n);
		if (idle == IDLE)
			return false;
	}
	return true;
}

/* Elements whose key does not cover their buffer, as the mock port of mlx5 counts them; since the last call. */
static uint64_t
bad_keys(void)
{
	static uint64_t last;
	const uint64_t before = last;
	uint64_t id;

	if (rte_eth_xstats_get_id_by_name(0, "mock_bad_keys", &id) == 0)
		assert_int_equal(rte_eth_xstats_get_by_id(0, &id, &last, 1), 1);
	return last - before;
}

/*
 * Buffers that begin in a page and end in one where none begins: mlx5 lets the card reach the
 * former alone. extmem_pin() makes no such buffer.
 */
static void
last_page(void)
{
	enum { ELEMENT = 2304 };
	/*
	 * The pool ends before the region does; with it, and the last buffer that has room would
	 * begin in the last page but one.
	 */
	static const uint64_t sizes[] = { 1152 * 4096, 1148 * 4096 };
	struct extmems all = { .first = NULL };
	struct extmem *m;
	struct err e;

	err_clear(&e);
	fixture.element = ELEMENT;
	extbuf_driver_open(true, 0);
	all_received();
	assert_int_equal(bad_keys() > 0, extbuf_driver_finds("pages"));
	extbuf_driver_close(!extbuf_driver_finds("pages"));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		const struct extmem_ask ask = { .name = "pages",
			.type = EXTMEM_HEAP,
			.bytes = sizes[i],
			.socket = SOCKET_ID_ANY };

		extmem_create(&all, &ask, &m, &e);
		fixture.pinned = extmem_pin(m, ELEMENT, FIXTURE_MBUFS / 2, FIXTURE_MBUFS, 128, &e);
		assert_string_equal(e.text, "");
		extbuf_driver_open(true, 0);
		assert_true(all_received());
		assert_int_equal(bad_keys(), 0);
		extbuf_driver_close(true);
		extmem_delete(&all, "pages", &e);
		assert_string_equal(e.text, "");
	}
	fixture.element = FIXTURE_ELEMENT;
}

int
main(void)
{
	static const struct rig_case cases[] = {
		{ "clones_of_pinned", clones_of_pinned, RIG_EACH, NULL, NULL },
		{ "forgotten_elsewhere", forgotten_elsewhere, RIG_EACH, NULL, NULL },
		{ "attached", extbuf_driver_attached, RIG_EACH, NULL, NULL },
		{ "attached_and_fast_free", extbuf_driver_attached_and_fast_free, RIG_EACH, NULL,
			NULL },
		{ "clones_and_fast_free", clones_and_fast_free, RIG_EACH, NULL, NULL },
		{ "headers_in_front", extbuf_driver_headers_in_front, RIG_EACH, NULL, NULL },
		{ "attached_to_pinned", extbuf_driver_attached_to_pinned, RIG_EACH, NULL, NULL },
		{ "last_page", last_page, RIG_EACH, NULL, NULL },
	};

	return rig_main(cases, ARRAY_SIZE(cases));
}
