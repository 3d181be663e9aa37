/* Sends IEEE 1588v2 Sync messages back on the port of arrival and prints their Rx and Tx time
 * stamps; drops everything else and prints why. One packet at a time, because a port keeps only one
 * time stamp. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/out.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_ether.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/*
 * Counters: the verdicts on packets, of which all but SYNC are dropped, then marks and time stamps.
 */
enum {
	SYNC,
	UNSTAMPED,
	OTHER_MESSAGE,
	OTHER_VERSION,
	NOT_PTP,
	VERDICTS,
	UNMARKED = VERDICTS,
	TX_STAMPS,
	TX_UNSTAMPED,
	COUNTERS
};

static const struct stat_row counters[COUNTERS] = {
	[SYNC] = { .name = "ptp_sync",
		.help = "PTP Sync messages with an Rx time stamp, sent back" },
	[UNSTAMPED] = { .name = "ptp_unstamped",
		.help = "PTP Sync messages dropped: no Rx time stamp" },
	[OTHER_MESSAGE] = { .name = "ptp_other_message", .help = "PTP messages dropped: not Sync" },
	[OTHER_VERSION] = { .name = "ptp_other_version",
		.help = "PTP messages dropped: version other than 2" },
	[NOT_PTP] = { .name = "not_ptp",
		.help = "packets dropped: not PTP, even if the port marked them as PTP" },
	[UNMARKED] = { .name = "ptp_unmarked",
		.help = "PTP messages that the driver did not mark as PTP, handled like marked ones" },
	[TX_STAMPS] = { .name = "ptp_tx_stamps",
		.help = "PTP messages sent back with a Tx time stamp" },
	[TX_UNSTAMPED] = { .name = "ptp_tx_unstamped",
		.help = "PTP messages sent back without a Tx time stamp within 1 ms" },
};

static_assert(COUNTERS <= STREAM_NAMED_MAX, "one counter each");

enum {
	PTP_AT = sizeof(struct rte_ether_hdr), /* message, then version, in the lower halves */
	PTP_END = PTP_AT + 2,
	PTP_SYNC = 0,
	PTP_VERSION = 2,
	RX_REGISTERS = 4, /* net_i40e has 4, chosen by the mbuf; other drivers have one */
	TX_WAIT_US = 1000,
};

struct config {
	struct out *out;
};

struct ieee1588 {
	struct out *out;
	bool enabled; /* this stream enabled time stamps on its port and has to disable them */
};

/* Whether this is the first of the streams that receive from its port. */
static bool
first_of_port(const struct stream *s)
{
	for (unsigned int i = 0; i < s->index; i++)
		if (s->siblings[i]->rx_port == s->rx_port)
			return false;
	return true;
}

static int
ieee1588_open(void *config, const struct engine_env *env, struct err *e)
{
	((struct config *)config)->out = env->out;
	return 0;
}

static int
ieee1588_init(struct stream *s, struct err *e)
{
	struct rte_eth_dev_info info;
	struct ieee1588 *p = s->state;
	int ret;

	p->out = s->config != NULL ? ((const struct config *)s->config)->out : NULL;
	if (!first_of_port(s))
		return 0;
	ret = rte_eth_timesync_enable(s->rx_port);
	p->enabled = ret == 0;
	if (ret == 0)
		return 0;
	if (rte_eth_dev_info_get(s->rx_port, &info) != 0)
		info.driver_name = "unknown";
	return err_set(e, -ret, "port %u (driver %s) does not support PTP time stamps: %s",
		s->rx_port, info.driver_name, strerror(-ret));
}

static void
ieee1588_fini(struct stream *s)
{
	struct ieee1588 *p = s->state;

	if (p->enabled)
		rte_eth_timesync_disable(s->rx_port);
	p->enabled = false;
}

/* Print a line about a packet to stdout, where scripts expect it, unless there is no output. */
#define TELL(s, ...) \
	do { \
		struct out *tell_ = ((struct ieee1588 *)(s)->state)->out; \
\
		if (tell_ != NULL) { \
			out_text(tell_, __VA_ARGS__); \
			fflush(out_file(tell_)); \
		} \
	} while (0)

static void
stamp_tell(const struct stream *s, bool rx, const struct timespec *t, const char *more)
{
	TELL(s, "Port %u %s timestamp value %ju s %ld ns%s\n", rx ? s->rx_port : s->tx_port,
		rx ? "RX" : "TX", (uintmax_t)t->tv_sec, t->tv_nsec, more);
}

/* Read and print the Rx time stamp of a message. Returns whether there is one. */
static bool
rx_stamp(const struct stream *s, const struct rte_mbuf *m, bool marked)
{
	/* A driver that does not mark messages does not choose a time stamp register either. */
	uint32_t at = marked ? m->timesync & (RX_REGISTERS - 1) : 0;
	const uint32_t last = marked ? at : RX_REGISTERS - 1;
	struct timespec t = { 0 };

	while (rte_eth_timesync_read_rx_timestamp(s->rx_port, &t, at) != 0)
		if (at++ == last) {
			TELL(s, "Port %u RX timestamp registers not valid\n", s->rx_port);
			return false;
		}
	stamp_tell(s, true, &t, "");
	return true;
}

