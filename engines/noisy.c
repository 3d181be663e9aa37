/* Simulates a busy network function: holds packets in a FIFO, accesses random memory for each
 * packet, and rewrites headers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt.h"
#include "engines/engine.h"

#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_random.h>

#include <inttypes.h>

#define MIB (UINT64_C(1) << 20)

enum { HELD_AT_STOP };

static const struct stat_row counters[] = {
	{ .name = "held_at_stop",
		.part = STAT_DROPPED,
		.help = "packets in the FIFO at stop, freed without being sent" },
};

enum { MODE_IO, MODE_MAC, MODE_MACSWAP, MODE_5TSWAP };

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "noisy-forward-mode", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([MODE_IO] = "io", [MODE_MAC] = "mac", [MODE_MACSWAP] = "macswap", [MODE_5TSWAP] = "5tswap"),
		.help = "noisy: how headers are rewritten" },
	{ .name = "noisy-tx-sw-buffer-size", .unit = "packets", .max = UINT16_MAX,
		.help = "noisy: packets held per stream before the oldest is sent" },
	{ .name = "noisy-tx-sw-buffer-flushtime", .unit = "ms", .max = UINT16_MAX,
		.help = "noisy: interval at which all held packets are sent; 0: never" },
	{ .name = "noisy-lkup-memory", .unit = "MiB", .max = 1 << 18,
		.help = "noisy: memory per stream for random reads and writes" },
	{ .name = "noisy-lkup-num-writes", .unit = "writes", .max = UINT16_MAX,
		.help = "noisy: random cache lines written per packet" },
	{ .name = "noisy-lkup-num-reads", .unit = "reads", .max = UINT16_MAX,
		.help = "noisy: random cache lines read per packet" },
	{ .name = "noisy-lkup-num-reads-writes", .unit = "pairs", .max = UINT16_MAX,
		.help = "noisy: pairs of a random read and a random write per packet" },
};
/* clang-format on */

struct line {
	uint64_t word[RTE_CACHE_LINE_SIZE / sizeof(uint64_t)];
};

struct noisy {
	unsigned int mode;
	unsigned int reads, writes; /* per packet */
	struct line *memory;
	uint64_t n_lines;
	uint64_t random; /* state of the generator, never 0 */
	uint64_t read;   /* the last value read; prevents that the reads are optimised away */

	struct rte_mbuf *
		*held; /* the FIFO of size elements; it has n packets, the oldest at first */
	unsigned int size, first, n;
	uint64_t flush_tsc; /* TSC cycles between flushes; 0: never */
	uint64_t flushed;   /* TSC of the last flush */
	unsigned int due;   /* packets that the current flush still has to send */
};

static int
noisy_init(struct stream *s, struct err *e)
{
	struct noisy *y = s->state;
	int socket = (int)rte_lcore_to_socket_id(s->lcore);
	uint64_t pairs = setting_u64(s->settings, "noisy-lkup-num-reads-writes");
	uint64_t bytes = setting_u64(s->settings, "noisy-lkup-memory") * MIB;

	y->mode = (unsigned int)setting_u64(s->settings, "noisy-forward-mode");
	y->reads = (unsigned int)(setting_u64(s->settings, "noisy-lkup-num-reads") + pairs);
	y->writes = (unsigned int)(setting_u64(s->settings, "noisy-lkup-num-writes") + pairs);
	y->random = rte_rand() | 1;
	if (bytes == 0 && y->reads + y->writes > 0)
		return err_set(e, EINVAL,
			"noisy-lkup-memory 0: expected 1 or more for %u reads and %u writes per packet",
			y->reads, y->writes);
	if (bytes > 0) {
		y->memory = rte_zmalloc_socket("noisy memory", bytes, RTE_CACHE_LINE_SIZE, socket);
		if (y->memory == NULL)
			return err_set(e, ENOMEM,
				"noisy-lkup-memory: cannot allocate %" PRIu64 " MiB per stream",
				bytes / MIB);
		y->n_lines = bytes / sizeof(struct line);
	}
	y->size = (unsigned int)setting_u64(s->settings, "noisy-tx-sw-buffer-size");
	if (y->size > 0) {
		y->held = rte_zmalloc_socket("noisy fifo", y->size * sizeof(*y->held),
			RTE_CACHE_LINE_SIZE, socket);
		if (y->held == NULL)
			return err_set(e, ENOMEM,
				"noisy-tx-sw-buffer-size: no memory for %u packets", y->size);
	}
	y->flush_tsc = setting_u64(s->settings, "noisy-tx-sw-buffer-flushtime") *
		(uint64_t)s->tsc_hz / 1000;
	y->flushed = rte_rdtsc();
	return 0;
}

/*
 * A random cache line. Source: Marsaglia's xorshift; the high half of a product maps it to the
 * range without a division.
 */
static __rte_always_inline struct line *
line_next(const struct noisy *y, uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return y->memory + (((*random >> 32) * y->n_lines) >> 32);
}

/*
 * Do the memory accesses for n packets. No access depends on another, so that the core can overlap
 * them.
 */
