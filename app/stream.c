/* The rare part of transmitting: retries, and what is dropped after them. */
#include "stream.h"

#include <rte_cycles.h>

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

uint16_t
stream_tx_rest(struct stream *s, struct rte_mbuf **pkts, uint16_t sent, uint16_t n, uint64_t *bytes)
{
	uint16_t turn;

	for (turn = 0; sent < n && turn < s->retries; turn++) {
		rte_delay_us(s->retry_us);
		sent += rte_eth_tx_burst(s->tx_port, s->tx_queue, pkts + sent, n - sent);
	}
	counter_add(&s->count.tx_retried, turn);
	if (sent < n) {
		counter_add(&s->count.tx_dropped, n - sent);
		if (*bytes > 0)
			*bytes -= stream_bytes(pkts + sent, n - sent);
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	}
	return sent;
}