/* The verdict on a PTP frame; prints testpmd's lines for those that are dropped. */
static unsigned int
message(struct stream *s, const struct rte_mbuf *m, const uint8_t *ptp, bool marked)
{
	if ((ptp[1] & 0xf) != PTP_VERSION) {
		TELL(s, "Port %u Received PTP V2 Ethernet frame with wrong PTP protocol version 0x%x (should be 0x02)\n",
			s->rx_port, ptp[1]);
		return OTHER_VERSION;
	}
	if ((ptp[0] & 0xf) != PTP_SYNC) {
		TELL(s, "Port %u Received PTP V2 Ethernet frame with unexpected message ID 0x%x (expected 0x0 - PTP_SYNC_MESSAGE)\n",
			s->rx_port, ptp[0]);
		return OTHER_MESSAGE;
	}
	if (marked)
		TELL(s, "Port %u IEEE1588 PTP V2 SYNC Message filtered by hardware\n", s->rx_port);
	if (marked && (m->ol_flags & RTE_MBUF_F_RX_IEEE1588_TMST) == 0) {
		TELL(s, "Port %u Received PTP packet not timestamped by hardware\n", s->rx_port);
		return UNSTAMPED;
	}
	return rx_stamp(s, m, marked) ? SYNC : UNSTAMPED;
}

static unsigned int
verdict_of(struct stream *s, const struct rte_mbuf *m)
{
	const bool marked = (m->ol_flags & RTE_MBUF_F_RX_IEEE1588_PTP) != 0;
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	const uint16_t type = m->data_len < PTP_END ? 0 : pkt_get16(frame + 2 * RTE_ETHER_ADDR_LEN);

	if (type != RTE_ETHER_TYPE_1588) {
		if (marked)
			TELL(s, "Port %u Received NON PTP packet incorrectly detected by hardware\n",
				s->rx_port);
		else
			TELL(s, "Port %u Received non PTP packet type=0x%4x len=%u\n", s->rx_port,
				type, m->pkt_len);
		return NOT_PTP;
	}
	if (!marked) {
		/* Unlike testpmd go on: drivers mark messages only if built to. */
		TELL(s, "Port %u Received PTP packet not filtered by hardware\n", s->rx_port);
		stream_count_named(s, UNMARKED, 1);
	}
	return message(s, m, frame + PTP_AT, marked);
}

/* Wait for the Tx time stamp of the packet sent last. */
static void
tx_stamp(struct stream *s)
{
	struct timespec t = { 0 };
	unsigned int us = 0;
	char waited[64];

	while (rte_eth_timesync_read_tx_timestamp(s->tx_port, &t) != 0) {
		if (++us == TX_WAIT_US) {
			TELL(s, "Port %u TX timestamp registers not valid after %u micro-seconds\n",
				s->tx_port, TX_WAIT_US);
			stream_count_named(s, TX_UNSTAMPED, 1);
			return;
		}
		rte_delay_us_block(1);
	}
	snprintf(waited, sizeof(waited), " validated after %u micro-second%s", us,
		us == 1 ? "" : "s");
	stamp_tell(s, false, &t, waited);
	stream_count_named(s, TX_STAMPS, 1);
}

static void
answer(struct stream *s, struct rte_mbuf *m)
{
	struct rte_ether_hdr *ether = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	const struct rte_ether_addr to = ether->src_addr;

	ether->src_addr = ether->dst_addr;
	ether->dst_addr = to;
	m->ol_flags |= RTE_MBUF_F_TX_IEEE1588_TMST;
	if (stream_tx(s, &m, 1) == 0)
		TELL(s, "Port %u sent PTP packet dropped\n", s->rx_port);
	else
		tx_stamp(s);
}

static void
ieee1588_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		const unsigned int verdict = verdict_of(s, pkts[i]);

		stream_count_named(s, verdict, 1);
		if (verdict == SYNC)
			answer(s, pkts[i]);
		else
			stream_absorb(s, &pkts[i], 1);
	}
}

ENGINE_LOOP(ieee1588, NULL, NULL, ieee1588_sink)

const struct engine engine_ieee1588 = {
	.name = "ieee1588",
	.help = "send PTP Sync messages back and print their Rx and Tx time stamps, drop other packets",
	.flags = ENGINE_ECHOES,
	.state_size = sizeof(struct ieee1588),
	.init = ieee1588_init,
	.written = pkt_macs_written,
	.loop = ieee1588_loop,
	.fini = ieee1588_fini,
	.config_size = sizeof(struct config),
	.open = ieee1588_open,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
};
