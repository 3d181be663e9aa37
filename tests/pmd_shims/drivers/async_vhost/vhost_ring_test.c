/* A guest's ring in memory, split and packed: good buffers in order, bad ones named, broken rings left alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_ring.h"

#include "base/base.h"
#include "fixtures/unit.h"

#include <linux/virtio_ring.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 8, HIGH = 0x4000, BYTES = 0x8000, NEXT = 1, WRITE = 2, TABLE = 4 };

#define BASE UINT64_C(0x10000)
#define LAST (UINT64_MAX - 0xfff) /* a region at the very end of all addresses */

static uint8_t memory[BYTES], at_end[0x1000];
static struct vring_desc desc[SIZE];
static struct vring_packed_desc packed[SIZE];
static struct {
	uint16_t flags, idx, ring[SIZE + 1];
} avail;
static struct {
	uint16_t flags, idx;
	struct vring_used_elem ring[SIZE];
} used;
static struct rte_vhost_memory *table;
static struct vhost_ring ring;
static struct vhost_pieces pieces;
static struct vhost_buffer buffer;

/* Guest memory in two regions that are neighbours for the guest and not here, and a third one. */
static int
setup(void **state)
{
	table = calloc(1, sizeof(*table) + 3 * sizeof(table->regions[0]));
	table->nregions = 3;
	table->regions[0] = (struct rte_vhost_mem_region){ .guest_phys_addr = BASE,
		.host_user_addr = (uintptr_t)memory + HIGH,
		.size = HIGH };
	table->regions[1] = (struct rte_vhost_mem_region){ .guest_phys_addr = BASE + HIGH,
		.host_user_addr = (uintptr_t)memory,
		.size = HIGH };
	table->regions[2] = (struct rte_vhost_mem_region){ .guest_phys_addr = LAST,
		.host_user_addr = (uintptr_t)at_end,
		.size = sizeof(at_end) };
	return 0;
}

static int
teardown(void **state)
{
	free(table);
	return 0;
}

static void
begin(bool is_packed)
{
	memset(desc, 0, sizeof(desc));
	memset(packed, 0, sizeof(packed));
	memset(&avail, 0, sizeof(avail));
	memset(&used, 0, sizeof(used));
	ring = (struct vhost_ring){ .memory = table, .packed = is_packed, .vring.size = SIZE };
	if (is_packed) {
		ring.vring.desc_packed = packed;
		ring.take.wrap = ring.give.wrap = true;
	} else {
		ring.vring.desc = desc;
		ring.vring.avail = (struct vring_avail *)&avail;
		ring.vring.used = (struct vring_used *)&used;
	}
}

static bool
take(void)
{
	pieces.n = 0;
	pieces.bytes = 0;
	pieces.bad = false;
	return vhost_ring_take(&ring, &buffer, &pieces);
}

static struct vring_packed_desc
offered(bool wrap, uint64_t addr, uint32_t len, uint16_t id, uint16_t flags)
{
	return (struct vring_packed_desc){ addr, len, id,
		flags | (wrap ? 1 << VRING_PACKED_DESC_F_AVAIL : 1 << VRING_PACKED_DESC_F_USED) };
}

/* Entries of an indirect table, as a split ring has them or a packed one. */
static void
table_put(uint32_t at, unsigned int n, uint64_t addr, uint32_t len, uint16_t flags, uint16_t next)
{
	struct vring_desc d = { addr, len, flags, next };
	const struct vring_packed_desc p = { addr, len, 0, flags };

	if (ring.packed)
		memcpy(&d, &p, sizeof(p));
	/* Guest addresses from BASE on: the first region is the second half of memory. */
	memcpy(&memory[(HIGH + at + n * sizeof(d)) % BYTES], &d, sizeof(d));
}

