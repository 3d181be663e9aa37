/* Checksums, tags and segments, on packets that another program made. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <string.h>

enum { L2 = 14, IPV4 = 20, IPV6 = 40, TCP = 20, ROOM = 20000, LEFT_MAX = 16 };

/* By scapy 2.5: 192.0.2.1 to 198.51.100.7, "hello". */
static const uint8_t udp4[] = { 0x02, 0, 0, 0, 0, 0x02, 0x02, 0, 0, 0, 0, 0x01, 0x08, 0, 0x45, 0, 0,
	0x21, 0, 0x01, 0, 0, 0x40, 0x11, 0x8e, 0x8f, 0xc0, 0, 0x02, 0x01, 0xc6, 0x33, 0x64, 0x07,
	0x04, 0xd2, 0, 0x50, 0, 0x0d, 0xca, 0xa3, 0x68, 0x65, 0x6c, 0x6c, 0x6f };
/* 2001:db8::1 to 2001:db8:1::7, "odd". */
static const uint8_t tcp6[] = { 0x02, 0, 0, 0, 0, 0x02, 0x02, 0, 0, 0, 0, 0x01, 0x86, 0xdd, 0x60, 0,
	0, 0, 0, 0x17, 0x06, 0x40, 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01,
	0x20, 0x01, 0x0d, 0xb8, 0, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x07, 0x04, 0xd2, 0, 0x50, 0, 0,
	0, 0x07, 0, 0, 0, 0x09, 0x50, 0x18, 0x20, 0, 0x5b, 0xb8, 0, 0, 0x6f, 0x64, 0x64 };

static uint8_t space[4 + ROOM], *const pkt = space + OFFLOAD_TAG;

/* What left. */
static struct {
	unsigned packets;
	uint32_t len[LEFT_MAX];
	uint8_t data[LEFT_MAX][2000];
} left;

static void
leave(void *to, const uint8_t *data, uint32_t len)
{
	assert_ptr_equal(to, &left);
	assert_true(left.packets < LEFT_MAX && len <= sizeof(left.data[0]));
	left.len[left.packets] = len;
	memcpy(left.data[left.packets++], data, len);
}

static void
send_one(uint32_t len, struct frame f)
{
	memset(&left, 0, sizeof(left));
	offload_send(pkt, len, &f, leave, &left);
}

static void
put16(uint8_t *p, unsigned value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static unsigned
get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static uint32_t
sum_of(const uint8_t *p, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n; i += 2)
		sum += get16(p + i);
	return sum;
}

/*
 * As a driver's prepare function leaves it: the sum of the pseudo header in the L4 field. length:
 * in it; 0 for TSO.
 */
static void
seed(uint8_t *field, const uint8_t *addresses, uint32_t bytes, unsigned protocol, uint32_t length)
{
	uint32_t sum = sum_of(addresses, bytes) + protocol + length;

	sum = (sum & 0xffff) + (sum >> 16);
	put16(field, (sum & 0xffff) + (sum >> 16));
}

static const struct frame udp4_sums = { .flags = FRAME_EOP | FRAME_IPV4 | FRAME_UDP |
		FRAME_CSUM_L3 | FRAME_CSUM_L4,
	.l2_len = L2,
	.l3_len = IPV4,
	.l4_len = 8 };

/*
 * All that is asked for, and no more, comes out as another program made it. The driver need not say
 * which IP it is, and what lies behind the IP packet is not summed.
 */
