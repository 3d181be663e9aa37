/* The rare paths of a stream: receiving in several calls, and transmit retries before a drop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/stream.h"

#include <rte_cycles.h>
#include <rte_pause.h>

/* How long to retry on a full Tx ring while the run stops: longer than a pause of flow control. */
#define LAST_TRIES_MS 500

uint16_t
stream_rx_calls(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	uint16_t n = 0, asked, got;

	do {
		asked = RTE_MIN(s->rx_call, (uint16_t)(max - n));
		got = rte_eth_rx_burst(s->rx_port, s->rx_queue, pkts + n, asked);
		n += got;
	} while (got == asked && n < max);
	return n;
}

/* Wait before one more call. False: the run is stopping and LAST_TRIES_MS passed since begin. */
static bool
retry_wait(const struct stream *s, uint64_t begin)
{
	const uint64_t hz = rte_get_tsc_hz(), until = rte_rdtsc() + hz * s->retry_us / 1000000;

	do {
		if (s->ending != NULL && atomic_load_explicit(s->ending, memory_order_relaxed) &&
			rte_rdtsc() - begin > hz * LAST_TRIES_MS / 1000)
			return false;
		rte_pause();
	} while (rte_rdtsc() < until);
	return true;
}

uint16_t
stream_tx_rest(struct stream *s, struct rte_mbuf **pkts, uint16_t sent, uint16_t n, uint64_t *bytes)
{
	const uint64_t begin = rte_rdtsc();
	uint16_t poll;

	for (poll = 0; sent < n && poll < s->retries && retry_wait(s, begin); poll++)
		sent += rte_eth_tx_burst(s->tx_port, s->tx_queue, pkts + sent, n - sent);
	counter_add(&s->count.tx_retried, poll);
	if (sent < n) {
		counter_add(&s->count.tx_dropped, n - sent);
		if (*bytes > 0)
			*bytes -= stream_bytes(pkts + sent, n - sent);
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	}
	return sent;
}
