/* Rings of drivers in plain memory, with what modelled NICs never do: transmit errors, nobody who has
 * room, a pool that is dry just when a batch cannot be moved. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/own_lcores.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/intel/intel.h"
#include "pmd_shims/recycle/mlx5/mlx5.h"
#include "pmd_shims/recycle/pair.h"

#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <stdint.h>
#include <string.h>

enum {
	RING = 64,
	CQES = 32,
	BATCH = 8,
	MBUFS = 64,
	SENT = 0,      /* the opcode of a completion: all went out ... */
	UNWRITTEN = 15 /* ... or the NIC never wrote it */
};

/* Between the first slot of a ring and its end, and where counters of 16 bits begin again. */
static const uint16_t starts[] = { 0, 7 * RING, UINT16_MAX - 3 };

static struct rte_mempool *pool;

static int
group_setup(void **state)
{
	char *args[] = { "shim_rings", "--no-huge", "--no-shconf", "--no-pci", "-m", "64",
		"--no-telemetry", own_lcores("0"), "--log-level=error" };

	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	pool = rte_pktmbuf_pool_create("pool", MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	return pool != NULL ? 0 : -1;
}

static int
group_teardown(void **state)
{
	rte_mempool_free(pool);
	return rte_eal_cleanup();
}

/* Intel: whatever is open, as many batches as leave the shut descriptors and one more open. */
TEST(intel_keeps_one_open)
{
	static const struct intel_rx_layout batches_of[] = { { .rearm = 32 }, { .rearm = 64 } };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(batches_of); i++)
		for (uint16_t open = 0; open <= 4 * batches_of[i / 2].rearm; open++) {
			const struct intel_rx_layout *l = &batches_of[i / 2];
			const uint16_t queue[] = { open }, shut = i % 2 * 2 * l->rearm;
			const struct shim_rx rx = { .rxq = (void *)(uintptr_t)queue };
			const uint16_t room = intel_room(&rx, l, shut);

			assert_int_equal(room % l->rearm, 0);
			assert_true(room == 0 || room + shut < open);
			assert_true(room + shut + l->rearm >= open);
		}
}

/* Queues of Intel's drivers. */
static struct intel_rx_queue {
	void *pool, *ring;
	struct rte_mbuf **sw_ring;
	uint16_t size, tail, rearm_n, rearm_start;
	uint32_t *doorbell;
	struct rte_mbuf fake;
} intel_rxq;

static struct intel_tx_queue {
	void *ring;
	struct rte_mbuf **sw_ring;
	uint16_t size, tail, free, rs_thresh, next_done, next_rs;
} intel_txq;

enum { INTEL_RING = 128, INTEL_BATCH = 32, INTEL_DONE = 0xf };

#define INTEL_RX(field) .field = offsetof(struct intel_rx_queue, field)
#define INTEL_TX(field) .field = offsetof(struct intel_tx_queue, field)

static const struct intel_rx_layout intel_rx_layout = { INTEL_RX(pool), INTEL_RX(ring),
	INTEL_RX(sw_ring), INTEL_RX(size), INTEL_RX(tail), INTEL_RX(rearm_n), INTEL_RX(rearm_start),
	INTEL_RX(doorbell), INTEL_RX(fake), .desc_size = 16, .rearm = INTEL_BATCH };
static const struct intel_tx_layout intel_tx_layout = { INTEL_TX(ring), INTEL_TX(sw_ring),
	INTEL_TX(size), INTEL_TX(tail), INTEL_TX(free), INTEL_TX(rs_thresh), INTEL_TX(next_done),
	INTEL_TX(next_rs), .done_offset = 8, .done_mask = INTEL_DONE };

static struct {
	uint64_t ring[INTEL_RING][2];
	struct rte_mbuf *slots[INTEL_RING + 8];
	uint32_t doorbell;
} intel;

/* A queue whose descriptors point to the data of these mbufs, two slots to each. */
static void
intel_begin(struct rte_mbuf **mbufs)
{
	memset(&intel, 0, sizeof(intel));
	for (uint16_t i = 0; i < INTEL_RING; i++) {
		intel.slots[i] = mbufs[i % MBUFS];
		intel.ring[i][0] = rte_cpu_to_le_64(rte_mbuf_data_iova(intel.slots[i]));
	}
	for (uint16_t i = INTEL_RING; i < ARRAY_SIZE(intel.slots); i++)
		intel.slots[i] = &intel_rxq.fake;
}

