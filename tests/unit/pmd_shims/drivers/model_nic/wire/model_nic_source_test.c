/* Rates of a source, on a clock of the test's: which packets are due when. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <string.h>

static const uint64_t ms = 1000000;

static struct traffic t;
static struct port_config config;

/* A file without an end, whose packets all find room. */
const uint8_t *
pcap_reader_peek(const struct pcap_reader *reader, uint32_t *len)
{
	static const uint8_t packet[60];

	*len = sizeof(packet);
	return packet;
}

void
pcap_reader_next(struct pcap_reader *reader)
{
}

enum arrival
arrive(struct traffic *to, const uint8_t *pkt, uint32_t len)
{
	return ARRIVAL_GIVEN;
}

void
arrive_give(struct traffic *to, struct ring *r, struct frame *f, uint16_t n)
{
	fail();
}

uint16_t
arrive_spread(struct frame *f, uint16_t n, const uint8_t *pkt, uint32_t len, unsigned flags)
{
	fail();
	return 0;
}

void
model_ask(struct model *m, enum model_ask what)
{
	fail();
}

void
model_log(const struct model *m, int level, const char *format, ...)
{
}

static void
begin(uint64_t rate)
{
	memset(&t, 0, sizeof(t));
	config = (struct port_config){ .rate_pps = rate };
	t.config = &config;
	t.left = UINT64_MAX;
	t.reader = (struct pcap_reader *)&t;
	/* The first poll begins the time. */
	assert_int_equal(source_poll(&t, 1), 0);
}

/* All that is due at a time, however few a poll takes. */
static uint64_t
packets_at(uint64_t now_ns)
{
	uint64_t n = 0, more;

	while ((more = source_poll(&t, 1 + now_ns)) > 0)
		n += more;
	return n;
}

/* Polls at equal distances: at each of them what the time says. */
static void
rates(void **state)
{
	static const struct {
		uint64_t rate, every_ns;
	} rows[] = { { 1, 7 * 1000000 }, { 7, 3 * 1000000 }, { 50000, 100000 }, { 50000, 1234567 },
		{ 14880952, 999999 }, { 1000000000, 1000000 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t rate = rows[i].rate;
		uint64_t sum = 0;

		begin(rate);
		for (uint64_t now = 0; now <= 200 * ms; now += rows[i].every_ns) {
			sum += packets_at(now);
			assert_int_equal(sum, now * rate / 1000000000);
		}
	}
}

/* Who does not poll for longer than a second gets a second's packets. */
static void
pause_of_five_seconds(void **state)
{
	begin(50000);
	assert_int_equal(packets_at(100 * ms), 5000);
	assert_int_equal(packets_at(5100 * ms), 50000);
	assert_int_equal(packets_at(5101 * ms), 50);
}

/* After a rest the time begins anew. */
static void
rest_gives_nothing(void **state)
{
	begin(50000);
	source_rest(&t);
	assert_int_equal(packets_at(500 * ms), 0);
	assert_int_equal(packets_at(501 * ms), 50);
}

/* A count ends it, at any rate. */
static void
count_ends_it(void **state)
{
	begin(50000);
	config.count = t.left = 120;
	assert_int_equal(packets_at(2 * ms), 100);
	assert_int_equal(packets_at(200 * ms), 20);
	assert_int_equal(packets_at(400 * ms), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates),
		cmocka_unit_test(pause_of_five_seconds),
		cmocka_unit_test(rest_gives_nothing),
		cmocka_unit_test(count_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
