/* GRO: what is merged comes out as the packet that it was cut from, the rest as it came, and counts
 * add up. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/csum_fixture.h"

#include <stdio.h>

enum { GRO_MERGED = 4, GRO_UNSENT = 5 };

#define PART 100 /* bytes of payload of each packet that comes in */
#define PADDING 9

static struct frame part;

static struct stream *
merger(const char *flush, const struct stream_csum *csum)
{
	struct stream *s = engine_fixture_stream(&engine_csum);

	engine_fixture_set("gro-flush", flush);
	s->tx_end.csum = *csum;
	s->rx_end.csum.gro = true;
	engine_fixture_begin(s);
	engine_fixture_reset("gro-flush");
	return s;
}

/* Let number i of the packets come in that the frame of `head tcp...` and payload would be cut into; first: bytes of a first segment, 0: all; step: of
 * sequence numbers. */
static void
put(const char *head, unsigned int i, unsigned int first, unsigned int step)
{
	const struct frame *f = &csum_fixture_frame;
	struct rte_mbuf *m;
	unsigned int headers;

	frame_build(&part, head, true);
	headers = part.end - PART;
	memcpy(part.wrong + headers, f->wrong + headers + i * PART, PART);
	frame_put16(part.wrong + headers - (strstr(head, "tcpo") ? 26 : 14), i * step);
	if (strstr(head, " ip4 ") != NULL)
		frame_put16(part.wrong + frame_off(&part, "ip4", 0) + 4, 0x1234 + i);
	frame_correct(&part, true);
	if (first == 0)
		first = part.n;
	m = csum_fixture_packet(part.wrong, part.n, first, 4);
	assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
}

static void
whole(const char *head, unsigned int payload)
{
	struct frame *f = &csum_fixture_frame;
	char line[128];

	snprintf(line, sizeof(line), "%s %u", head, payload);
	frame_build(f, line, true);
	frame_put16(f->wrong + f->n - payload - (strstr(head, "tcpo") ? 26 : 14), 0);
	frame_correct(f, true);
}

static void
expect_whole(const char *line)
{
	struct rte_mbuf *m = engine_fixture_take();

	if (m == NULL)
		fail_msg("%s: nothing came out", line);
	if (m->pkt_len != csum_fixture_frame.n)
		fail_msg("%s: %u bytes, expected %u", line, m->pkt_len, csum_fixture_frame.n);
	csum_fixture_expect(m, csum_fixture_frame.right, line);
}

static const unsigned int orders[][5] = { { 0, 1, 2, 3, 4 }, { 1, 2, 3, 4, 0 } };

/* One burst, in order or not, comes out as one packet. */
TEST(within_a_burst)
{
	static const char *const heads[][2] = { { "eth ip4 tcp", "eth ip4 tcp 100" },
		{ "eth ip4 tcpo", "eth ip4 tcpo 100 pad4" } };

	for (unsigned int i = 0; i < ARRAY_SIZE(heads) * ARRAY_SIZE(orders); i++) {
		const char *const *head = heads[i % ARRAY_SIZE(heads)];
		struct stream *s = merger("1", &(struct stream_csum){ 0 });

		whole(head[0], 5 * PART);
		for (unsigned int k = 0; k < 5; k++)
			put(head[1], orders[i / ARRAY_SIZE(heads)][k], 0, PART);
		engine_fixture_poll(s);
		expect_whole(head[0]);
		assert_null(engine_fixture_take());
		assert_int_equal(counter_read(&s->count.named[GRO_MERGED]), 4);
		assert_int_equal(counter_read(&s->count.absorbed), 4);
		engine_fixture_end(s);
	}
}

/* What cannot be merged passes as it is, right, though it follows what came before. */
TEST(left_alone)
{
	static const struct {
		const char *head, *line;
		unsigned int first, step;
	} rows[] = {
		{ "eth vlan ip4 tcp", "eth vlan ip4 tcp 100", 0, PART },
		{ "eth ip4o tcp", "eth ip4o tcp 100", 0, PART },
		{ "eth ip6 tcp", "eth ip6 tcp 100", 0, PART },
		{ "eth ip4 tcpfin", "eth ip4 tcpfin 100", 0, PART },
		{ "eth ip4mf tcp", "eth ip4mf tcp 100", 0, PART },
		{ "eth ip4 ip4 tcp", "eth ip4 ip4 tcp 100", 0, PART },
		{ "eth ip4 tcp", "eth ip4 tcp 100", 53, PART }, /* headers in two segments */
		{ "eth ip4 tcp", "eth ip4 tcp 100 pad9", 150, PART },
		{ "eth ip4 tcp", "eth ip4 tcp 100 pad9", 150,
			PART + PADDING }, /* padding in several */
	};
	static struct frame came[3];

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stream *s = merger("1", &(struct stream_csum){ .parse_tunnel = true });

		whole(rows[i].head, 3 * PART);
		for (unsigned int k = 0; k < 3; k++) {
			put(rows[i].line, k, rows[i].first, rows[i].step);
			came[k] = part;
		}
		engine_fixture_poll(s);
		for (unsigned int k = 0; k < 3; k++) {
			csum_fixture_frame = came[k];
			expect_whole(rows[i].line);
		}
		assert_int_equal(counter_read(&s->count.absorbed), 0);
		engine_fixture_end(s);
	}
}