TEST(split_chain)
{
	begin(false);
	assert_false(take());
	desc[3] = (struct vring_desc){ BASE + 100, 12, NEXT, 5 };
	desc[5] = (struct vring_desc){ BASE + HIGH - 10, 30, 0, 0 };
	avail.ring[0] = 3;
	avail.idx = 1;
	assert_true(take());
	assert_false(pieces.bad);
	assert_int_equal(buffer.id, 3);
	assert_int_equal(pieces.n, 3);
	assert_int_equal(pieces.bytes, 42);
	assert_ptr_equal(pieces.piece[0].at, &memory[HIGH + 100]);
	/* A buffer over the end of a region is two pieces. */
	assert_ptr_equal(pieces.piece[1].at, &memory[BYTES - 10]);
	assert_int_equal(pieces.piece[1].len, 10);
	assert_ptr_equal(pieces.piece[2].at, memory);
	assert_false(take());
	buffer.written = 42;
	vhost_ring_give(&ring, &buffer);
	assert_int_equal(used.idx, 0);
	vhost_ring_publish(&ring);
	assert_int_equal(used.idx, 1);
	assert_int_equal(used.ring[0].id, 3);
	assert_int_equal(used.ring[0].len, 42);
}

TEST(untaken_is_taken_again)
{
	for (int p = 0; p < 2; p++) {
		struct vhost_taken then;

		begin(p);
		desc[0] = (struct vring_desc){ BASE, 100, 0, 0 };
		avail.idx = 1;
		packed[0] = offered(true, BASE, 100, 0, 0);
		then = vhost_ring_taken(&ring);
		assert_true(take());
		assert_false(take());
		vhost_ring_untake(&ring, then);
		assert_true(take());
		assert_int_equal(pieces.bytes, 100);
	}
}

/* Around the ring three times, in buffers of three descriptors. */
TEST(packed_wraps)
{
	uint16_t at = 0;
	bool wrap = true;

	begin(true);
	for (uint16_t n = 0; n < SIZE; n++) {
		const uint16_t first = at;

		for (unsigned int i = 0; i < 3; i++) {
			packed[at] = offered(wrap, BASE + i, 10, n, i < 2 ? NEXT : 0);
			at = (at + 1) % SIZE;
			wrap = at == 0 ? !wrap : wrap;
		}
		assert_true(take());
		assert_int_equal(buffer.id, n);
		assert_int_equal(buffer.descriptors, 3);
		assert_int_equal(pieces.bytes, 30);
		assert_false(take());
		buffer.written = n;
		vhost_ring_give(&ring, &buffer);
		vhost_ring_publish(&ring);
		assert_int_equal(packed[first].len, n);
		assert_int_equal((packed[first].flags & 1 << VRING_PACKED_DESC_F_USED) != 0,
			(packed[first].flags & 1 << VRING_PACKED_DESC_F_AVAIL) != 0);
		assert_int_equal(packed[first].flags & WRITE, n > 0 ? WRITE : 0);
	}
	assert_int_equal(ring.out, 0);
}

/* The guest sees a batch at once: its first descriptor last. */
TEST(packed_batch)
{
	struct vhost_buffer both[2];

	begin(true);
	for (uint16_t n = 0; n < 2; n++) {
		packed[n] = offered(true, BASE, 10, n, 0);
		assert_true(take());
		both[n] = buffer;
	}
	for (uint16_t n = 0; n < 2; n++)
		vhost_ring_give(&ring, &both[n]);
	assert_int_equal(packed[0].flags & 1 << VRING_PACKED_DESC_F_USED, 0);
	assert_int_not_equal(packed[1].flags & 1 << VRING_PACKED_DESC_F_USED, 0);
	vhost_ring_publish(&ring);
	assert_int_not_equal(packed[0].flags & 1 << VRING_PACKED_DESC_F_USED, 0);
}

/* An indirect table in both rings, itself over the end of a region. */
TEST(tables)
{
	for (int p = 0; p < 2; p++) {
		const uint32_t at = HIGH - 24;

		begin(p);
		table_put(at, 0, BASE + 1, 10, NEXT, 1);
		table_put(HIGH, 0, BASE + 2, 20, 0, 0);
		/* The second entry: half of it before the end of the region, half after it. */
		memcpy(&memory[BYTES - 8], &memory[0], 8);
		memmove(&memory[0], &memory[8], 8);
		desc[0] = (struct vring_desc){ BASE + at, 32, TABLE, 0 };
		avail.idx = 1;
		packed[0] = offered(true, BASE + at, 32, 0, TABLE);
		assert_true(take());
		assert_false(pieces.bad);
		assert_int_equal(pieces.bytes, 30);
		assert_ptr_equal(pieces.piece[1].at, &memory[HIGH + 2]);
	}
}

