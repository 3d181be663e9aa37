/* GSO: what large packets are cut into, byte by byte, which stay whole, and that counts and mbufs
 * add up. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/csum_gso.h"

#include "fixtures/csum_fixture.h"
#include "fixtures/csum_frames.h"

#include <stdio.h>
#include <stdlib.h>

enum { GSO_FAILED = 6 };

/* head: the words before layer 4; l4: tcp..., or udp..., whose pieces are IP fragments. */
struct cut {
	const char *head, *l4;
	unsigned int payload, segsz;
};

static const struct cut cuts[] = {
	{ "eth ip4", "tcp", 3000, 1514 },
	{ "eth ip4", "tcp", 1461, 1514 },
	{ "eth ip4", "tcp", 2920, 1514 },
	{ "eth ip4", "tcp", 2921, 1514 },
	{ "eth ip4", "tcp", 4, 55 },
	{ "eth ip4", "tcp", 9000, 155 },
	{ "eth qinq vlan ip4o", "tcpo", 3000, 1514 },
	{ "eth ip4", "udp", 3000, 1514 },
	{ "eth ip4", "udp0", 1473, 1514 },
	{ "eth vlan ip4o", "udp", 500, 200 },
	{ "eth ip4 udp vxlan eth ip4", "tcp", 4000, 1514 },
	{ "eth ip4 udp0 vxlan eth vlan ip4o", "tcpo", 4000, 1514 },
	{ "eth ip4 udp vxlan eth ip4", "udp", 4000, 1514 },
	{ "eth ip4 gre ip4", "tcp", 4000, 1514 },
	{ "eth vlan ip4 nvgre eth ip4", "tcpo", 4000, 1514 },
};

/* What is not cut, though longer than 200 bytes. */
static const char *const whole[] = {
	"eth ip6 tcp 500",
	"eth ip4mf tcp 500",
	"eth ip4off udp 500",
	"eth ip4 sctp 500",
	"eth ip4 icmp 500",
	"eth ip4 500",
	"eth ip4 tcp pad500",
	"eth ip4 udps 500",
	"eth ip4 udp vxlan eth ip6 tcp 500",
	"eth ip6 udp vxlan eth ip4 tcp 500",
	"eth ip4 udp geneve eth ip4 tcp 500",
	"eth ip4 grec ip4 tcp 500",
	"eth ip4 gre ip4 udp 500",
	"eth ip4 ip4 tcp 500",
	"eth arp pad500",
};

static struct frame piece;

static struct stream *
cutter_from(struct rte_mempool *pool, unsigned int segsz, const struct stream_csum *csum)
{
	struct stream *s = engine_fixture_stream(&engine_csum);
	char word[12];

	s->pool = pool;
	snprintf(word, sizeof(word), "%u", segsz);
	engine_fixture_set("gso-segsz", word);
	s->tx_end.csum = *csum;
	s->tx_end.csum.gso = true;
	engine_fixture_begin(s);
	engine_fixture_reset("gso-segsz");
	return s;
}

static struct stream *
cutter(unsigned int segsz, const struct stream_csum *csum)
{
	return cutter_from(engine_fixture_pool, segsz, csum);
}

static void
take(const char *line)
{
	struct rte_mbuf *m = engine_fixture_take();

	if (m == NULL)
		fail_msg("%s: no more packets", line);
	assert_int_equal(m->pkt_len, piece.n);
	assert_int_equal(m->ol_flags & (RTE_MBUF_F_EXTERNAL | RTE_MBUF_F_INDIRECT), 0);
	for (const struct rte_mbuf *next = m->next; next != NULL; next = next->next)
		assert_int_not_equal(next->data_len, 0);
	csum_fixture_expect(m, piece.right, line);
}

/* Where the last IP header, the one that is cut, begins. */
static unsigned int
last_ip(const struct frame *f, const char *head)
{
	unsigned int n = 0;

	for (const char *p = head; (p = strstr(p, "ip4")) != NULL; p++)
		n++;
	return frame_off(f, strstr(head, "ip4o") != NULL ? "ip4o" : "ip4",
		strstr(head, "ip4o") != NULL ? 0 : n - 1);
}