static bool
all_differ(uint16_t a, uint16_t b, uint16_t c)
{
	return a != b && a != c && b != c;
}

static enum shim_proof
rx_proves(const struct intel_rx_layout *l)
{
	struct shim_rx one = { .rxq = &intel_rxq, .layout = l, .pool = pool, .seen = UINT16_MAX };

	return intel_rx_ops.prove(&one);
}

/*
 * Only a receive queue whose three counters can be told apart proves its layout: in each state that
 * counts as a proof, a layout with any two of them exchanged is found to be wrong. In the middle of
 * the ring the counters fit exchanged as well.
 */
TEST(intel_proves_rx)
{
	struct intel_rx_layout swapped[3] = { intel_rx_layout, intel_rx_layout, intel_rx_layout };
	unsigned int agreed = 0;
	struct rte_mbuf *mbufs[MBUFS];

	RTE_SWAP(swapped[0].tail, swapped[0].rearm_n);
	RTE_SWAP(swapped[1].tail, swapped[1].rearm_start);
	RTE_SWAP(swapped[2].rearm_n, swapped[2].rearm_start);
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, mbufs, MBUFS), 0);
	intel_begin(mbufs);
	for (uint16_t start = 0; start < INTEL_RING; start += INTEL_BATCH)
		for (uint16_t open = 0; open <= INTEL_RING; open++) {
			const uint16_t tail = (start + open) % INTEL_RING;
			const bool proof = all_differ(tail, start, open) && tail != 0 &&
				start != 0 && open != 0 && start != INTEL_RING / 2;

			intel.doorbell = rte_cpu_to_le_32((start + INTEL_RING - 1) % INTEL_RING);
			intel_rxq = (struct intel_rx_queue){ .pool = pool,
				.ring = intel.ring,
				.sw_ring = intel.slots,
				.size = INTEL_RING,
				.tail = tail,
				.rearm_n = open,
				.rearm_start = start,
				.doorbell = &intel.doorbell };
			agreed += proof;
			assert_int_equal(rx_proves(&intel_rx_layout),
				proof ? SHIM_AGREED : SHIM_NOTHING_NEW);
			for (size_t i = 0; i < ARRAY_SIZE(swapped) && proof; i++)
				assert_int_equal(rx_proves(&swapped[i]), SHIM_WRONG);
		}
	assert_true(agreed > INTEL_RING);
	rte_pktmbuf_free_bulk(mbufs, MBUFS);
}

static enum shim_proof
tx_proves(const struct intel_tx_layout *l)
{
	struct shim_tx one = { .txq = &intel_txq, .layout = l, .seen = UINT16_MAX };

	return intel_tx_ops_8.prove(&one);
}

/*
 * A transmit queue proves its layout if its three counters can be told apart, and two packets or more
 * are in it, of which one is not sent: only the descriptors of those can be compared. A layout with
 * the tail and the number of free slots exchanged is wrong, unless both are in one batch.
 */
TEST(intel_proves_tx)
{
	struct intel_tx_layout swapped = intel_tx_layout;
	struct rte_mbuf *mbufs[MBUFS];
	unsigned int agreed = 0, wrong = 0;

	RTE_SWAP(swapped.tail, swapped.free);
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, mbufs, MBUFS), 0);
	intel_begin(mbufs);
	for (uint16_t done = INTEL_BATCH - 1; done < INTEL_RING; done += INTEL_BATCH)
		for (uint16_t used = 0; used < INTEL_RING; used++)
			for (uint16_t unsent = 0; unsent < 2; unsent++) {
				const uint16_t oldest = done + 1 - INTEL_BATCH,
					       tail = (oldest + used) % INTEL_RING,
					       free = INTEL_RING - 1 - used;
				const bool proof = all_differ(tail, done, free) && tail != 0 &&
					used > 1 && unsent > 0;

				/* The newest packet alone is not sent, or all are. */
				for (uint16_t i = 0; i < INTEL_RING; i++)
					intel.ring[i][1] = INTEL_DONE;
				if (unsent > 0 && used > 0)
					intel.ring[(tail + INTEL_RING - 1) % INTEL_RING][1] = 0;
				intel_txq = (struct intel_tx_queue){ intel.ring, intel.slots,
					INTEL_RING, tail, free, INTEL_BATCH, done,
					tail / INTEL_BATCH * INTEL_BATCH + INTEL_BATCH - 1 };
				agreed += proof;
				assert_int_equal(tx_proves(&intel_tx_layout),
					proof ? SHIM_AGREED : SHIM_NOTHING_NEW);
				if (tail / INTEL_BATCH == free / INTEL_BATCH)
					continue;
				wrong++;
				assert_int_equal(tx_proves(&swapped), SHIM_WRONG);
			}
	assert_true(agreed > INTEL_RING && wrong > INTEL_RING);
	rte_pktmbuf_free_bulk(mbufs, MBUFS);
}