/* Each is one descriptor at the head, and may have a table. */
TEST(bad_buffers)
{
	const struct {
		uint64_t addr;
		uint32_t len;
		uint16_t flags;
		struct {
			uint64_t addr;
			uint32_t len;
			uint16_t flags, next;
		} entry;
	} bad[] = {
		{ .addr = 0, .len = 100 },
		{ .addr = BASE - 1, .len = 2 },
		{ .addr = BASE + BYTES - 1, .len = 2 },
		{ .addr = BASE + BYTES, .len = 1 },
		{ .addr = UINT64_MAX - 15, .len = 100 },
		{ .addr = BASE, .len = UINT32_MAX },
		{ .addr = LAST + 0x800, .len = UINT32_MAX },
		{ .addr = 0, .len = 16, .flags = TABLE },
		{ .addr = BASE + BYTES - 8, .len = 16, .flags = TABLE },
		{ .addr = BASE, .len = 0, .flags = TABLE },
		{ .addr = BASE, .len = 15, .flags = TABLE },
		{ .addr = BASE, .len = UINT32_MAX, .flags = TABLE },
		{ .addr = BASE, .len = 16, .flags = TABLE, .entry = { BASE, 16, TABLE, 0 } },
		{ .addr = BASE, .len = 16, .flags = TABLE, .entry = { 0, 16, 0, 0 } },
	};

	for (int p = 0; p < 2; p++)
		for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
			begin(p);
			memset(memory, 0, sizeof(memory));
			table_put(0, 0, bad[i].entry.addr, bad[i].entry.len, bad[i].entry.flags,
				bad[i].entry.next);
			desc[0] = (struct vring_desc){ bad[i].addr, bad[i].len, bad[i].flags, 0 };
			avail.idx = 1;
			packed[0] = offered(true, bad[i].addr, bad[i].len, 0, bad[i].flags);
			if (!take() || !pieces.bad)
				fail_msg("%u was good, packed %d", i, p);
			/* The buffer goes back, and the ring goes on. */
			vhost_ring_give(&ring, &buffer);
			vhost_ring_publish(&ring);
			assert_null(ring.broken);
			desc[1] = (struct vring_desc){ BASE, 10, 0, 0 };
			avail.ring[1] = 1;
			avail.idx = 2;
			packed[1] = offered(true, BASE, 10, 1, 0);
			assert_true(take());
			assert_false(pieces.bad);
		}
}

/* Links of a split ring and of its tables. */
TEST(bad_links)
{
	static const uint16_t links[] = { 0, 1, SIZE, UINT16_MAX };

	for (unsigned int i = 0; i < ARRAY_SIZE(links); i++) {
		begin(false);
		desc[0] = (struct vring_desc){ BASE, 1, NEXT, links[i] };
		desc[1] = (struct vring_desc){ BASE, 1, NEXT, 0 };
		avail.idx = 1;
		assert_true(take());
		assert_true(pieces.bad);
		/* Without a byte there is no part to count. */
		begin(false);
		desc[0] = (struct vring_desc){ BASE, 0, NEXT, links[i] };
		desc[1] = (struct vring_desc){ BASE, 0, NEXT, 0 };
		avail.idx = 1;
		assert_true(take());
		assert_true(pieces.bad);
		begin(false);
		table_put(0, 0, BASE, 1, NEXT, links[i]);
		table_put(0, 1, BASE, 1, NEXT, 0);
		desc[0] = (struct vring_desc){ BASE, 32, TABLE, 0 };
		avail.idx = 1;
		assert_true(take());
		assert_true(pieces.bad);
	}
}

TEST(too_many_parts)
{
	for (int p = 0; p < 2; p++) {
		begin(p);
		for (unsigned int i = 0; i <= VHOST_PIECES; i++)
			table_put(0, i, BASE, 1, i < VHOST_PIECES ? NEXT : 0, (uint16_t)(i + 1));
		desc[0] = (struct vring_desc){ BASE, 16 * (VHOST_PIECES + 1), TABLE, 0 };
		avail.idx = 1;
		packed[0] = offered(true, BASE, 16 * (VHOST_PIECES + 1), 0, TABLE);
		assert_true(take());
		assert_true(pieces.bad);
		assert_int_equal(pieces.n, VHOST_PIECES);
	}
}

