/* Rings of net_virtio in plain memory, so that paths which its driver takes on few machines are tested
 * on all: packed rings over and over their end, packets of several descriptors, a backend that lies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/eal.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/virtio/virtio.h"
#include "pmd_shims/recycle/virtio/virtio_rx.h"
#include "pmd_shims/recycle/virtio/virtio_tx.h"

#include <rte_mbuf.h>

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

enum {
	PACKED = 80, /* descriptors, no multiple of a batch, so that the end is anywhere in one */
	DESCS_MAX = 3,
	SPLIT = 128,
	ROUNDS = 4 * PACKED,
	HEADER = 12,
	PORT = 3,
	AVAIL = 1 << VRING_PACKED_DESC_F_AVAIL,
	USED = 1 << VRING_PACKED_DESC_F_USED
};

/* The driver's queue and device. */
struct device {
	uint16_t header;
	uint8_t started, weak;
};

static struct queue {
	struct device *hw;
	void *desc, *used;
	bool wrap;
	uint16_t flags, used_next, size, open, avail_next, head, tail, address;
	/* What the wrap counter and the flags are in one round, for layouts that are wrong. */
	bool wrap_once;
	uint16_t flags_once;
	struct virtio_entry entries[SPLIT];
} vq;

#define FIELD(field) .field = offsetof(struct queue, field)
#define DEVICE_FIELD(field) .field = offsetof(struct device, field)

static const struct virtio_layout layout = { FIELD(hw), FIELD(desc), FIELD(used), FIELD(wrap),
	FIELD(flags), FIELD(used_next), FIELD(size), FIELD(open), FIELD(avail_next), FIELD(head),
	FIELD(tail), FIELD(address), FIELD(entries), DEVICE_FIELD(header), DEVICE_FIELD(started),
	DEVICE_FIELD(weak) };

static struct device device = { .header = HEADER, .started = 1, .weak = 1 };
static alignas(16) union {
	struct vring_packed_desc packed[PACKED];
	struct vring_desc split[SPLIT];
} ring;
/* Read and written as one type, or the compiler may read before it writes. */
static union {
	struct vring_used used;
	uint8_t bytes[sizeof(struct vring_used) + SPLIT * sizeof(struct vring_used_elem)];
} backend;
static alignas(RTE_CACHE_LINE_SIZE) struct rte_mbuf mbufs[SPLIT];
static struct rte_mbuf *list[SPLIT];

static const struct shim_tx tx = { .txq = &vq, .list = list };

static void
begin(uint16_t size)
{
	memset(&ring, 0, sizeof(ring));
	memset(&backend, 0, sizeof(backend));
	vq = (struct queue){ .hw = &device,
		.desc = &ring,
		.used = &backend,
		.wrap = true,
		.flags = AVAIL,
		.size = size,
		.open = size,
		.address = offsetof(struct rte_mbuf, buf_addr) };
}

/* Descriptors of a packet, by its number. */
static uint16_t
descs_of(unsigned int i)
{
	return 1 + i % DESCS_MAX;
}

/* Send a packet by a packed ring, as the driver does. Returns its name. */
static uint16_t
packed_send(struct rte_mbuf *m, uint16_t descs)
{
	const uint16_t name = vq.avail_next;

	assert_true(descs <= vq.open);
	vq.entries[name] = (struct virtio_entry){ .mbuf = m, .n_desc = descs };
	for (uint16_t i = 0; i < descs; i++) {
		ring.packed[vq.avail_next].id = name;
		ring.packed[vq.avail_next].flags = vq.flags;
		if (++vq.avail_next == PACKED) {
			vq.avail_next = 0;
			vq.flags ^= AVAIL | USED;
		}
	}
	vq.open -= descs;
	return name;
}

/* The backend has done with a burst of packets: it marks where they begin; last: the last one's name. */
static void
packed_use(uint16_t first, uint16_t last)
{
	ring.packed[first].id = last;
	ring.packed[first].flags = (ring.packed[first].flags & AVAIL) != 0 ? AVAIL | USED : 0;
}