/* A transmit queue of mlx5, of packets that nobody looks into: only where they lie. */
static struct mlx5_tx_queue {
	uint16_t head, tail, size, mask, freed_wqe, done, owner, cqe_mask;
	const uint16_t *heads;
	const uint8_t *cqes;
	uint32_t *doorbell;
	struct rte_mbuf *slots[RING];
} txq;

#define TX_FIELD(field) .field = offsetof(struct mlx5_tx_queue, field)

static const struct mlx5_tx_layout tx_layout = { TX_FIELD(head), TX_FIELD(tail), TX_FIELD(size),
	TX_FIELD(mask), TX_FIELD(freed_wqe), TX_FIELD(done), TX_FIELD(owner), TX_FIELD(cqe_mask),
	TX_FIELD(heads), TX_FIELD(cqes), TX_FIELD(doorbell), TX_FIELD(slots) };

static struct {
	uint16_t heads[CQES], completed; /* by the NIC */
	uint8_t cqes[CQES][MLX5_CQE];
	uint32_t doorbell;
	struct rte_mbuf *list[RING];
} nic;

static const struct shim_tx mlx5_tx = { .txq = &txq, .wanted = BATCH, .list = nic.list };

static void
tx_begin(uint16_t start)
{
	txq = (struct mlx5_tx_queue){ .head = start,
		.tail = start,
		.size = RING,
		.mask = RING - 1,
		.done = start,
		.owner = CQES,
		.cqe_mask = CQES - 1,
		.heads = nic.heads,
		.cqes = nic.cqes[0],
		.doorbell = &nic.doorbell };
	memset(&nic, 0, sizeof(nic));
	for (uint16_t i = 0; i < CQES; i++)
		nic.cqes[i][MLX5_CQE - 1] = UNWRITTEN << 4 | (((uint16_t)(start + i) & CQES) != 0);
	nic.completed = start;
	nic.heads[(start - 1) & (CQES - 1)] = start;
}

/* So many mbufs were sent, and the NIC tells of them. */
static void
tx_complete(uint16_t mbufs, uint8_t opcode)
{
	uint8_t *cqe = nic.cqes[nic.completed & (CQES - 1)];

	for (uint16_t i = 0; i < mbufs; i++, txq.head++)
		txq.slots[txq.head & (RING - 1)] = (void *)((uintptr_t)txq.head + 1);
	nic.heads[nic.completed & (CQES - 1)] = txq.head;
	cqe[MLX5_CQE - 4] = txq.head >> 8;
	cqe[MLX5_CQE - 3] = txq.head & 0xff;
	cqe[MLX5_CQE - 1] = opcode << 4 | ((nic.completed & CQES) != 0);
	nic.completed++;
}

/*
 * So many mbufs are handed out in all, in the order of sending, by as many calls as it takes;
 * completions: of which note was taken.
 */
static void
tx_hands_out(uint16_t mbufs, uint16_t completions)
{
	const uint16_t tail = txq.tail, done = txq.done;
	struct shim_mbufs sent;

	while ((sent = mlx5_sent(&mlx5_tx, &tx_layout)).n > 0) {
		for (uint16_t i = 0; i < sent.n; i++)
			assert_int_equal((uintptr_t)shim_mbuf(&sent, i),
				(uint16_t)(txq.tail + i) + 1);
		mlx5_taken(&mlx5_tx, &tx_layout, &sent);
	}
	assert_int_equal((uint16_t)(txq.tail - tail), mbufs);
	assert_int_equal((uint16_t)(txq.done - done), completions);
	if (completions > 0) {
		assert_int_equal(nic.doorbell, rte_cpu_to_be_32(txq.done));
		assert_int_equal(txq.freed_wqe, txq.tail);
	}
}

