/* ieee1588: what it makes of each message, with and without a driver's marks; times of arrival and
 * departure, in testpmd's words; ports without a clock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/out.h"
#include "engines/common/pkt.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/out_check.h"

#include <rte_ethdev.h>

#include <stdlib.h>
#include <time.h>

extern const struct engine engine_ieee1588;

#define PTP RTE_MBUF_F_RX_IEEE1588_PTP
#define STAMPED RTE_MBUF_F_RX_IEEE1588_TMST

/* The port's clock. */
static struct {
	int ret; /* of enable */
	unsigned int enabled, disabled, tx_reads;
	unsigned int rx_valid; /* registers that have a time, a bit each */
	unsigned int tx_after; /* reads until the time of departure is there */
	uint64_t flags;        /* what the driver marks packets with */
	uint16_t timesync;
} port;

int
rte_eth_timesync_enable(uint16_t id)
{
	port.enabled++;
	return port.ret;
}

int
rte_eth_timesync_disable(uint16_t id)
{
	port.disabled++;
	return 0;
}

int
rte_eth_timesync_read_rx_timestamp(uint16_t id, struct timespec *t, uint32_t at)
{
	*t = (struct timespec){ 7, 100 + at };
	return (port.rx_valid >> at & 1) != 0 ? 0 : -EINVAL;
}

int
rte_eth_timesync_read_tx_timestamp(uint16_t id, struct timespec *t)
{
	*t = (struct timespec){ 8, 9 };
	return port.tx_reads++ < port.tx_after ? -EINVAL : 0;
}

static uint16_t
mark(uint16_t id, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *arg)
{
	for (uint16_t i = 0; i < n; i++) {
		pkts[i]->ol_flags |= port.flags;
		pkts[i]->timesync = port.timesync;
	}
	return n;
}

static struct engine_fixture_frame
frame_of(uint16_t type, uint8_t message, uint8_t version)
{
	struct engine_fixture_frame f;

	engine_fixture_ether(&f, NULL, type);
	engine_fixture_add(&f, (uint8_t[]){ message, version }, 2);
	engine_fixture_add(&f, NULL, 44);
	return f;
}

struct bench {
	struct out_check said;
	struct stream *s;
	const struct rte_eth_rxtx_callback *driver;
	void *config;
};

static void
begin(struct bench *b)
{
	struct engine_env env = { 0 };
	struct err e = { 0 };

	memset(&port, 0, sizeof(port));
	assert_true(out_check_open(&b->said));
	env.out = b->said.out;
	b->config = calloc(1, engine_ieee1588.config_size);
	assert_int_equal(engine_ieee1588.open(b->config, &env, &e), 0);
	b->s = engine_fixture_stream(&engine_ieee1588);
	b->s->config = b->config;
	engine_fixture_begin(b->s);
	assert_int_equal(port.enabled, 1);
	b->driver = rte_eth_add_rx_callback(FIXTURE_IN, 0, mark, NULL);
	assert_non_null(b->driver);
}

static void
end(struct bench *b)
{
	assert_int_equal(rte_eth_remove_rx_callback(FIXTURE_IN, 0, b->driver), 0);
	engine_fixture_end(b->s);
	assert_int_equal(port.disabled, 1);
	out_check_close(&b->said);
	free(b->config);
}