TEST(sums)
{
	static const struct {
		const uint8_t *from;
		unsigned len, flags;
	} rows[] = {
		{ udp4, sizeof(udp4), FRAME_IPV4 | FRAME_UDP | FRAME_CSUM_L3 | FRAME_CSUM_L4 },
		{ udp4, sizeof(udp4), FRAME_IPV4 | FRAME_CSUM_L3 },
		{ udp4, sizeof(udp4), FRAME_IPV4 | FRAME_UDP | FRAME_CSUM_L4 },
		{ udp4, sizeof(udp4), FRAME_UDP | FRAME_CSUM_L4 },
		{ tcp6, sizeof(tcp6), FRAME_IPV6 | FRAME_TCP | FRAME_CSUM_L4 },
		{ tcp6, sizeof(tcp6), FRAME_TCP | FRAME_CSUM_L4 },
	};

	for (unsigned i = 0; i < 14 * sizeof(rows) / sizeof(rows[0]); i++) {
		const unsigned row = i / 14, padding = i % 14, flags = rows[row].flags;
		const bool v4 = rows[row].from == udp4;

		memset(pkt, 0xee, ROOM);
		memcpy(pkt, rows[row].from, rows[row].len);
		if ((flags & FRAME_CSUM_L3) != 0)
			put16(pkt + 24, 0xdead); /* not looked at */
		if (v4 && (flags & FRAME_CSUM_L4) != 0)
			seed(pkt + 40, pkt + 26, 8, 17, 13);
		else if (!v4)
			seed(pkt + L2 + IPV6 + 16, pkt + 22, 32, 6, 23);
		send_one(rows[row].len + padding,
			(struct frame){ .flags = (uint16_t)(FRAME_EOP | flags),
				.l2_len = L2,
				.l3_len = v4 ? IPV4 : IPV6,
				.l4_len = v4 ? 8 : TCP });
		assert_int_equal(left.len[0], rows[row].len + padding);
		assert_memory_equal(left.data[0], rows[row].from, rows[row].len);
	}
}

/* UDP's 0 means that there is none. */
TEST(a_udp_sum_is_never_0)
{
	memcpy(pkt, udp4, sizeof(udp4));
	put16(pkt + 34, 0x04d2 + 0xcaa3); /* the sum goes down by as much */
	seed(pkt + 40, pkt + 26, 8, 17, 13);
	send_one(sizeof(udp4), udp4_sums);
	assert_int_equal(get16(left.data[0] + 40), 0xffff);
	assert_int_equal(offload_inspect(left.data[0], sizeof(udp4), true), FRAME_IPV4 | FRAME_UDP);
}

/*
 * None, lengths that lead out of the packet, or to headers that are too short: nothing is written.
 */
TEST(without_sense_it_leaves_as_it_is)
{
	static const struct frame rows[] = {
		{ .flags = FRAME_EOP | FRAME_IPV4 | FRAME_UDP }, /* wants nothing */
		{ .flags = FRAME_IPV4 | FRAME_CSUM_L3, .l2_len = 40, .l3_len = 20 },
		{ .flags = FRAME_IPV4 | FRAME_CSUM_L3, .l2_len = 14, .l3_len = 8 },
		{ .flags = FRAME_IPV4 | FRAME_CSUM_L3, .l2_len = 0, .l3_len = 20 },
		{ .flags = FRAME_CSUM_L4 | FRAME_UDP, .l2_len = 60, .l3_len = 20 },
		{ .flags = FRAME_IPV4 | FRAME_CSUM_L4, .l2_len = 14, .l3_len = 20 },
		{ .flags = FRAME_IPV4 | FRAME_TCP | FRAME_CSUM_L4, .l2_len = 14, .l3_len = 20 },
		{ .flags = FRAME_IPV4 | FRAME_CSUM_L3, .l2_len = 65535, .l3_len = 65535 },
		{ .flags = FRAME_IPV4, .mss = 100, .l2_len = 14, .l3_len = 20, .l4_len = 20 },
	};

	assert_false(offload_wanted(&rows[0]));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(pkt, udp4, sizeof(udp4));
		send_one(sizeof(udp4), rows[i]);
		assert_int_equal(left.packets, 1);
		assert_int_equal(left.len[0], sizeof(udp4));
		assert_memory_equal(left.data[0], udp4, sizeof(udp4));
	}
}

/* IPv4 and TCP headers at p for a payload of n bytes, of which byte i is i. */
static void
tcp4_make(uint8_t *p, uint32_t n)
{
	memcpy(p, udp4, L2 + IPV4);
	put16(p + 16, IPV4 + TCP + n);
	put16(p + 18, 0xffff); /* identification: runs over */
	p[23] = 6;
	memcpy(p + L2 + IPV4, tcp6 + L2 + IPV6, TCP);
	put16(p + 38, 0xffff); /* sequence number: runs over */
	put16(p + 40, 0xfff0);
	p[47] = 0x99; /* CWR, ACK, PSH, FIN */
	for (uint32_t i = 0; i < n; i++)
		p[L2 + IPV4 + TCP + i] = (uint8_t)i;
	seed(p + 50, p + 26, 8, 6, 0);
}