/* What went out before an error is moved; the error, and all behind it, are left to the driver. */
TEST(mlx5_leaves_errors)
{
	static const uint8_t errors[] = { 0xd, 0xe };

	for (size_t s = 0; s < ARRAY_SIZE(starts); s++)
		for (size_t e = 0; e < ARRAY_SIZE(errors); e++) {
			tx_begin(starts[s]);
			for (unsigned int i = 0; i < 3; i++)
				tx_complete(4, SENT);
			tx_complete(4, errors[e]);
			tx_complete(4, SENT);
			tx_hands_out(3 * 4, 3);
			tx_hands_out(0, 0);
			/* As the driver deals with it. */
			txq.done++;
			txq.tail += 4;
			tx_hands_out(4, 1);
		}
}

/* After an error of the queue the driver counts mbufs from 0: an old number of mbufs is not used. */
TEST(mlx5_begins_again)
{
	for (size_t s = 0; s < ARRAY_SIZE(starts); s++) {
		tx_begin(starts[s]);
		txq.head = txq.tail = 200;
		tx_complete(4, 0xd);
		/* As the driver does. */
		txq.done++;
		txq.head = txq.tail = 0;
		tx_hands_out(0, 0);
		tx_complete(4, SENT);
		tx_complete(4, SENT);
		tx_hands_out(8, 2);
	}
}

/*
 * Sent mbufs that find no room wait; of a full ring, however often it is asked, half is left for the
 * driver to complete: else it could never send again.
 */
TEST(mlx5_leaves_half)
{
	for (size_t s = 0; s < ARRAY_SIZE(starts); s++) {
		tx_begin(starts[s]);
		for (unsigned int i = 0; i < RING / 4; i++)
			tx_complete(4, SENT);
		for (unsigned int i = 0; i < RING; i++)
			assert_true(mlx5_sent(&mlx5_tx, &tx_layout).n > 0);
		assert_int_equal((uint16_t)(txq.done - starts[s]), RING / 2 / 4);
		tx_hands_out(RING, RING / 2 / 4);
	}
}

/* Of completions of one mbuf each a call takes no more than its share, from any counter on. */
TEST(mlx5_takes_its_share)
{
	for (size_t s = 0; s < ARRAY_SIZE(starts); s++) {
		tx_begin(starts[s]);
		for (unsigned int i = 0; i < CQES - 1; i++)
			tx_complete(1, SENT);
		mlx5_sent(&mlx5_tx, &tx_layout);
		assert_int_equal((uint16_t)(txq.done - starts[s]), MLX5_CQES_MAX);
	}
}

/* A receive queue of mlx5. */
static struct mlx5_rx_queue {
	uint32_t sizes; /* at MLX5_SIZES */
	uint32_t armed, received, *doorbell;
	uint16_t keys;
	void *elements;
	struct rte_mbuf **slots;
	struct rte_mbuf fake;
} rxq;

#define RX_FIELD(field) .field = offsetof(struct mlx5_rx_queue, field)

static const struct mlx5_rx_layout rx_layout = { RX_FIELD(armed), RX_FIELD(received),
	RX_FIELD(doorbell), RX_FIELD(keys), RX_FIELD(elements), RX_FIELD(slots), RX_FIELD(fake) };

static struct {
	uint32_t doorbell;
	uint64_t elements[RING][2];
	struct rte_mbuf *slots[RING + MLX5_LOOKS_AHEAD];
} rx;

static bool
arm(const struct shim_rx *queue, const struct shim_mbufs *mbufs, bool sure)
{
	return mlx5_arm(queue, &rx_layout, mbufs, sure);
}

static void
park_dummy(const struct shim_rx *queue)
{
	mlx5_park_dummy(queue, &rx_layout);
}

static const struct shim_rx_ops rx_ops = { .arm = arm, .park_dummy = park_dummy };

/*
 * A batch of BATCH mbufs of which the first held ones are somebody else's too, and so many are left in
 * the pool. Nothing of the armed slots is armed twice; what the driver's function writes into beyond
 * them is nobody's.
 */
