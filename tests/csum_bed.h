/* A bed for tests of csum: the rig with csum's settings, and frames sent through and compared. */
#pragma once

#include "csum_frame.h"
#include "rig.h"

#include <rte_ethdev.h>

#include <string.h>

extern const struct engine engine_csum;

static struct frame csum_bed_frame;
static uint8_t csum_bed_output[FRAME_BYTES];

static inline int
csum_bed_open(void **state)
{
	struct err e;

	rig_open(state);
	return settings_add(rig_settings, engine_csum.settings, engine_csum.n_settings, &e);
}

static inline struct stream *
csum_bed_stream(const struct stream_csum *csum)
{
	struct stream *s = rig_stream(&engine_csum);

	s->tx_end.csum = *csum;
	return rig_begin(s);
}

/* A packet of a first segment of first bytes and others of rest (0: one). */
static inline struct rte_mbuf *
csum_bed_packet(const uint8_t *bytes, unsigned int n, unsigned int first, unsigned int rest)
{
	struct rte_mbuf *m = rig_packet(bytes, first, 0);

	if (first < n)
		assert_int_equal(rte_pktmbuf_chain(m, rig_packet(bytes + first, n - first, rest)),
			0);
	return m;
}

/* The same in mbufs with their own buffers; others of 2000. */
static inline struct rte_mbuf *
csum_bed_direct(const uint8_t *bytes, unsigned int n, unsigned int first)
{
	struct rte_mbuf *m = NULL, *next;

	for (unsigned int at = 0, part; at < n; at += part) {
		part = RTE_MIN(n - at, m == NULL && first < 2000 ? first : 2000u);
		next = rte_pktmbuf_alloc(rig_pool);
		assert_non_null(next);
		memcpy(rte_pktmbuf_append(next, (uint16_t)part), bytes + at, part);
		if (m == NULL)
			m = next;
		else
			assert_int_equal(rte_pktmbuf_chain(m, next), 0);
	}
	return m;
}

/* Send a packet through; the caller frees what came out, which has the same length. */
static inline struct rte_mbuf *
csum_bed_pass(struct stream *s, struct rte_mbuf *m)
{
	unsigned int n = m->pkt_len;

	assert_int_equal(rte_eth_tx_burst(RIG_IN, 0, &m, 1), 1);
	rig_turn(s);
	m = rig_take();
	assert_non_null(m);
	assert_int_equal(m->pkt_len, n);
	return m;
}

/* Its bytes, in csum_bed_output. */
static inline uint8_t *
csum_bed_copy(const struct rte_mbuf *m)
{
	const uint8_t *is = rte_pktmbuf_read(m, 0, m->pkt_len, csum_bed_output);

	if (is != csum_bed_output)
		memcpy(csum_bed_output, is, m->pkt_len);
	return csum_bed_output;
}

/* What csum_bed_output holds is as wanted. */
static inline void
csum_bed_check(const uint8_t *want, unsigned int n, const char *line)
{
	for (unsigned int i = 0; i < n; i++) {
		if (csum_bed_output[i] != want[i])
			fail_msg("%s: byte %u is %02x, want %02x", line, i, csum_bed_output[i],
				want[i]);
	}
}

/* The packet is as wanted; it is freed. */
static inline void
csum_bed_expect(struct rte_mbuf *m, const uint8_t *want, const char *line)
{
	csum_bed_copy(m);
	csum_bed_check(want, m->pkt_len, line);
	rte_pktmbuf_free(m);
}

/* The frame that was built goes in wrong and comes out right, as segments of first and of rest bytes. */
static inline void
csum_bed_round(struct stream *s, unsigned int first, unsigned int rest, const char *line)
{
	const struct frame *f = &csum_bed_frame;
	struct rte_mbuf *m = csum_bed_packet(f->wrong, f->n, first, rest);

	csum_bed_expect(csum_bed_pass(s, m), f->right, line);
}
