/* What drivers do to external buffers: each fault shown without zcfwd's mend, and gone with it. On
 * NICs that move when told to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/extbuf_driver_fixture.h"
#include "fixtures/rig.h"
#include "fixtures/unit.h"
#include "memory/extmem.h"
#include "memory/extmem_pin.h"
#include "pmd_shims/extbuf.h"

#include <rte_ethdev.h>
#include <rte_version.h>

#include <errno.h>
#include <string.h>

enum { POLLS = 400, PATTERN = 0xa5 };

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

static unsigned int released;

static void
on_release(void *addr, void *opaque)
{
	released++;
}

/*
 * A buffer that the application sends from; its memory is an mbuf's, which every driver here
 * reaches.
 */
struct lent {
	struct rte_mbuf *keeper;
	uint8_t *bytes;
	struct rte_mbuf_ext_shared_info shinfo;
};

static void
lent_open(struct lent *lent)
{
	lent->keeper = rte_pktmbuf_alloc(fixture.plain);
	assert_non_null(lent->keeper);
	lent->bytes = lent->keeper->buf_addr;
	memset(lent->bytes, PATTERN, lent->keeper->buf_len);
	lent->shinfo.free_cb = on_release;
	lent->shinfo.fcb_opaque = NULL;
	released = 0;
}

static bool
lent_changed(const struct lent *lent)
{
	for (unsigned int i = 0; i < lent->keeper->buf_len; i++)
		if (lent->bytes[i] != PATTERN)
			return true;
	return false;
}

/* A burst of mbufs that all point at the buffer. */
static void
lent_send(struct lent *lent)
{
	struct rte_mbuf *pkts[RIG_BURST];

	rte_mbuf_ext_refcnt_set(&lent->shinfo, RIG_BURST);
	assert_int_equal(rte_pktmbuf_alloc_bulk(fixture.plain, pkts, RIG_BURST), 0);
	for (unsigned int i = 0; i < RIG_BURST; i++) {
		rte_pktmbuf_attach_extbuf(pkts[i], lent->bytes,
			rte_mbuf_data_iova(lent->keeper) - lent->keeper->data_off,
			lent->keeper->buf_len, &lent->shinfo);
		assert_non_null(rte_pktmbuf_append(pkts[i], 60));
	}
	extbuf_driver_send(pkts, RIG_BURST);
}

/*
 * Fast free and attached buffers: the callback never comes, and the NIC writes into the buffer that
 * was lent.
 */
static void
attached_and_fast_free(void)
{
	const uint64_t fast_free = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	struct lent lent;

	if ((rig.offloads[0] & fast_free) == 0)
		return;
	extbuf_driver_open(false, fast_free);
	rig_poll(POLLS, operation_plain);
	lent_open(&lent);
	lent_send(&lent);
	rig_poll(POLLS * 4, operation_plain);
	if (extbuf_driver_finds("unseen")) {
		assert_int_equal(extbuf_driver_tx_support(fast_free, EXTBUF_TX_ATTACHED),
			EXTBUF_REFUSED);
		assert_int_equal(extbuf_driver_tx_support(fast_free, EXTBUF_TX_SHARED),
			EXTBUF_REFUSED);
		assert_int_equal(extbuf_driver_tx_support(fast_free, EXTBUF_TX_CLONES),
			EXTBUF_REFUSED);
		assert_int_equal(released, 0);
		assert_int_equal(rte_mbuf_ext_refcnt_read(&lent.shinfo), RIG_BURST);
		assert_true(lent_changed(&lent));
	} else {
		assert_int_equal(extbuf_driver_tx_support(fast_free, EXTBUF_TX_ATTACHED),
			EXTBUF_OK);
		assert_int_equal(released, 1);
		assert_false(lent_changed(&lent));
		rte_pktmbuf_free(lent.keeper);
	}
	extbuf_driver_close(!extbuf_driver_finds("unseen"));
}

/* Without: the callback once, when the last mbuf is freed, and nobody writes. */
static void
attached(void)
{
	struct lent lent;

	extbuf_driver_open(false, 0);
	rig_poll(POLLS, operation_plain);
	assert_true(extbuf_driver_tx_support(0, EXTBUF_TX_SHARED) != EXTBUF_REFUSED);
	lent_open(&lent);
	lent_send(&lent);
	rig_poll(POLLS * 4, operation_plain);
	assert_false(lent_changed(&lent));
	assert_int_equal(released, 1);
	rte_pktmbuf_free(lent.keeper);
	extbuf_driver_close(true);
}