static const struct frame tso4 = { .flags = FRAME_IPV4 | FRAME_CSUM_L3 | FRAME_TCP | FRAME_CSUM_L4,
	.l2_len = L2,
	.l3_len = IPV4,
	.l4_len = TCP,
	.mss = 1000 };

static void
assert_segment(unsigned i, uint32_t outer, uint32_t part, uint8_t flags)
{
	const uint8_t *p = left.data[i] + outer;
	uint32_t sequence = 0xfffffff0 + i * 1000;

	assert_int_equal(left.len[i], outer + L2 + IPV4 + TCP + part);
	assert_int_equal(offload_inspect(p, left.len[i] - outer, true), FRAME_IPV4 | FRAME_TCP);
	assert_int_equal(get16(p + 16), IPV4 + TCP + part);
	assert_int_equal(get16(p + 18), (0xffff + i) & 0xffff);
	assert_int_equal(get16(p + 38) << 16 | get16(p + 40), sequence);
	assert_int_equal(p[47], flags);
	for (uint32_t k = 0; k < part; k++)
		assert_int_equal(p[L2 + IPV4 + TCP + k], (uint8_t)(i * 1000 + k));
}

TEST(tso_with_a_tag)
{
	struct frame f = tso4;

	f.flags |= FRAME_VLAN;
	f.vlan = 5;
	tcp4_make(pkt, 1500);
	send_one(54 + 1500, f);
	assert_int_equal(left.packets, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(get16(left.data[i] + 12), 0x8100);
		assert_int_equal(get16(left.data[i] + 14), 5);
		assert_int_equal(offload_inspect(left.data[i], left.len[i], true),
			FRAME_IPV4 | FRAME_TCP);
	}
}

/*
 * Ethernet, IPv4, UDP and 8 bytes of VXLAN around it: lengths, identification and sum of what is
 * outside follow.
 */
TEST(tso_in_a_tunnel)
{
	enum { OUTER = L2 + IPV4 + 8 + 8 };
	struct frame f = tso4;

	memset(pkt, 0, OUTER);
	memcpy(pkt, udp4, L2 + IPV4 + 8);
	put16(pkt + 40, 0);
	tcp4_make(pkt + OUTER, 2500);
	f.l2_len = OUTER + L2;
	f.flags |= FRAME_CSUM_OUTER;
	send_one(OUTER + 54 + 2500, f);
	assert_int_equal(left.packets, 3);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t part = i < 2 ? 1000 : 500;

		assert_segment(i, OUTER, part, i == 0 ? 0x90 : i == 1 ? 0x10 : 0x19);
		assert_int_equal(get16(left.data[i] + 16), OUTER - L2 + 54 + part);
		assert_int_equal(get16(left.data[i] + 18), 1 + i);
		assert_int_equal(get16(left.data[i] + 38), 16 + 54 + part);
		assert_int_equal(offload_inspect(left.data[i], left.len[i], true),
			FRAME_IPV4 | FRAME_UDP);
	}
}

TEST(the_outer_sum_alone)
{
	const struct frame f = { .flags = FRAME_IPV4 | FRAME_CSUM_L3 | FRAME_CSUM_OUTER,
		.l2_len = L2 + IPV4 + 16 + L2,
		.l3_len = IPV4 };

	memset(pkt, 0, ROOM);
	memcpy(pkt, udp4, L2 + IPV4 + 8);
	memcpy(pkt + 50, udp4, sizeof(udp4));
	put16(pkt + 24, 0);
	put16(pkt + 50 + 24, 0);
	send_one(50 + sizeof(udp4), f);
	assert_int_equal(get16(left.data[0] + 24), 0x8e8f);
	assert_int_equal(get16(left.data[0] + 50 + 24), 0x8e8f);
	assert_int_equal(get16(left.data[0] + 16), 0x21); /* no length changes */
}