/* Each frame alone, in a flat table: what is said, and how it is counted; only a Sync goes back. */
TEST(verdicts)
{
	static const struct {
		uint16_t type;
		uint8_t message, version;
		uint64_t flags;
		uint16_t timesync;
		unsigned int rx_valid;
		const char *counter, *said;
	} rows[] = {
		{ 0x88f7, 0, 2, PTP | STAMPED, 2, 1 << 2, "ptp_sync",
			"Port 0 IEEE1588 PTP V2 SYNC Message filtered by hardware\n"
			"Port 0 RX timestamp value 7 s 102 ns\n"
			"Port 1 TX timestamp value 8 s 9 ns validated after 1 micro-second\n" },
		{ 0x88f7, 0x10, 0x12, PTP | STAMPED, 0, 1, "ptp_sync", NULL }, /* version 2.1 */
		{ 0x88f7, 0, 2, 0, 0, 1 << 3, "ptp_sync",
			"Port 0 Received PTP packet not filtered by hardware\n"
			"Port 0 RX timestamp value 7 s 103 ns\n"
			"Port 1 TX timestamp value 8 s 9 ns validated after 1 micro-second\n" },
		{ 0x88f7, 0, 2, 0, 0, 0, "ptp_unstamped",
			"Port 0 Received PTP packet not filtered by hardware\n"
			"Port 0 RX timestamp registers not valid\n" },
		{ 0x88f7, 0, 2, PTP | STAMPED, 1, 1, "ptp_unstamped",
			"Port 0 IEEE1588 PTP V2 SYNC Message filtered by hardware\n"
			"Port 0 RX timestamp registers not valid\n" },
		{ 0x88f7, 0, 2, PTP, 0, 1, "ptp_unstamped",
			"Port 0 IEEE1588 PTP V2 SYNC Message filtered by hardware\n"
			"Port 0 Received PTP packet not timestamped by hardware\n" },
		{ 0x88f7, 1, 2, PTP | STAMPED, 0, 1, "ptp_other_message",
			"Port 0 Received PTP V2 Ethernet frame with unexpected message ID 0x1 (expected 0x0 - PTP_SYNC_MESSAGE)\n" },
		{ 0x88f7, 0, 1, PTP | STAMPED, 0, 1, "ptp_other_version",
			"Port 0 Received PTP V2 Ethernet frame with wrong PTP protocol version 0x1 (should be 0x02)\n" },
		{ 0x0800, 0, 2, 0, 0, 1, "not_ptp",
			"Port 0 Received non PTP packet type=0x 800 len=60\n" },
		{ 0x0800, 0, 2, PTP, 0, 1, "not_ptp",
			"Port 0 Received NON PTP packet incorrectly detected by hardware\n" },
	};
	struct bench b;
	unsigned int sent = 0;

	begin(&b);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct engine_fixture_frame f =
			frame_of(rows[i].type, rows[i].message, rows[i].version);
		const uint64_t before = engine_fixture_counted(b.s, rows[i].counter);
		struct rte_mbuf *m;
		const char *said;

		port.flags = rows[i].flags;
		port.timesync = rows[i].timesync;
		port.rx_valid = rows[i].rx_valid;
		port.tx_reads = 0;
		port.tx_after = 1;
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_poll(b.s);
		said = out_check_results(&b.said);
		if (rows[i].said != NULL)
			assert_string_equal(said, rows[i].said);
		assert_int_equal(engine_fixture_counted(b.s, rows[i].counter), before + 1);
		m = engine_fixture_take();
		assert_int_equal(m != NULL, strcmp(rows[i].counter, "ptp_sync") == 0);
		if (m == NULL)
			continue;
		sent++;
		assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), f.bytes + 6, 6);
		assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *) + 6, f.bytes, 6);
		assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *) + 12, f.bytes + 12, f.n - 12);
		assert_true((m->ol_flags & RTE_MBUF_F_TX_IEEE1588_TMST) != 0);
		rte_pktmbuf_free(m);
	}
	assert_int_equal(b.s->count.tx, sent);
	assert_int_equal(engine_fixture_counted(b.s, "ptp_tx_stamps"), sent);
	assert_int_equal(engine_fixture_counted(b.s, "ptp_unmarked"), 2);
	end(&b);
}

/* Frames that end too early, and one whose time of departure never comes. */
TEST(limits)
{
	struct engine_fixture_frame f = frame_of(0x88f7, 0, 2);
	struct bench b;

	begin(&b);
	port.flags = PTP | STAMPED;
	port.rx_valid = 1;
	for (unsigned int n = 14; n < 16; n++) {
		engine_fixture_put(f.bytes, n, 0);
		engine_fixture_poll(b.s);
	}
	assert_int_equal(engine_fixture_counted(b.s, "not_ptp"), 2);
	out_check_results(&b.said);
	port.tx_after = UINT_MAX;
	engine_fixture_put(f.bytes, f.n, 0);
	engine_fixture_poll(b.s);
	assert_non_null(strstr(out_check_results(&b.said),
		"Port 1 TX timestamp registers not valid after 1000 micro-seconds\n"));
	assert_int_equal(engine_fixture_counted(b.s, "ptp_tx_unstamped"), 1);
	assert_int_equal(port.tx_reads, 1000);
	rte_pktmbuf_free(engine_fixture_take());
	end(&b);
}

/* A port without a clock is named, and not disabled. */
TEST(refused)
{
	struct err e;

	memset(&port, 0, sizeof(port));
	port.ret = -ENOTSUP;
	e = engine_fixture_refusal(engine_fixture_stream(&engine_ieee1588));
	assert_int_equal(e.code, ENOTSUP);
	assert_non_null(
		strstr(e.text, "port 0 (driver net_ring) does not support PTP time stamps: "));
	assert_int_equal(port.disabled, 0);
}

/* Of several queues of a port one stream switches its clock on and off. */
TEST(queues)
{
	struct stream *both[2];

	memset(&port, 0, sizeof(port));
	for (unsigned int i = 0; i < 2; i++) {
		both[i] = engine_fixture_stream(&engine_ieee1588);
		both[i]->siblings = both;
		both[i]->n_siblings = 2;
		both[i]->index = i;
	}
	engine_fixture_begin(both[0]);
	engine_fixture_begin(both[1]);
	assert_int_equal(port.enabled, 1);
	engine_fixture_end(both[0]);
	engine_fixture_end(both[1]);
	assert_int_equal(port.disabled, 1);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