/* Packets in slices one behind the other: what a driver writes in front of one is in another. */
static uint64_t
slices_corrupted(uint16_t headroom)
{
	enum { SLICE = 60, LONG = 60 };
	struct rte_mbuf *pkts[RIG_BURST], *out[RIG_BURST];
	struct model_nic_report before, after;
	struct lent lent;

	extbuf_driver_open(false, 0);
	rig_poll(POLLS, operation_plain);
	lent_open(&lent);
	rte_mbuf_ext_refcnt_set(&lent.shinfo, RIG_BURST);
	/* A multiple of four, where functions that send by fours begin. */
	extbuf_driver_receive(pkts, RIG_BURST);
	assert_int_equal(rte_pktmbuf_alloc_bulk(fixture.plain, out, RIG_BURST), 0);
	for (unsigned int i = 0; i < RIG_BURST; i++) {
		uint8_t *slice = lent.bytes + headroom + i * SLICE;

		assert_int_equal(pkts[i]->pkt_len, LONG);
		memcpy(slice, rte_pktmbuf_mtod(pkts[i], void *), LONG);
		rte_pktmbuf_attach_extbuf(out[i], slice - headroom,
			rte_mbuf_data_iova(lent.keeper) - lent.keeper->data_off + i * SLICE,
			headroom + SLICE, &lent.shinfo);
		out[i]->data_off = headroom;
		assert_non_null(rte_pktmbuf_append(out[i], LONG));
	}
	rte_pktmbuf_free_bulk(pkts, RIG_BURST);
	before = rig_reports();
	extbuf_driver_send(out, RIG_BURST);
	rig_poll(POLLS * 4, operation_plain);
	after = rig_reports();
	assert_int_equal(released, 1);
	rte_pktmbuf_free(lent.keeper);
	extbuf_driver_close(true);
	return after.corrupted + after.foreign - before.corrupted - before.foreign;
}

/*
 * Headers that a driver writes in front of attached data are seen when there is room for them, and
 * are elsewhere when there is none.
 */
static void
headers_in_front(void)
{
	assert_int_equal(slices_corrupted(0), 0);
	if (extbuf_driver_finds("header"))
		assert_true(slices_corrupted(RTE_PKTMBUF_HEADROOM) >= RIG_BURST / 2);
	else
		assert_int_equal(slices_corrupted(RTE_PKTMBUF_HEADROOM), 0);
	extbuf_driver_open(false, 0);
	assert_int_equal(extbuf_driver_tx_support(0, EXTBUF_TX_ATTACHED) == EXTBUF_WORKED_AROUND,
		extbuf_driver_finds("header"));
	assert_int_equal(extbuf_driver_tx_support(0, EXTBUF_TX_CLONES) == EXTBUF_REFUSED,
		extbuf_driver_finds("header"));
	extbuf_driver_close(true);
}

/*
 * DPDK's rule, whatever the driver: an mbuf of a pinned pool that another buffer is attached to
 * does not get its own one back.
 */
static void
attached_to_pinned(void)
{
	struct lent lent;
	struct rte_mbuf *m;

	extbuf_driver_open(true, 0);
	lent_open(&lent);
	rte_mbuf_ext_refcnt_set(&lent.shinfo, 1);
	m = rte_pktmbuf_alloc(fixture.pinned);
	assert_true((uint8_t *)m->buf_addr >= fixture.region);
	rte_pktmbuf_attach_extbuf(m, lent.bytes, 0, 2048, &lent.shinfo);
	rte_pktmbuf_free(m);
	assert_ptr_equal(m->buf_addr, lent.bytes);
	assert_int_equal(released, 0);
	rte_pktmbuf_free(lent.keeper);
	extbuf_driver_close(false);
}

int
main(void)
{
	static const struct rig_case cases[] = {
		{ "clones_of_pinned", clones_of_pinned, RIG_EACH, NULL, NULL },
		{ "forgotten_elsewhere", forgotten_elsewhere, RIG_EACH, NULL, NULL },
		{ "attached", attached, RIG_EACH, NULL, NULL },
		{ "attached_and_fast_free", attached_and_fast_free, RIG_EACH, NULL, NULL },
		{ "clones_and_fast_free", clones_and_fast_free, RIG_EACH, NULL, NULL },
		{ "headers_in_front", headers_in_front, RIG_EACH, NULL, NULL },
		{ "attached_to_pinned", attached_to_pinned, RIG_EACH, NULL, NULL },
		{ "last_page", last_page, RIG_EACH, NULL, NULL },
	};

	return rig_main(cases, ARRAY_SIZE(cases));
}