static void
refills(uint32_t start, uint16_t held, unsigned int left, uint16_t moves)
{
	struct recycle r = { .rx = { .rxq = &rxq, .pool = pool, .ops = &rx_ops, .batch = 1 } };
	struct rte_mbuf *batch[BATCH], *rest[MBUFS];
	const struct shim_mbufs mbufs = { batch, sizeof(batch[0]), BATCH };
	const unsigned int n_rest = MBUFS - BATCH - left, at = start % RING;
	const uint16_t armed = moves > 0 ? BATCH : 0;

	rxq = (struct mlx5_rx_queue){ .sizes = 6 << 12,
		.armed = start,
		.received = start,
		.doorbell = &rx.doorbell,
		.elements = rx.elements,
		.slots = rx.slots };
	memset(&rx, 0, sizeof(rx));
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, batch, BATCH), 0);
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, rest, n_rest), 0);
	for (uint16_t i = 0; i < held; i++)
		rte_mbuf_refcnt_update(batch[i], 1);

	assert_false(arm(&r.rx, &mbufs, false));
	assert_int_equal(pair_refill_mixed(&r, mbufs), moves);
	assert_int_equal(rxq.armed, start + armed);
	assert_int_equal(rx.doorbell, armed > 0 ? rte_cpu_to_be_32(start + armed) : 0);
	for (unsigned int i = 0; i < MLX5_LOOKS_AHEAD; i++)
		assert_ptr_equal(rx.slots[(at + armed) % RING + i], &rxq.fake);
	for (uint16_t i = 0; i < armed; i++) {
		assert_int_equal(rte_mbuf_refcnt_read(rx.slots[at + i]), 1);
		for (uint16_t j = 0; j < RTE_MAX(i, held); j++)
			assert_true((j >= i || rx.slots[at + i] != rx.slots[at + j]) &&
				(j >= held || rx.slots[at + i] != batch[j]));
	}
	assert_int_equal(rte_mempool_avail_count(pool), left + BATCH - held - armed);
	assert_int_equal(shim_counted(&r.count.shared), held);
	assert_int_equal(shim_counted(&r.count.topped_up), armed - moves);
	assert_int_equal(shim_counted(&r.count.freed), BATCH - held - moves);

	rte_mempool_put_bulk(pool, (void **)(rx.slots + at), armed);
	rte_pktmbuf_free_bulk(batch, held);
	rte_pktmbuf_free_bulk(rest, n_rest);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

/* The pool has one for each that is missing, all but one, or none. */
TEST(refill_from_a_dry_pool)
{
	static const uint32_t from[] = { 0, RING - BATCH, UINT32_MAX - BATCH + 1 };

	for (size_t i = 0; i < ARRAY_SIZE(from); i++)
		for (uint16_t held = 1; held < BATCH; held++) {
			refills(from[i], held, held, BATCH - held);
			refills(from[i], held, held - 1, 0);
			refills(from[i], held, 0, 0);
		}
	refills(0, BATCH, BATCH, 0);
}

/* An empty receive queue of mlx5, which is armed from its first slot on. */
static struct recycle
empty_rx(void)
{
	memset(&rx, 0, sizeof(rx));
	rxq = (struct mlx5_rx_queue){ .sizes = 6 << 12,
		.doorbell = &rx.doorbell,
		.elements = rx.elements,
		.slots = rx.slots };
	return (struct recycle){ .rx = { .rxq = &rxq, .pool = pool, .ops = &rx_ops, .batch = 1 } };
}

/* What was sent and is not armed goes to the pool, and is counted: what has no room, ... */
TEST(frees_beyond_the_room)
{
	for (uint16_t room = 0; room <= BATCH; room++) {
		struct recycle r = empty_rx();
		struct rte_mbuf *batch[BATCH];
		const struct shim_mbufs mbufs = { batch, sizeof(batch[0]), BATCH };

		assert_int_equal(rte_pktmbuf_alloc_bulk(pool, batch, BATCH), 0);
		assert_int_equal(pair_move(&r, mbufs, room), room);
		assert_int_equal(shim_counted(&r.count.freed), BATCH - room);
		assert_int_equal(rte_mempool_in_use_count(pool), room);
		rte_mempool_put_bulk(pool, (void **)rx.slots, room);
	}
}

/* ... and segments beyond as many as there are packets. */
TEST(frees_further_segments)
{
	struct recycle r = empty_rx();
	struct rte_mbuf *batch[BATCH], *second[BATCH];
	const struct shim_mbufs mbufs = { batch, sizeof(batch[0]), BATCH };

	r.tx.packets = true;
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, batch, BATCH), 0);
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, second, BATCH), 0);
	for (unsigned int i = 0; i < BATCH; i++)
		assert_int_equal(rte_pktmbuf_chain(batch[i], second[i]), 0);
	assert_int_equal(pair_refill_mixed(&r, mbufs), BATCH);
	assert_int_equal(shim_counted(&r.count.freed), BATCH);
	assert_int_equal(rte_mempool_in_use_count(pool), BATCH);
	rte_mempool_put_bulk(pool, (void **)rx.slots, BATCH);
}

TESTS(.setup = group_setup, .teardown = group_teardown);
