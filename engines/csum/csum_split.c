/* Copies packets into segments of given lengths (txsplit). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/csum/csum_split.h"

#include "base/err.h"
#include "base/setting.h"
#include "engines/common/pkt_blocks.h"
#include "engines/common/pkt_text.h"
#include "stream/stream_pkts.h"

#include <rte_branch_prediction.h>
#include <rte_random.h>

#include <string.h>

static_assert(CSUM_SPLIT_MAX == PKT_SEGS_MAX, "txpkts can have more segments");

int
csum_split_init(struct csum_split *split, const struct stream *s, struct err *e)
{
	uint64_t choice = setting_u64(s->settings, "txsplit");
	int n;

	*split = (struct csum_split){ .random = choice == PKT_SPLIT_RAND };
	if (choice == PKT_SPLIT_OFF)
		return 0;
	n = pkt_text_lengths(setting_text(s->settings, "txpkts"), split->lengths, e);
	if (n < 0)
		return n;
	split->n = n;
	pkt_blocks_open(&split->blocks, s);
	return 0;
}

void
csum_split_fini(struct csum_split *split)
{
	pool_blocks_close(&split->blocks);
}

/* Copy bytes of m, starting at off, into a new mbuf; NULL if there is none or they do not fit. */
static struct rte_mbuf *
segment_of(struct csum_split *split, struct stream *s, const struct rte_mbuf *m, uint32_t off,
	uint32_t bytes)
{
	struct rte_mbuf *segment;
	const void *from;
	void *to;

	if (unlikely(pkt_blocks_get(s, &split->blocks, &segment, 1) == 0))
		return NULL;
	rte_pktmbuf_reset(segment);
	if (unlikely(bytes > rte_pktmbuf_tailroom(segment))) {
		rte_pktmbuf_free(segment);
		return NULL;
	}
	to = rte_pktmbuf_mtod(segment, void *);
	from = rte_pktmbuf_read(m, off, bytes, to);
	if (from != to)
		memcpy(to, from, bytes);
	segment->data_len = bytes;
	return segment;
}

static struct rte_mbuf *
copy_of(struct csum_split *split, struct stream *s, const struct rte_mbuf *m)
{
	unsigned int n = split->random ? rte_rand() % split->n + 1 : split->n, i = 0;
	struct rte_mbuf *first = NULL, **link = &first;

	for (uint32_t off = 0, bytes; off < m->pkt_len; off += bytes, link = &(*link)->next) {
		bytes = m->pkt_len - off;
		if (++i < n)
			bytes = RTE_MIN(bytes, split->lengths[i - 1]);
		*link = segment_of(split, s, m, off, bytes);
		if (unlikely(*link == NULL)) {
			rte_pktmbuf_free(first);
			return NULL;
		}
		first->nb_segs = i;
	}
	if (unlikely(first == NULL))
		return NULL;
	first->pkt_len = m->pkt_len;
	first->port = m->port;
	first->packet_type = m->packet_type;
	first->vlan_tci = m->vlan_tci;
	first->vlan_tci_outer = m->vlan_tci_outer;
	first->tx_offload = m->tx_offload;
	first->ol_flags |= m->ol_flags & ~(RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL);
	return first;
}

void
csum_split_burst(struct csum_split *split, struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct rte_mbuf *copied[BURST_MAX];
	uint16_t n_copied = 0;

	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *copy = copy_of(split, s, pkts[i]);

		if (likely(copy != NULL)) {
			copied[n_copied++] = pkts[i];
			pkts[i] = copy;
		}
	}
	stream_free(copied, n_copied);
}
