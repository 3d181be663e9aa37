/* Rates and bursts of a source, on a clock of the test's: which packets are due when, and which find
 * no descriptor. */
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

/* Rings of two queues that have armed descriptors, and what they were given. */
static struct ring rings[3];
static unsigned armed[3], given[3], seen_most = MODEL_BURST;
static uint64_t due_last;

static uint16_t
peek(struct model *m, struct ring *r, struct frame *f, uint16_t max)
{
	static uint8_t buffers[MODEL_BURST][2048];
	uint16_t n = armed[r - rings] < max ? (uint16_t)armed[r - rings] : max;

	n = n < seen_most ? n : (uint16_t)seen_most;
	for (uint16_t i = 0; i < n; i++)
		f[i] = (struct frame){ .data = buffers[i], .len = sizeof(buffers[i]) };
	return n;
}

void
arrive_give(struct traffic *to, struct ring *r, struct frame *f, uint16_t n)
{
	unsigned port;

	armed[r - rings] -= n;
	given[r - rings] += n;
	for (uint16_t i = 0; i < n; i++) {
		assert_true(latency_stamp_read(f[i].data, f[i].len, &port, &due_last));
		assert_int_equal(port, 7);
	}
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
TEST(rates)
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
TEST(pause_of_five_seconds)
{
	begin(50000);
	assert_int_equal(packets_at(100 * ms), 5000);
	assert_int_equal(packets_at(5100 * ms), 50000);
	assert_int_equal(packets_at(5101 * ms), 50);
}

/* After a rest the time begins anew. */
TEST(rest_gives_nothing)
{
	begin(50000);
	source_rest(&t);
	assert_int_equal(packets_at(500 * ms), 0);
	assert_int_equal(packets_at(501 * ms), 50);
}

/* A count ends it, at any rate. */
TEST(count_ends_it)
{
	begin(50000);
	config.count = t.left = 120;
	assert_int_equal(packets_at(2 * ms), 100);
	assert_int_equal(packets_at(200 * ms), 20);
	assert_int_equal(packets_at(400 * ms), 0);
}

/* Flows are on queue 0 and 1, not on 2. */
static uint16_t
queue_of(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash)
{
	*hash = 1;
	return pkt[29] % 2;
}

static void
bursts_begin(unsigned queues, uint32_t burst)
{
	static const struct model_family family = { .rss = queue_of, .rx_peek = peek };
	static struct written written[1 << TRAFFIC_WRITTEN_BITS];
	static struct model m;

	memset(&t, 0, sizeof(t));
	memset(written, 0, sizeof(written));
	memset(given, 0, sizeof(given));
	m = (struct model){ .port = 7, .family = &family, .frame_max = 1518 };
	config = (struct port_config){ .burst_min = burst,
		.burst_max = burst,
		.rate_pps = 1000000,
		.line_pps = 10000000,
		.flows = 8,
		.size_min = 60,
		.size_max = 60 };
	gen_close(&t.gen);
	assert_int_equal(gen_open(&t.gen, &m, &config), 0);
	t.config = &config;
	t.m = &m;
	t.keep = t.stamps = true;
	t.written = written;
	t.left = UINT64_MAX;
	for (unsigned i = 0; i < queues; i++) {
		rings[i] = (struct ring){ .data_queue = (int16_t)i };
		t.rx[t.rx_count++] = &rings[i];
	}
	bursts_open(&t.bursts, &config, 7);
	source_poll(&t, 5000);
}

/* Packets without a descriptor are missed at once: later ones find the descriptors armed then. */
TEST(bursts_do_not_wait)
{
	armed[0] = 11;
	bursts_begin(1, 32);
	assert_int_equal(given[0], 1);
	assert_int_equal(source_poll(&t, 5000 + 3100), 10);
	assert_int_equal(due_last, 5000 + 1000);
	assert_int_equal(t.count.rx_missed, 21);
	armed[0] = 100;
	assert_int_equal(source_poll(&t, 5000 + 31999), 1); /* nothing is due, but it is not idle */
	assert_int_equal(given[0], 11);
	assert_int_equal(source_poll(&t, 5000 + 32500), 6);
	assert_int_equal(due_last, 5000 + 32500);
	assert_int_equal(t.count.wire_packets, given[0] + t.count.rx_missed);
	assert_int_equal(t.count.wire_packets, 38);
	assert_int_equal(t.count.wire_bursts, 1);
	gen_close(&t.gen);
}

/* Descriptors that are armed meanwhile get packets too, each with its own time. */
TEST(bursts_rearmed)
{
	armed[0] = 100;
	seen_most = 10;
	bursts_begin(1, 32);
	assert_int_equal(source_poll(&t, 5000 + 3100), 31);
	assert_int_equal(due_last, 5000 + 3100);
	seen_most = MODEL_BURST;
	gen_close(&t.gen);
}

/* Rings with flows get equal parts; one that is full loses its own only. */
TEST(bursts_on_queues)
{
	armed[0] = 100;
	armed[1] = 8;
	armed[2] = 100;
	bursts_begin(3, 41);
	source_poll(&t, 5000 + 4000);
	assert_int_equal(t.count.wire_packets, 41);
	assert_in_range(given[0], 20, 28);
	assert_int_equal(given[1], 8);
	assert_int_equal(t.count.wire_packets, given[0] + given[1] + t.count.rx_missed);
	assert_int_equal(given[2], 0);
	gen_close(&t.gen);
}

/* All that is sent while the fault "starve" is active is missed; a count ends it. */
TEST(bursts_starved)
{
	armed[0] = 1000;
	bursts_begin(1, 32);
	config.count = 40;
	t.left = 39;
	t.faults.until_ns[FAULT_STARVE] = 1;
	source_poll(&t, 5000 + 3100);
	assert_int_equal(t.count.rx_missed, 31);
	t.faults.until_ns[FAULT_STARVE] = 0;
	source_poll(&t, 5000 + 36000);
	source_poll(&t, 5000 + 36100);
	assert_int_equal(t.count.wire_packets, 40);
	assert_int_equal(given[0], 9);
	assert_int_equal(t.left, 0);
	gen_close(&t.gen);
}

/* Packets that are longer than the driver accepts are neither given nor missed. */
TEST(bursts_oversize)
{
	armed[0] = 1000;
	bursts_begin(1, 32);
	config.size_min = config.size_max = 1600;
	memset(t.written, 0, sizeof(*t.written) << TRAFFIC_WRITTEN_BITS);
	source_poll(&t, 5000 + 3100);
	assert_int_equal(t.count.rx_oversize, 31);
	assert_int_equal(t.count.rx_missed, 0);
	assert_int_equal(given[0], 1);
	gen_close(&t.gen);
}