/* A ring that lost its order is left alone for good. */
TEST(broken_rings)
{
	begin(false);
	avail.ring[0] = SIZE;
	avail.idx = 1;
	assert_false(take());
	assert_non_null(ring.broken);
	avail.ring[0] = 0;
	assert_false(take());

	begin(false);
	avail.idx = SIZE + 1;
	assert_false(take());
	assert_non_null(ring.broken);

	begin(false);
	avail.idx = UINT16_MAX; /* back by one */
	assert_false(take());
	assert_non_null(ring.broken);

	/* More at a time than there are descriptors. */
	begin(false);
	for (uint16_t n = 0; n < SIZE; n++) {
		avail.idx++;
		assert_true(take());
	}
	avail.idx++;
	assert_false(take());
	assert_non_null(ring.broken);

	begin(true);
	for (unsigned int i = 0; i < SIZE; i++)
		packed[i] = offered(true, BASE, 1, 0, NEXT);
	assert_false(take());
	assert_non_null(ring.broken);
	assert_int_equal(ring.out, 0);
}

/* The ring that the library has of the guest: the linker puts this in the place of librte_vhost's. */

static struct rte_vhost_vring guests;

int __wrap_rte_vhost_get_vhost_vring(int, uint16_t, struct rte_vhost_vring *);

int
__wrap_rte_vhost_get_vhost_vring(int vid, uint16_t number, struct rte_vhost_vring *to)
{
	*to = guests;
	return 0;
}

/*
 * A ring whose parts are not aligned as virtio demands is broken before anything in it is read: the
 * bytes there are a ring with a buffer in it. All other addresses are good ones.
 */
TEST(odd_addresses)
{
	static alignas(16) uint8_t room[3][256];
	static const struct {
		bool packed;
		unsigned int desc, avail, used; /* bytes behind a multiple of 16 */
		bool good;
	} rows[] = {
		{ false, 0, 0, 0, true },
		{ false, 0, 2, 4, true },
		{ false, 1, 0, 0, false },
		{ false, 8, 0, 0, false },
		{ false, 0, 1, 0, false },
		{ false, 0, 3, 0, false },
		{ false, 0, 0, 1, false },
		{ false, 0, 0, 2, false },
		{ true, 0, 0, 0, true },
		{ true, 0, 4, 4, true },
		{ true, 1, 0, 0, false },
		{ true, 8, 0, 0, false },
		{ true, 0, 1, 0, false },
		{ true, 0, 2, 0, false },
		{ true, 0, 0, 1, false },
		{ true, 0, 0, 2, false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct vring_packed_desc one = offered(true, BASE, 1, 0, 0);
		const struct vring_desc other = { BASE, 1, 0, 0 };
		const uint16_t idx = 1;

		memset(room, 0, sizeof(room));
		guests = (struct rte_vhost_vring){ .desc = (void *)&room[0][rows[i].desc],
			.avail = (void *)&room[1][rows[i].avail],
			.used = (void *)&room[2][rows[i].used],
			.size = SIZE };
		if (rows[i].packed)
			memcpy(guests.desc, &one, sizeof(one));
		else
			memcpy(guests.desc, &other, sizeof(other));
		memcpy(&room[1][rows[i].avail + sizeof(uint16_t)], &idx, sizeof(idx));
		assert_true(vhost_ring_open(&ring, 0, 0, rows[i].packed, table));
		ring.take.wrap = ring.give.wrap = true;
		print_message("# %s: %u %u %u: %s\n", rows[i].packed ? "packed" : "split",
			rows[i].desc, rows[i].avail, rows[i].used,
			ring.broken != NULL ? ring.broken : "good");
		assert_int_equal(ring.broken == NULL, rows[i].good);
		assert_int_equal(take(), rows[i].good);
	}
}

TESTS(.setup = setup, .teardown = teardown);