/* Expect the pieces of a TCP packet. */
static void
take_tcp(const struct frame *f, const struct cut *c, unsigned int unit)
{
	unsigned int headers = f->n - c->payload, tcp = frame_off(f, c->l4, 0);

	for (unsigned int at = 0, i = 0; at < c->payload; at += unit, i++) {
		unsigned int n = RTE_MIN(unit, c->payload - at);
		char line[128];

		snprintf(line, sizeof(line), "%s %s %u", c->head, c->l4, n);
		frame_build(&piece, line, true);
		memcpy(piece.wrong + headers, f->wrong + headers + at, n);
		frame_put16(piece.wrong + tcp + 6, frame_get16(f->wrong + tcp + 6) + at);
		if (at + n == c->payload)
			piece.wrong[tcp + 13] |= 0x09;
		frame_put16(piece.wrong + last_ip(f, c->head) + 4, 0x1234 + i);
		if (strstr(c->head, " ip4 ") != NULL) /* a tunnel's outer header */
			frame_put16(piece.wrong + frame_off(f, "ip4", 0) + 4, 0x1234 + i);
		frame_correct(&piece, true);
		take(line);
	}
}

/* Expect the fragments of a UDP packet, which is right before it is cut. */
static void
take_udp(const struct frame *f, const struct cut *c, unsigned int unit)
{
	unsigned int ip = last_ip(f, c->head),
		     udp = frame_off(f, c->l4, strstr(c->head, c->l4) != NULL);

	unit &= ~7u;
	for (unsigned int at = 0, i = 0; udp + at < f->n; at += unit, i++) {
		unsigned int n = RTE_MIN(unit, f->n - udp - at);
		bool more = udp + at + n < f->n;
		char line[128];

		snprintf(line, sizeof(line), "%s %u", c->head, n);
		frame_build(&piece, line, true);
		memcpy(piece.wrong + udp, f->right + udp + at, n);
		piece.wrong[ip + 9] = 17;
		frame_put16(piece.wrong + ip + 6, at / 8 | (more ? 0x2000 : 0));
		if (strstr(c->head, " ip4 ") != NULL)
			frame_put16(piece.wrong + frame_off(f, "ip4", 0) + 4, 0x1234 + i);
		frame_correct(&piece, true);
		take(line);
	}
}

TEST(pieces)
{
	struct frame *f = &csum_fixture_frame;

	for (unsigned int i = 0; i < 6 * ARRAY_SIZE(cuts); i++) {
		const struct cut *c = &cuts[i / 6];
		unsigned int padding = i % 3 == 1 ? 3 : 0;
		struct stream *s = cutter(c->segsz, &(struct stream_csum){ .parse_tunnel = true });
		struct rte_mbuf *m;
		unsigned int headers;
		char line[128];

		snprintf(line, sizeof(line), "%s %s %u pad%u", c->head, c->l4, c->payload, padding);
		frame_build(f, line, true);
		headers = f->end - c->payload;
		if (c->l4[0] == 't')
			f->wrong[headers - 7 - (strcmp(c->l4, "tcpo") == 0 ? 12 : 0)] |= 0x09;
		/* Headers alone in the first segment is a case of its own. */
		m = i % 2 != 0 ? csum_fixture_packet(f->wrong, f->n, i % 3 == 2 ? headers : f->n, 0)
			       : csum_fixture_direct(f->wrong, f->n, i % 3 == 2 ? headers : f->n);
		assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
		engine_fixture_poll(s);
		f->n = f->end;
		if (c->l4[0] == 't')
			take_tcp(f, c, c->segsz - headers);
		else
			take_udp(f, c, c->segsz - headers + 8);
		assert_null(engine_fixture_take());
		assert_int_equal(counter_read(&s->count.tx), counter_read(&s->count.made) + 1);
		engine_fixture_end(s);
	}
}