TEST(what_comes_is_known)
{
	const unsigned v4 = FRAME_IPV4 | FRAME_UDP, v6 = FRAME_IPV6 | FRAME_TCP;
	const struct {
		const uint8_t *from;
		uint32_t len, at; /* byte at is changed, 0: none */
		unsigned flags;
	} rows[] = {
		{ udp4, sizeof(udp4), 0, v4 },
		{ udp4, sizeof(udp4) + 13, 0, v4 },
		{ udp4, sizeof(udp4), 1, v4 },
		{ udp4, sizeof(udp4), 22, v4 | FRAME_BAD_L3 }, /* time to live */
		{ udp4, sizeof(udp4), 24, v4 | FRAME_BAD_L3 },
		{ udp4, sizeof(udp4), 26, v4 | FRAME_BAD_L3 | FRAME_BAD_L4 }, /* address */
		{ udp4, sizeof(udp4), 35, v4 | FRAME_BAD_L4 },                /* port */
		{ udp4, sizeof(udp4), 46, v4 | FRAME_BAD_L4 },                /* last byte */
		{ udp4, sizeof(udp4), 20, FRAME_IPV4 | FRAME_BAD_L3 },        /* a fragment */
		{ udp4, sizeof(udp4), 23, FRAME_IPV4 | FRAME_BAD_L3 },        /* protocol */
		{ udp4, sizeof(udp4) - 1, 0, FRAME_IPV4 }, /* shorter than it says */
		{ udp4, 33, 0, 0 },
		{ udp4, 14, 0, 0 },
		{ udp4, 13, 0, 0 },
		{ udp4, sizeof(udp4), 12, 0 },
		{ tcp6, sizeof(tcp6), 0, v6 },
		{ tcp6, sizeof(tcp6), 21, v6 }, /* hop limit: in no sum */
		{ tcp6, sizeof(tcp6), 22, v6 | FRAME_BAD_L4 },
		{ tcp6, sizeof(tcp6), 76, v6 | FRAME_BAD_L4 },
		{ tcp6, sizeof(tcp6), 20, FRAME_IPV6 },
		{ tcp6, sizeof(tcp6) - 1, 0, FRAME_IPV6 },
		{ tcp6, 53, 0, 0 },
	};
	const unsigned bad = FRAME_BAD_L3 | FRAME_BAD_L4;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(pkt, 0, ROOM);
		memcpy(pkt, rows[i].from, rows[i].from == udp4 ? sizeof(udp4) : sizeof(tcp6));
		if (rows[i].at != 0)
			pkt[rows[i].at] ^= 0x10;
		if (offload_inspect(pkt, rows[i].len, true) != rows[i].flags ||
			offload_inspect(pkt, rows[i].len, false) != (rows[i].flags & ~bad))
			fail_msg("row %zu: %#x", i, offload_inspect(pkt, rows[i].len, true));
	}
}

TEST(tags_are_passed)
{
	memcpy(pkt, udp4, 12);
	put16(pkt + 12, 0x88a8);
	put16(pkt + 16, 0x8100);
	memcpy(pkt + 20, udp4 + 12, sizeof(udp4) - 12);
	assert_int_equal(offload_inspect(pkt, sizeof(udp4) + 8, true), FRAME_IPV4 | FRAME_UDP);
	assert_int_equal(offload_inspect(pkt, 20, true), 0);
}

TEST(the_right_udp_sum)
{
	memcpy(pkt, udp4, sizeof(udp4));
	put16(pkt + 40, 0); /* none is right too */
	assert_int_equal(offload_inspect(pkt, sizeof(udp4), true), FRAME_IPV4 | FRAME_UDP);
	assert_int_equal(offload_udp4_sum(pkt, sizeof(udp4)), 0xcaa3);
	put16(pkt + 40, 0x1111); /* whatever stands there */
	assert_int_equal(offload_udp4_sum(pkt, sizeof(udp4)), 0xcaa3);
}

/* Only what is shorter than the minimum gets zeros behind it, in another place. */
TEST(test_pad)
{
	static const struct {
		uint32_t len, min, padded;
	} rows[] = { { 0, 60, 60 }, { 14, 60, 60 }, { 59, 60, 60 }, { 60, 60, 60 }, { 61, 60, 61 },
		{ 14, 0, 14 }, { 14, 17, 17 } };
	uint8_t room[OFFLOAD_FRAME_MIN];

	memset(pkt, 0xa5, 64);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t len = rows[i].len;
		const uint8_t *padded;

		memset(room, 0xff, sizeof(room));
		padded = offload_pad(room, pkt, &len, rows[i].min);
		assert_int_equal(len, rows[i].padded);
		assert_ptr_equal(padded, len != rows[i].len ? room : pkt);
		for (uint32_t k = 0; k < len; k++)
			assert_int_equal(padded[k], k < rows[i].len ? 0xa5 : 0);
		for (uint32_t k = len; padded == room && k < sizeof(room); k++)
			assert_int_equal(room[k], 0xff);
	}
}