static void
touch(struct noisy *y, uint16_t n)
{
	uint64_t random = y->random, read = 0, i;

	for (i = (uint64_t)y->writes * n; i > 0; i--) {
		struct line *line = line_next(y, &random);

		line->word[0] = random;
	}
	for (i = (uint64_t)y->reads * n; i > 0; i--)
		read ^= line_next(y, &random)->word[0];
	y->random = random;
	y->read = read;
}

/* Take the n oldest packets out of the FIFO, which must have that many. */
static void
fifo_take(struct noisy *y, struct rte_mbuf **pkts, unsigned int n)
{
	unsigned int part = RTE_MIN(n, y->size - y->first);

	memcpy(pkts, y->held + y->first, part * sizeof(*pkts));
	memcpy(pkts + part, y->held, (n - part) * sizeof(*pkts));
	y->first += n;
	if (y->first >= y->size)
		y->first -= y->size;
	y->n -= n;
	y->due -= RTE_MIN(y->due, n);
}

/* Put n packets into the FIFO, which must have room for them. */
static void
fifo_put(struct noisy *y, struct rte_mbuf *const *pkts, unsigned int n)
{
	unsigned int end = y->first + y->n, part;

	if (end >= y->size)
		end -= y->size;
	part = RTE_MIN(n, y->size - end);
	memcpy(y->held + end, pkts, part * sizeof(*pkts));
	memcpy(y->held, pkts + part, (n - part) * sizeof(*pkts));
	y->n += n;
}

/* Put n packets into the FIFO, and take the oldest out if it is full. Returns how many came out. */
static uint16_t
fifo_pass(struct noisy *y, struct rte_mbuf *const *in, uint16_t n, struct rte_mbuf **out)
{
	unsigned int over = y->n + n > y->size ? y->n + n - y->size : 0;
	unsigned int old = RTE_MIN(over, y->n), through = over - old;

	fifo_take(y, out, old);
	memcpy(out + old, in, through * sizeof(*out));
	fifo_put(y, in + through, n - through);
	return (uint16_t)over;
}

/* At flush time take out all held packets, up to max per poll. Returns how many, 0..max. */
static uint16_t
fifo_flush(struct noisy *y, struct rte_mbuf **pkts, uint16_t max)
{
	uint64_t now;
	uint16_t n;

	if (y->flush_tsc == 0)
		return 0;
	if (y->due == 0) {
		now = rte_rdtsc();
		if (now - y->flushed < y->flush_tsc)
			return 0;
		y->flushed = now;
		y->due = y->n;
	}
	n = (uint16_t)RTE_MIN(y->due, (unsigned int)max);
	fifo_take(y, pkts, n);
	return n;
}

/* Process packets that were just received. */
static __rte_always_inline void
process(struct stream *s, struct noisy *y, struct rte_mbuf **pkts, uint16_t n)
{
	switch (y->mode) {
	case MODE_MAC: pkt_macs_set(&s->tx_end, pkts, n); break;
	case MODE_MACSWAP: pkt_macs_swap(&s->tx_end, pkts, n); break;
	case MODE_5TSWAP: pkt_tuple_swap(&s->tx_end, pkts, n); break;
	default: break;
	}
	if (y->reads + y->writes > 0)
		touch(y, n);
}

static uint16_t
noisy_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	struct noisy *y = s->state;
	struct rte_mbuf *in[BURST_MAX];
	uint64_t begin = y->size > 0 ? stream_begin(s, 0) : 0;
	uint16_t n = stream_rx(s, y->size == 0 ? pkts : in, max), out;

	if (y->size == 0) {
		if (n > 0)
			process(s, y, pkts, n);
		return n;
	}
	if (n > 0)
		process(s, y, in, n);
	out = fifo_pass(y, in, n, pkts);
	if (out == 0)
		out = fifo_flush(y, pkts, max);
	if (out == 0 && n > 0) /* stream_poll() would count this poll as empty */
		stream_end(s, begin);
	return out;
}

static void
noisy_fini(struct stream *s)
{
	struct noisy *y = s->state;
	struct rte_mbuf *pkts[BURST_MAX];

	while (y->n > 0) {
		uint16_t n = (uint16_t)RTE_MIN(y->n, (unsigned int)BURST_MAX);

		fifo_take(y, pkts, n);
		stream_absorb(s, pkts, n);
		stream_count_named(s, HELD_AT_STOP, n);
	}
	rte_free(y->held);
	rte_free(y->memory);
	y->held = NULL;
	y->memory = NULL;
}

ENGINE_LOOPS(noisy, noisy_source, NULL, NULL)

const struct engine engine_noisy = {
	.name = "noisy",
	.help = "simulate a busy network function: hold packets, access memory for each, rewrite headers",
	.state_size = sizeof(struct noisy),
	.init = noisy_init,
	.loop = noisy_loop,
	.recycling = noisy_recycling,
	.fini = noisy_fini,
	.written = pkt_head_written, /* in some modes */
	.settings = SETTING_TABLE("Engines", settings),
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
};