/* What needs no cutting, or cannot be cut, goes out whole and right. */
TEST(wholes)
{
	struct frame *f = &csum_fixture_frame;
	struct stream *s = cutter(200, &(struct stream_csum){ .parse_tunnel = true });

	for (unsigned int i = 0; i < ARRAY_SIZE(whole); i++) {
		frame_build(f, whole[i], true);
		csum_fixture_round(s, f->n, 0, whole[i]);
		csum_fixture_round(s, 30, 0, whole[i]);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(csum_frames); i++) {
		frame_build(f, csum_frames[i], true);
		if (f->n <= 200)
			csum_fixture_round(s, f->n, 0, csum_frames[i]);
	}
	engine_fixture_end(s);
	/* Headers take all of the segment, or all but less than a fragment's 8 bytes. */
	s = cutter(66, &(struct stream_csum){ 0 });
	frame_build(f, "eth ip4 tcpo 500", true);
	csum_fixture_round(s, f->n, 0, "no room");
	frame_build(f, "eth vlan ip4o udp 500", true);
	csum_fixture_round(s, f->n, 0, "no room");
	frame_build(f, "eth vlan ip4o tcpo 500", true);
	csum_fixture_round(s, f->n, 0, "no room");
	engine_fixture_end(s);
}

/*
 * Headers that mbufs of the pool have no room for; something behind the inner packet that is not
 * its padding.
 */
TEST(no_room)
{
	struct rte_mempool *pool = rte_pktmbuf_pool_create("small", 63, 0, 0,
		RTE_PKTMBUF_HEADROOM + 48, SOCKET_ID_ANY);
	struct frame *f = &csum_fixture_frame;
	struct rte_mbuf *m;
	struct stream *s;
	unsigned int ip;

	assert_non_null(pool);
	s = cutter_from(pool, 1514, &(struct stream_csum){ 0 });
	frame_build(f, "eth ip4 tcp 2000", false);
	csum_fixture_round(s, f->n, 0, "small mbufs");
	engine_fixture_end(s);
	rte_mempool_free(pool);

	s = cutter(200, &(struct stream_csum){ .parse_tunnel = true });
	frame_build(f, "eth ip4 udp0 vxlan eth ip4 tcp 500", true);
	ip = frame_off(f, "ip4", 1);
	frame_put16(f->wrong + ip + 2, frame_get16(f->wrong + ip + 2) - 10);
	m = csum_fixture_pass(s, csum_fixture_packet(f->wrong, f->n, f->n, 0));
	assert_int_equal(frame_fold(frame_sum(csum_fixture_copy(m) + ip, 20, 0)), 0xffff);
	rte_pktmbuf_free(m);
	engine_fixture_end(s);
}

/* Hardware sums up what software cut. */
TEST(by_hardware)
{
	struct frame *f = &csum_fixture_frame;
	struct stream *s = cutter(1514,
		&(struct stream_csum){ .ip_hw = true, .tcp_hw = true, .udp_hw = true });
	struct rte_mbuf *m;

	for (unsigned int udp = 0; udp < 2; udp++) {
		frame_build(f, udp ? "eth ip4 udp 2000" : "eth ip4 tcp 2000", false);
		engine_fixture_put(f->wrong, f->n, 0);
		engine_fixture_poll(s);
		while ((m = engine_fixture_take()) != NULL) {
			assert_int_equal(m->ol_flags,
				RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM |
					(udp ? 0 : RTE_MBUF_F_TX_TCP_CKSUM));
			assert_int_equal(m->l2_len, 14);
			assert_int_equal(m->l3_len, 20);
			rte_pktmbuf_free(m);
		}
	}
	assert_int_equal(counter_read(&s->count.tx), 4);
	engine_fixture_end(s);
}

/* More pieces than a burst, than the array, than the port takes, than the pool has. */
TEST(many)
{
	struct frame *f = &csum_fixture_frame;

	frame_build(f, "eth ip4 tcp 10000", false);
	for (unsigned int packets = 3; packets <= 12; packets += 9) {
		struct stream *s = cutter(100, &(struct stream_csum){ 0 });

		s->record = STREAM_RECORD_BURSTS;
		for (unsigned int i = 0; i < packets; i++)
			engine_fixture_put(f->wrong, f->n, 0);
		engine_fixture_poll(s);
		assert_int_equal(counter_read(&s->count.tx) + counter_read(&s->count.tx_dropped),
			packets * 218);
		assert_true(counter_read(&s->tx_bursts.cell[BURST_MAX]) > 0);
		assert_int_equal(counter_read(&s->count.named[GSO_FAILED]), 0);
		engine_fixture_end(s);
	}
}

