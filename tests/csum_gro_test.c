/* GRO: what is merged comes out as the packet that it was cut from, the rest as it came, and counts add up. */
#include "csum_bed.h"

#include <stdio.h>

enum { GRO_MERGED = 4, GRO_UNSENT = 5 };

#define PART 100 /* bytes of payload of each packet that comes in */

static struct frame part;

static struct stream *
merger(const char *flush, const struct stream_csum *csum)
{
	struct stream *s = rig_stream(&engine_csum);

	rig_set("gro-flush", flush);
	s->tx_end.csum = *csum;
	s->tx_end.csum.gro = true;
	rig_begin(s);
	setting_reset(rig_settings, "gro-flush");
	return s;
}

/* Let number i of the packets come in that the frame of `head tcp...` and payload would be cut into. */
static void
put(const char *head, unsigned int i)
{
	const struct frame *f = &csum_bed_frame;
	unsigned int headers;

	frame_build(&part, head, true);
	headers = part.end - PART;
	memcpy(part.wrong + headers, f->wrong + headers + i * PART, PART);
	frame_put16(part.wrong + headers - (strstr(head, "tcpo") ? 26 : 14), i * PART);
	if (strstr(head, "ip4o") == NULL && strstr(head, "ip4") != NULL)
		frame_put16(part.wrong + frame_off(&part, "ip4", 0) + 4, 0x1234 + i);
	frame_correct(&part, true);
	rig_put(part.wrong, part.n, 0);
}

static void
whole(const char *head, unsigned int payload)
{
	struct frame *f = &csum_bed_frame;
	char line[128];

	snprintf(line, sizeof(line), "%s %u", head, payload);
	frame_build(f, line, true);
	frame_put16(f->wrong + f->n - payload - (strstr(head, "tcpo") ? 26 : 14), 0);
	frame_correct(f, true);
}

static void
expect_whole(const char *line)
{
	struct rte_mbuf *m = rig_take();

	if (m == NULL)
		fail_msg("%s: nothing came out", line);
	if (m->pkt_len != csum_bed_frame.n)
		fail_msg("%s: %u bytes, want %u", line, m->pkt_len, csum_bed_frame.n);
	csum_bed_expect(m, csum_bed_frame.right, line);
}

static const unsigned int orders[][5] = { { 0, 1, 2, 3, 4 }, { 1, 2, 3, 4, 0 } };

/* One burst, in order or not, comes out as one packet. */
static void
within_a_burst(void **state)
{
	static const char *const heads[][2] = { { "eth ip4 tcp", "eth ip4 tcp 100" },
		{ "eth ip4 tcpo", "eth ip4 tcpo 100 pad4" } };

	for (unsigned int i = 0; i < ARRAY_SIZE(heads) * ARRAY_SIZE(orders); i++) {
		const char *const *head = heads[i % ARRAY_SIZE(heads)];
		struct stream *s = merger("1", &(struct stream_csum){ 0 });

		whole(head[0], 5 * PART);
		for (unsigned int k = 0; k < 5; k++)
			put(head[1], orders[i / ARRAY_SIZE(heads)][k]);
		rig_turn(s);
		expect_whole(head[0]);
		assert_null(rig_take());
		assert_int_equal(counter_read(&s->count.named[GRO_MERGED]), 4);
		assert_int_equal(counter_read(&s->count.absorbed), 4);
		rig_end(s);
	}
}

/* Not whole, plain, untagged TCP/IPv4 with payload: passes as it is, right. */
static void
left_alone(void **state)
{
	static const char *const heads[] = { "eth vlan ip4 tcp 100", "eth ip4o tcp 100",
		"eth ip6 tcp 100", "eth ip4 udp 100", "eth ip4 tcpfin 100", "eth ip4mf tcp 100",
		"eth ip4 ip4 tcp 100", "eth ip4 tcp pad100" };

	for (unsigned int i = 0; i < ARRAY_SIZE(heads); i++) {
		struct stream *s = merger("1", &(struct stream_csum){ .parse_tunnel = true });

		for (unsigned int k = 0; k < 3; k++) {
			frame_build(&csum_bed_frame, heads[i], true);
			rig_put(csum_bed_frame.wrong, csum_bed_frame.n, 0);
		}
		rig_turn(s);
		for (unsigned int k = 0; k < 3; k++)
			expect_whole(heads[i]);
		assert_int_equal(counter_read(&s->count.absorbed), 0);
		rig_end(s);
	}
}

