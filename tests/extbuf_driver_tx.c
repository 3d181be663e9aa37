/* What drivers do to buffers that an application lends them: sent from, read-only, one for many. */
#include "extbuf_driver_tx.h"

#include "extbuf_driver_bed.h"
#include "model_nic/model_nic.h"

#include <rte_ethdev.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { TURNS = 400, PATTERN = 0xa5 };

static unsigned int released;

static void
on_release(void *addr, void *opaque)
{
	released++;
}

/* A buffer that the application sends from; its memory is an mbuf's, which every driver here reaches. */
struct lent {
	struct rte_mbuf *keeper;
	uint8_t *bytes;
	struct rte_mbuf_ext_shared_info shinfo;
};

static void
lent_open(struct lent *lent)
{
	lent->keeper = rte_pktmbuf_alloc(bed.plain);
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
	struct rte_mbuf *pkts[BED_BURST];

	rte_mbuf_ext_refcnt_set(&lent->shinfo, BED_BURST);
	assert_int_equal(rte_pktmbuf_alloc_bulk(bed.plain, pkts, BED_BURST), 0);
	for (unsigned int i = 0; i < BED_BURST; i++) {
		rte_pktmbuf_attach_extbuf(pkts[i], lent->bytes,
			rte_mbuf_data_iova(lent->keeper) - lent->keeper->data_off,
			lent->keeper->buf_len, &lent->shinfo);
		assert_non_null(rte_pktmbuf_append(pkts[i], 60));
	}
	bed_send(pkts, BED_BURST);
}

/* Fast free and attached buffers: the callback never comes, and the NIC writes into the buffer that was lent. */
void
extbuf_driver_attached_and_fast_free(void **state)
{
	const uint64_t fast_free = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	struct lent lent;
	bool blind;

	bed_open(false, 0);
	blind = bed_has(fast_free) != 0;
	bed_close(true);
	if (!blind)
		return;
	bed_open(false, fast_free);
	bed_turns(TURNS);
	lent_open(&lent);
	lent_send(&lent);
	bed_turns(TURNS * 4);
	if (bed_finds("unseen")) {
		assert_int_equal(bed_tx_fate(fast_free, EXTBUF_TX_ATTACHED), EXTBUF_REFUSED);
		assert_int_equal(bed_tx_fate(fast_free, EXTBUF_TX_SHARED), EXTBUF_REFUSED);
		assert_int_equal(bed_tx_fate(fast_free, EXTBUF_TX_CLONES), EXTBUF_REFUSED);
		assert_int_equal(released, 0);
		assert_int_equal(rte_mbuf_ext_refcnt_read(&lent.shinfo), BED_BURST);
		assert_true(lent_changed(&lent));
	} else {
		assert_int_equal(bed_tx_fate(fast_free, EXTBUF_TX_ATTACHED), EXTBUF_OK);
		assert_int_equal(released, 1);
		assert_false(lent_changed(&lent));
		rte_pktmbuf_free(lent.keeper);
	}
	bed_close(!bed_finds("unseen"));
}

/* Without: the callback once, when the last mbuf is freed, and nobody writes. */
void
extbuf_driver_attached(void **state)
{
	struct lent lent;

	bed_open(false, 0);
	bed_turns(TURNS);
	assert_true(bed_tx_fate(0, EXTBUF_TX_SHARED) != EXTBUF_REFUSED);
	lent_open(&lent);
	lent_send(&lent);
	bed_turns(TURNS * 4);
	assert_false(lent_changed(&lent));
	assert_int_equal(released, 1);
	rte_pktmbuf_free(lent.keeper);
	bed_close(true);
}

/* Packets in slices one behind the other: what a driver writes in front of one is in another. */
static uint64_t
slices_corrupted(uint16_t headroom)
{
	enum { SLICE = 60, LONG = 60 };
	struct rte_mbuf *pkts[BED_BURST], *out[BED_BURST];
	struct model_nic_report before, after;
	struct lent lent;

	bed_open(false, 0);
	bed_turns(TURNS);
	lent_open(&lent);
	rte_mbuf_ext_refcnt_set(&lent.shinfo, BED_BURST);
	/* A multiple of four, where functions that send by fours begin. */
	bed_receive(pkts, BED_BURST);
	assert_int_equal(rte_pktmbuf_alloc_bulk(bed.plain, out, BED_BURST), 0);
	for (unsigned int i = 0; i < BED_BURST; i++) {
		uint8_t *slice = lent.bytes + headroom + i * SLICE;

		assert_int_equal(pkts[i]->pkt_len, LONG);
		memcpy(slice, rte_pktmbuf_mtod(pkts[i], void *), LONG);
		rte_pktmbuf_attach_extbuf(out[i], slice - headroom,
			rte_mbuf_data_iova(lent.keeper) - lent.keeper->data_off + i * SLICE,
			headroom + SLICE, &lent.shinfo);
		out[i]->data_off = headroom;
		assert_non_null(rte_pktmbuf_append(out[i], LONG));
	}
	rte_pktmbuf_free_bulk(pkts, BED_BURST);
	before = bed_reports();
	bed_send(out, BED_BURST);
	bed_turns(TURNS * 4);
	after = bed_reports();
	assert_int_equal(released, 1);
	rte_pktmbuf_free(lent.keeper);
	bed_close(true);
	return after.corrupted + after.foreign - before.corrupted - before.foreign;
}

/* Headers that a driver writes in front of attached data are seen when there is room for them, and are elsewhere when there is none. */
void
extbuf_driver_headers_in_front(void **state)
{
	assert_int_equal(slices_corrupted(0), 0);
	if (bed_finds("header"))
		assert_true(slices_corrupted(RTE_PKTMBUF_HEADROOM) >= BED_BURST / 2);
	else
		assert_int_equal(slices_corrupted(RTE_PKTMBUF_HEADROOM), 0);
	bed_open(false, 0);
	assert_int_equal(bed_tx_fate(0, EXTBUF_TX_ATTACHED) == EXTBUF_MENDED, bed_finds("header"));
	assert_int_equal(bed_tx_fate(0, EXTBUF_TX_CLONES) == EXTBUF_REFUSED, bed_finds("header"));
	bed_close(true);
}

/* DPDK's rule, whatever the driver: an mbuf of a pinned pool that another buffer is attached to does not get its own one back. */
void
extbuf_driver_attached_to_pinned(void **state)
{
	struct lent lent;
	struct rte_mbuf *m;

	bed_open(true, 0);
	lent_open(&lent);
	rte_mbuf_ext_refcnt_set(&lent.shinfo, 1);
	m = rte_pktmbuf_alloc(bed.pinned);
	assert_true((uint8_t *)m->buf_addr >= bed.region);
	rte_pktmbuf_attach_extbuf(m, lent.bytes, 0, 2048, &lent.shinfo);
	rte_pktmbuf_free(m);
	assert_ptr_equal(m->buf_addr, lent.bytes);
	assert_int_equal(released, 0);
	rte_pktmbuf_free(lent.keeper);
	bed_close(false);
}