/* Send bursts of so many packets while the ring has room, then let the backend use them. */
static void
packed_send_and_use(unsigned int burst, bool several, unsigned int *sent)
{
	uint16_t first[PACKED], last[PACKED], n = 0;

	for (; vq.open >= burst * (several ? DESCS_MAX : 1); n++)
		for (unsigned int i = 0; i < burst; i++, ++*sent) {
			last[n] = packed_send(&mbufs[*sent % SPLIT], several ? descs_of(*sent) : 1);
			if (i == 0)
				first[n] = last[n];
		}
	assert_int_equal(virtio_sent_packed(&tx, &layout).n, 0);
	for (uint16_t i = 0; i < n; i++)
		packed_use(first[i], last[i]);
}

/*
 * Packets by a packed ring that ends anywhere, in bursts: nothing is sent before it was used, then
 * all of it in order and once, but for what makes no batch.
 */
TEST(packed_sent_over_the_end)
{
	for (unsigned int k = 0; k < 2 * 5; k++) {
		const unsigned int burst = 1u << k / 2;
		unsigned int out = 0, got = 0;

		begin(PACKED);
		for (unsigned int round = 0; round < ROUNDS; round++) {
			struct shim_mbufs sent;
			unsigned int waiting = 0;

			packed_send_and_use(burst, k % 2 == 1, &out);
			while ((sent = virtio_sent_packed(&tx, &layout)).n > 0)
				for (uint16_t i = 0; i < sent.n; i++, got++)
					assert_ptr_equal(shim_mbuf(&sent, i), &mbufs[got % SPLIT]);
			for (unsigned int i = got; i < out; i++)
				waiting += k % 2 == 1 ? descs_of(i) : 1;
			assert_true(waiting < VIRTIO_BATCH);
			assert_int_equal(vq.open, PACKED - waiting);
			assert_int_equal((vq.used_next + waiting) % PACKED, vq.avail_next);
			assert_int_equal(vq.wrap,
				((vq.flags & AVAIL) != 0) == (vq.used_next <= vq.avail_next));
		}
		assert_true(got >= ROUNDS * burst);
	}
}

/* Batches armed in a packed ring that ends anywhere: each descriptor has the flags of its time around. */
TEST(packed_armed_over_the_end)
{
	struct rte_mbuf *batch[VIRTIO_BATCH];
	const struct shim_mbufs from = { batch, sizeof(batch[0]), VIRTIO_BATCH };
	const struct shim_rx rx = { .rxq = &vq, .port = PORT };
	uint16_t flags = AVAIL, at = 0;

	begin(PACKED);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < VIRTIO_BATCH; i++) {
			batch[i] = &mbufs[(i + round) % SPLIT];
			*batch[i] = (struct rte_mbuf){ .buf_addr = &mbufs[i],
				.buf_len = RTE_MBUF_DEFAULT_BUF_SIZE,
				.refcnt = 1,
				.nb_segs = 1 };
		}
		assert_true(virtio_arm_packed(&rx, &layout, &from, false));
		for (unsigned int i = 0; i < VIRTIO_BATCH; i++) {
			assert_int_equal(ring.packed[at].flags, flags);
			assert_int_equal(ring.packed[at].addr,
				(uintptr_t)&mbufs[i] + RTE_PKTMBUF_HEADROOM - HEADER);
			assert_int_equal(ring.packed[at].len, RTE_MBUF_DEFAULT_DATAROOM + HEADER);
			assert_ptr_equal(vq.entries[at].mbuf, batch[i]);
			assert_int_equal(batch[i]->port, PORT);
			if (++at == PACKED) {
				at = 0;
				flags ^= AVAIL | USED;
			}
		}
		assert_int_equal(vq.avail_next, at);
		assert_int_equal(vq.flags, flags);
		assert_int_equal(vq.open, PACKED - VIRTIO_BATCH);
		vq.open += VIRTIO_BATCH; /* as if received */
	}
}

static void
split_begin(void)
{
	begin(SPLIT);
	vq.tail = SPLIT - 1;
	for (uint16_t i = 0; i < SPLIT; i++)
		ring.split[i].next = i + 1 < SPLIT ? i + 1 : VIRTIO_NO_DESC;
}