/* Cut short by the wire or by a liar: what the headers promise is not there. */
static void
truncated(void **state)
{
	struct frame *f = &csum_bed_frame;
	struct stream *s = merger("1", &(struct stream_csum){ 0 });
	struct rte_mbuf *m;

	frame_build(f, "eth ip4 tcpo 100", true);
	for (unsigned int n = 1; n < f->n; n++) {
		rig_put(f->wrong, n, 0);
		rig_put(f->wrong, n, 9);
		rig_turn(s);
		for (unsigned int k = 0; k < 2; k++) {
			m = rig_take();
			assert_int_equal(m->pkt_len, n);
			csum_bed_expect(m, f->wrong, "truncated");
		}
	}
	rig_end(s);
}

/* Held over turns, also empty ones, and let go at the last. */
static void
over_turns(void **state)
{
	for (unsigned int flush = 2; flush <= 4; flush++) {
		struct stream *s =
			merger((char[]){ (char)('0' + flush), 0 }, &(struct stream_csum){ 0 });

		whole("eth ip4 tcp", 2 * PART);
		for (unsigned int turn = 0; turn < flush; turn++) {
			assert_null(rig_take());
			if (turn < 2)
				put("eth ip4 tcp 100", turn);
			rig_turn(s);
		}
		expect_whole("over turns");
		rig_turn(s);
		assert_null(rig_take());
		assert_int_equal(counter_read(&s->count.named[GRO_MERGED]), 1);
		rig_end(s);
	}
}

static void
stopped(void **state)
{
	struct stream *s = merger("4", &(struct stream_csum){ 0 });

	whole("eth ip4 tcp", 4 * PART);
	for (unsigned int i = 0; i < 4; i++) {
		if (i != 2)
			put("eth ip4 tcp 100", i);
	}
	rig_turn(s);
	assert_null(rig_take());
	engine_csum.fini(s);
	assert_int_equal(counter_read(&s->count.named[GRO_MERGED]), 1);
	assert_int_equal(counter_read(&s->count.named[GRO_UNSENT]), 2);
	rig_end(s);
}

/* What a port's hardware is asked about a merged packet; the port's verdicts were counted before. */
static void
merged_then_cut(void **state)
{
	struct stream *s = merger("1", &(struct stream_csum){ .tso_segsz = 300 });
	struct rte_mbuf *m;

	whole("eth ip4 tcp", 5 * PART);
	for (unsigned int i = 0; i < 5; i++)
		put("eth ip4 tcp 100", i);
	rig_turn(s);
	m = rig_take();
	assert_non_null(m);
	assert_int_equal(m->pkt_len, csum_bed_frame.n);
	assert_true((m->ol_flags & RTE_MBUF_F_TX_TCP_SEG) != 0);
	assert_int_equal(m->tso_segsz, 300);
	rte_pktmbuf_free(m);
	rig_end(s);

	s = merger("1", &(struct stream_csum){ .gso = true });
	for (unsigned int i = 0; i < 32; i++)
		put("eth ip4 tcp 100", i % 16);
	rig_turn(s);
	while ((m = rig_take()) != NULL) {
		assert_true(m->pkt_len <= 1514);
		rte_pktmbuf_free(m);
	}
	assert_true(counter_read(&s->count.absorbed) > 0 && counter_read(&s->count.made) > 0);
	rig_end(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(within_a_burst),
		cmocka_unit_test(left_alone),
		cmocka_unit_test(truncated),
		cmocka_unit_test(over_turns),
		cmocka_unit_test(stopped),
		cmocka_unit_test(merged_then_cut),
	};

	return cmocka_run_group_tests(tests, csum_bed_open, rig_close);
}
