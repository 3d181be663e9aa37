/* Answers of ports in a run: made where a request comes in, sent by a stream that sends to that port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/host_run.h"

#include "base/err.h"
#include "engines/measure/host_answer.h"
#include "engines/measure/measured.h"
#include "stream/stream.h"

#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_ring.h>

#include <errno.h>
#include <string.h>

#define WAITING 256 /* answers of a port; a power of two, of which a ring has one less */
#define BURST 32

/* The first stream that sends to a port; NULL: none does. */
static struct stream *
sender_of(struct stream *const *streams, unsigned int n, uint16_t port)
{
	for (unsigned int i = 0; i < n; i++)
		if (streams[i]->tx_port == port && !streams[i]->tx_stopped)
			return streams[i];
	return NULL;
}

static struct rte_ring *
ring_new(const struct stream *s, struct err *e)
{
	struct rte_ring *ring = rte_zmalloc_socket("answers", (size_t)rte_ring_get_memsize(WAITING),
		RTE_CACHE_LINE_SIZE, (int)rte_lcore_to_socket_id(s->lcore));

	/* Relaxed tails, so that a preempted lcore delays no other one. */
	if (ring == NULL ||
		rte_ring_init(ring, "answers", WAITING, RING_F_MP_RTS_ENQ | RING_F_SC_DEQ) != 0) {
		rte_free(ring);
		err_set(e, ENOMEM, "port %u host: no memory for %d answers", s->tx_port, WAITING);
		return NULL;
	}
	return ring;
}

int
host_run_begin(struct stream *const *streams, unsigned int n, struct hosts *hosts, struct err *e)
{
	for (unsigned int i = 0; i < n; i++) {
		struct host_run *mine = &((struct measured *)streams[i]->kept)->host;
		const uint16_t port = streams[i]->rx_port;
		struct stream *sender;
		struct host_run *its;

		if (!hosts_any(hosts, port))
			continue;
		sender = sender_of(streams, n, port);
		if (sender == NULL)
			return err_set(e, ENODEV,
				"port %u host: no queue of this run sends to port %u, so nothing could be answered: start its Tx queues, or use \"set port %u host none\"",
				port, port, port);
		its = &((struct measured *)sender->kept)->host;
		if (its->from == NULL)
			its->from = ring_new(sender, e);
		if (its->from == NULL)
			return -e->code;
		*mine = (struct host_run){ hosts, its->from, sender->pool, mine->from };
	}
	hosts->in_use = true;
	return 0;
}

/*
 * Copy a packet into an mbuf of one segment, with a VLAN tag that the NIC removed. NULL: no mbuf, or the
 * packet is too long for one.
 */
static struct rte_mbuf *
copy(struct rte_mbuf *m, struct rte_mempool *pool)
{
	const unsigned int tag = (m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0 ? 4 : 0,
			   macs = 2 * RTE_ETHER_ADDR_LEN;
	struct rte_mbuf *to = rte_pktmbuf_alloc(pool);
	const uint8_t *from;
	uint8_t *at;

	if (to == NULL)
		return NULL;
	at = rte_pktmbuf_mtod(to, uint8_t *);
	if (m->pkt_len + HOST_ANSWER_GROWTH > rte_pktmbuf_tailroom(to) || m->pkt_len < macs) {
		rte_pktmbuf_free(to);
		return NULL;
	}
	from = rte_pktmbuf_read(m, 0, m->pkt_len, at + tag);
	if (from != at + tag)
		memcpy(at + tag, from, m->pkt_len);
	if (tag != 0) {
		memmove(at, at + tag, macs);
		memcpy(at + macs,
			(uint8_t[]){ 0x81, 0, (uint8_t)(m->vlan_tci >> 8), (uint8_t)m->vlan_tci },
			tag);
	}
	to->data_len = (uint16_t)(m->pkt_len + tag);
	to->pkt_len = to->data_len;
	return to;
}

bool
host_run_answer(struct stream *s, struct rte_mbuf *m)
{
	const struct host_run *run = &((const struct measured *)s->kept)->host;
	struct rte_mbuf *answer;

	/* The outer tag's type would not be known. */
	if (!host_answer_may(m) || (m->ol_flags & RTE_MBUF_F_RX_QINQ_STRIPPED) != 0)
		return false;
	answer = copy(m, run->pool);
	if (answer == NULL)
		return false;
	if (!host_answer_make(answer, run->hosts, s->rx_port, &s->rx_end.mac)) {
		rte_pktmbuf_free(answer);
		return false;
	}
	stream_count_named(s, MEASURED_ANSWERED, 1);
	if (rte_ring_enqueue(run->to, answer) != 0) {
		rte_pktmbuf_free(answer);
		stream_count_named(s, MEASURED_ANSWERS_DROPPED, 1);
	}
	return true;
}

void
host_run_send(struct stream *s)
{
	const struct host_run *run = &((const struct measured *)s->kept)->host;
	struct rte_mbuf *pkts[BURST];
	const uint16_t n = (uint16_t)rte_ring_dequeue_burst(run->from, (void **)pkts, BURST, NULL);
	uint16_t sent;

	if (n == 0)
		return;
	sent = stream_tx_beside(s, pkts, n);
	if (sent < n) {
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
		stream_count_named(s, MEASURED_ANSWERS_DROPPED, n - sent);
	}
}

void
host_run_end(struct stream *s, struct hosts *hosts)
{
	struct host_run *run = &((struct measured *)s->kept)->host;
	struct rte_mbuf *m;

	hosts->in_use = false;
	while (run->from != NULL && rte_ring_dequeue(run->from, (void **)&m) == 0) {
		rte_pktmbuf_free(m);
		stream_count_named(s, MEASURED_ANSWERS_DROPPED, 1);
	}
	rte_free(run->from);
	run->to = run->from = NULL;
}