/* Send a packet by a split ring, as the driver does. Returns its name. */
static uint16_t
split_send(struct rte_mbuf *m, uint16_t descs)
{
	const uint16_t name = vq.head;
	uint16_t at = name;

	assert_true(descs <= vq.open);
	vq.entries[name] = (struct virtio_entry){ .mbuf = m, .n_desc = descs };
	for (uint16_t i = 0; i < descs; i++) {
		at = vq.head;
		ring.split[at].flags = i + 1 < descs ? VRING_DESC_F_NEXT : 0;
		vq.head = ring.split[at].next;
	}
	if (vq.head == VIRTIO_NO_DESC)
		vq.tail = VIRTIO_NO_DESC;
	vq.open -= descs;
	return name;
}

static void
split_use(uint16_t name)
{
	struct vring_used *used = &backend.used;

	used->ring[used->idx++ % SPLIT].id = name;
}

/* The free descriptors are a chain of as many as there are open ones, each once. */
static void
split_chain_is(uint16_t open)
{
	bool seen[SPLIT] = { false };
	uint16_t at = vq.head, last = VIRTIO_NO_DESC, n = 0;

	assert_int_equal(vq.open, open);
	for (; at != VIRTIO_NO_DESC; last = at, at = ring.split[at].next, n++) {
		assert_true(at < SPLIT && !seen[at]);
		seen[at] = true;
	}
	assert_int_equal(n, open);
	assert_int_equal(vq.tail, last);
}

/* Packets of one to three descriptors, used in another order than they were sent in. */
TEST(split_sent_out_of_order)
{
	split_begin();
	for (unsigned int round = 0; round < ROUNDS; round++) {
		uint16_t names[VIRTIO_BATCH];
		struct shim_mbufs sent;

		for (unsigned int i = 0; i < VIRTIO_BATCH; i++)
			names[i] = split_send(&mbufs[i], descs_of(i + round));
		assert_int_equal(virtio_sent_split(&tx, &layout).n, 0);
		for (unsigned int i = 0; i < VIRTIO_BATCH; i++)
			split_use(names[i * 7 % VIRTIO_BATCH]);
		sent = virtio_sent_split(&tx, &layout);
		assert_int_equal(sent.n, VIRTIO_BATCH);
		for (unsigned int i = 0; i < VIRTIO_BATCH; i++)
			assert_ptr_equal(shim_mbuf(&sent, i), &mbufs[i * 7 % VIRTIO_BATCH]);
		split_chain_is(SPLIT);
	}
}

/* A backend that names a packet twice gets its descriptors free, and its mbufs handed out, once. */
TEST(split_named_twice)
{
	for (uint16_t descs = 1; descs <= DESCS_MAX; descs++) {
		uint16_t names[VIRTIO_BATCH];

		split_begin();
		for (unsigned int i = 0; i < VIRTIO_BATCH; i++)
			names[i] = split_send(&mbufs[i], descs);
		for (unsigned int i = 0; i < VIRTIO_BATCH - 1; i++)
			split_use(names[i]);
		split_use(names[VIRTIO_BATCH - 2]);
		assert_int_equal(virtio_sent_split(&tx, &layout).n, VIRTIO_BATCH - 1);
		split_chain_is(SPLIT - descs);
	}
}

/*
 * The proof of a packed ring's layout. Its wrap counter and its flags have one value in one round of
 * the ring and another one in the next, so a wrong field may look right for a whole round.
 */

enum { ARMED = 2 * VIRTIO_BATCH, STEP = VIRTIO_BATCH / 2 };

static struct rte_mempool *pool;
static struct rte_mbuf *pool_mbufs[ARMED];

/* The driver arms or sends n descriptors, with mbufs of the pool. */
static void
proof_arm(uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = pool_mbufs[vq.avail_next % ARMED];

		ring.packed[vq.avail_next].addr = virtio_address(m, vq.address, HEADER);
		packed_send(m, 1);
	}
}

/* The driver takes n descriptors back, which the backend has used. */
static void
proof_use(uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		vq.entries[vq.used_next].mbuf = NULL;
		if (++vq.used_next == PACKED) {
			vq.used_next = 0;
			vq.wrap = !vq.wrap;
		}
		vq.open++;
	}
}