/* Cut short by the wire or by a liar: what the headers promise is not there. */
TEST(truncated)
{
	struct frame *f = &csum_fixture_frame;
	struct stream *s = merger("1", &(struct stream_csum){ 0 });
	struct rte_mbuf *m;

	frame_build(f, "eth ip4 tcpo 100", true);
	for (unsigned int n = 1; n < f->n; n++) {
		engine_fixture_put(f->wrong, n, 0);
		engine_fixture_put(f->wrong, n, 9);
		engine_fixture_poll(s);
		for (unsigned int k = 0; k < 2; k++) {
			m = engine_fixture_take();
			assert_int_equal(m->pkt_len, n);
			csum_fixture_expect(m, f->wrong, "truncated");
		}
	}
	engine_fixture_end(s);
}

/* Held over polls, also empty ones, and let go at the last; then again. */
TEST(over_turns)
{
	for (unsigned int flush = 2; flush <= 4; flush++) {
		struct stream *s =
			merger((char[]){ (char)('0' + flush), 0 }, &(struct stream_csum){ 0 });

		whole("eth ip4 tcp", 2 * PART);
		for (unsigned int poll = 0; poll < 3 * flush; poll++) {
			assert_null(engine_fixture_take());
			if (poll % flush < 2)
				put("eth ip4 tcp 100", poll % flush, 0, PART);
			engine_fixture_poll(s);
			if (poll % flush == flush - 1)
				expect_whole("over polls");
		}
		engine_fixture_poll(s);
		assert_null(engine_fixture_take());
		assert_int_equal(counter_read(&s->count.named[GRO_MERGED]), 3);
		engine_fixture_end(s);
	}
}

TEST(stopped)
{
	struct stream *s = merger("4", &(struct stream_csum){ 0 });

	whole("eth ip4 tcp", 4 * PART);
	for (unsigned int i = 0; i < 4; i++) {
		if (i != 2)
			put("eth ip4 tcp 100", i, 0, PART);
	}
	engine_fixture_poll(s);
	assert_null(engine_fixture_take());
	engine_csum.fini(s);
	assert_int_equal(counter_read(&s->count.named[GRO_MERGED]), 1);
	assert_int_equal(counter_read(&s->count.named[GRO_UNSENT]), 2);
	engine_fixture_end(s);
}

/*
 * What a port's hardware is asked about a merged packet; the port's verdicts were counted before.
 */
TEST(merged_then_cut)
{
	struct stream *s = merger("1", &(struct stream_csum){ .tso_segsz = 300 });
	struct rte_mbuf *m;

	whole("eth ip4 tcp", 5 * PART);
	for (unsigned int i = 0; i < 5; i++)
		put("eth ip4 tcp 100", i, 0, PART);
	engine_fixture_poll(s);
	m = engine_fixture_take();
	assert_non_null(m);
	assert_int_equal(m->pkt_len, csum_fixture_frame.n);
	assert_true((m->ol_flags & RTE_MBUF_F_TX_TCP_SEG) != 0);
	assert_int_equal(m->tso_segsz, 300);
	rte_pktmbuf_free(m);
	engine_fixture_end(s);

	s = merger("1", &(struct stream_csum){ .gso = true });
	for (unsigned int i = 0; i < 32; i++)
		put("eth ip4 tcp 100", i % 16, 0, PART);
	engine_fixture_poll(s);
	while ((m = engine_fixture_take()) != NULL) {
		assert_true(m->pkt_len <= 1514);
		rte_pktmbuf_free(m);
	}
	assert_true(counter_read(&s->count.absorbed) > 0 && counter_read(&s->count.made) > 0);
	engine_fixture_end(s);
}

TESTS(.setup = csum_fixture_open, .teardown = engine_fixture_close);