/* No room is none: whole or cut, nothing is written behind the array's end. */
TEST(no_room_left)
{
	struct frame *f = &csum_fixture_frame;
	struct stream *s = cutter(200, &(struct stream_csum){ 0 });
	struct csum_gso gso;

	assert_int_equal(csum_gso_init(&gso, s, 200, NULL), 0);
	for (unsigned int i = 0; i < 2; i++) {
		struct rte_mbuf *out = NULL, *m;

		frame_build(f, i == 0 ? "eth ip4 tcp 20" : "eth ip4 tcp 500", true);
		m = csum_fixture_packet(f->wrong, f->n, f->n, 0);
		assert_int_equal(csum_gso_cut(&gso, s, m, &out, 0), 0);
		assert_null(out);
		rte_pktmbuf_free(m);
	}
	engine_fixture_end(s);
}

/*
 * A burst whose segments fill the array to its last place, and packets behind them: none is lost.
 */
TEST(to_the_brim)
{
	enum { LARGE = 16, CUTS = CSUM_GSO_SEGMENTS / LARGE };
	struct rte_mempool *pool = rte_pktmbuf_pool_create("many", 8191, 0, 0,
		RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	struct stream *s;

	assert_non_null(pool);
	s = cutter_from(pool, 54 + 8192 / CUTS, &(struct stream_csum){ 0 });
	for (unsigned int i = 0; i < 32; i++) {
		frame_build(&csum_fixture_frame, i < LARGE ? "eth ip4 tcp 8192" : "eth ip4 tcp 20",
			0);
		engine_fixture_put(csum_fixture_frame.wrong, csum_fixture_frame.n, 0);
	}
	engine_fixture_poll(s);
	assert_int_equal(counter_read(&s->count.named[GSO_FAILED]), 0);
	assert_int_equal(counter_read(&s->count.tx) + counter_read(&s->count.tx_dropped),
		CSUM_GSO_SEGMENTS + 16);
	engine_fixture_end(s);
	assert_true(rte_mempool_full(pool));
	rte_mempool_free(pool);
}

TEST(failures)
{
	struct frame *f = &csum_fixture_frame;
	struct rte_mbuf *rest[ENGINE_FIXTURE_MBUFS];
	unsigned int n;

	for (unsigned int i = 0; i < 2; i++) {
		struct stream *s = cutter(i == 0 ? 55 : 1514, &(struct stream_csum){ 0 });

		frame_build(f, "eth ip4 tcp 9000", false);
		engine_fixture_put(f->wrong, f->n, 0);
		for (n = 0; i == 1 && (rest[n] = rte_pktmbuf_alloc(engine_fixture_pool)) != NULL;)
			n++;
		engine_fixture_poll(s);
		if (n > 0)
			rte_pktmbuf_free_bulk(rest, n);
		assert_null(engine_fixture_take());
		assert_int_equal(counter_read(&s->count.named[GSO_FAILED]), 1);
		assert_int_equal(counter_read(&s->count.absorbed), 1);
		engine_fixture_end(s);
	}
}

TEST(refusals)
{
	struct rte_pktmbuf_extmem memory = { .buf_len = 16384, .elt_size = 2048 };
	struct stream *s = engine_fixture_stream(&engine_csum);
	struct rte_mempool *pool;

	s->tx_end.csum.gso = true;
	s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	assert_int_equal(engine_fixture_refusal(s).code, ENOTSUP);
	memory.buf_ptr = aligned_alloc(4096, memory.buf_len);
	memory.buf_iova = (rte_iova_t)(uintptr_t)memory.buf_ptr;
	pool = rte_pktmbuf_pool_create_extbuf("pinned", 7, 0, 0, 2048, SOCKET_ID_ANY, &memory, 1);
	assert_non_null(pool);
	s = engine_fixture_stream(&engine_csum);
	s->tx_end.csum.gso = true;
	s->pool = pool;
	assert_int_equal(engine_fixture_refusal(s).code, ENOTSUP);
	rte_mempool_free(pool);
	free(memory.buf_ptr);
}

TESTS(.setup = csum_fixture_open, .teardown = engine_fixture_close);