/* A queue in one of its rounds, and a proof that has seen nothing yet; way 0: receive, 1: transmit. */
static void
proof_begin(unsigned int way, bool round)
{
	begin(PACKED);
	vq.wrap = vq.wrap_once = round;
	vq.flags = (round ? AVAIL : USED) | (way == 0 ? VRING_DESC_F_WRITE : 0);
	vq.flags_once = vq.flags;
}

/* The proof's next step, by the layout l. */
static enum shim_proof
proof_step(unsigned int way, struct shim_rx *rx, struct shim_tx *sent,
	const struct virtio_layout *l)
{
	rx->layout = sent->layout = l;
	return way == 0 ? virtio_packed_rx_ops.prove(rx) : virtio_packed_tx_ops.prove(sent);
}

#define PROOF_RX \
	{ \
		.rxq = &vq, .pool = pool, .seen = UINT16_MAX \
	}
#define PROOF_TX \
	{ \
		.txq = &vq, .ops = &virtio_packed_tx_ops, .seen = UINT16_MAX, .total = PACKED \
	}

/* The right layout: not proved before both indexes were in both rounds, and proved at once then. */
TEST(packed_proof_asks_two_rounds)
{
	for (unsigned int k = 0; k < 4; k++) {
		struct shim_rx rx = PROOF_RX;
		struct shim_tx sent = PROOF_TX;
		const bool round = k / 2;
		bool both = false;

		proof_begin(k % 2, round);
		proof_arm(ARMED - STEP);
		for (unsigned int step = 0; step < ROUNDS / STEP; step++) {
			both = both || vq.wrap != round; /* the armed index is ahead */
			proof_arm(STEP);
			assert_int_equal(proof_step(k % 2, &rx, &sent, &layout),
				both ? SHIM_AGREED : SHIM_NOTHING_NEW);
			proof_use(STEP);
		}
	}
}

/*
 * A layout that is right in one round is never proved: the wrap counter from the first round on, while
 * the used index is behind; the flags from where the armed index is a round ahead.
 */
TEST(packed_proof_of_one_round)
{
	static const struct {
		const char *what;
		uint16_t wrap, flags;
		uint16_t before; /* descriptors armed before the proof begins */
	} rows[] = {
		{ "wrap", offsetof(struct queue, wrap_once), offsetof(struct queue, flags), 0 },
		{ "flags", offsetof(struct queue, wrap), offsetof(struct queue, flags_once),
			3 * STEP },
	};

	for (unsigned int k = 0; k < 4 * ARRAY_SIZE(rows); k++) {
		struct shim_rx rx = PROOF_RX;
		struct shim_tx sent = PROOF_TX;
		struct virtio_layout wrong = layout;
		enum shim_proof last = SHIM_NOTHING_NEW;
		unsigned int step;

		wrong.wrap = rows[k / 4].wrap;
		wrong.flags = rows[k / 4].flags;
		proof_begin(k % 2, k / 2 % 2);
		proof_arm(ARMED - STEP);
		for (uint16_t n = 0; n < rows[k / 4].before; n += STEP) {
			proof_arm(STEP);
			proof_use(STEP);
		}
		vq.flags_once = vq.flags;
		for (step = 0; step < ROUNDS / STEP && last == SHIM_NOTHING_NEW; step++) {
			proof_arm(STEP);
			last = proof_step(k % 2, &rx, &sent, &wrong);
			proof_use(STEP);
		}
		print_message("# %s, way %u, round %u: %u steps\n", rows[k / 4].what, k % 2,
			k / 2 % 2, step);
		assert_int_equal(last, SHIM_WRONG);
	}
}

static int
setup(void **state)
{
	if (eal_open("64", "0", "") != 0)
		return -1;
	pool = rte_pktmbuf_pool_create("proof", ARMED, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	return pool != NULL ? rte_pktmbuf_alloc_bulk(pool, pool_mbufs, ARMED) : -1;
}

TESTS(.setup = setup, .teardown = eal_close);
