/* Fuzzes engines: random packets (fuzz_packets.h) and settings. All packets are accounted for, all
 * mbufs return to their pool, and no byte outside a segment is touched. */
/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * engines_fuzz ROUNDS [SEED]: a number of rounds, the first with this seed. ROUNDS may be a time:
 * 60s. A failure prints the round's seed: engines_fuzz 1 SEED repeats that round. Build with
 * -Db_sanitize=address,undefined.
 */
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/ring/ring_setup.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/extbuf_fixture.h"
#include "fixtures/ring_fixture.h"
#include "fuzz/fuzz_check.h"
#include "fuzz/fuzz_observers.h"
#include "fuzz/fuzz_packets.h"
#include "memory/mbuf_readonly.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLLS_MAX 5
#define PACKETS_MAX 48 /* per poll */

extern const struct engine engine_io, engine_mac, engine_macswap, engine_flowgen, engine_rxonly,
	engine_txonly, engine_csum, engine_icmpecho, engine_noisy, engine_5tswap, engine_shared_rxq,
	engine_extbuf, engine_ring_pipeline, engine_recycle_mbufs, engine_l3fwd, engine_ieee1588,
	engine_generate, engine_measure;

/*
 * The engine of a round follows from its seed, so that each one here gets its share of the rounds.
 * Engines with more to go wrong have several shares. Left out: gpu needs a CUDA device, vhost a
 * guest on a socket, replay a file.
 */
static const struct engine *const engines[] = { &engine_io, &engine_mac, &engine_macswap,
	&engine_flowgen, &engine_rxonly, &engine_txonly, &engine_csum, &engine_csum, &engine_csum,
	&engine_csum, &engine_csum, &engine_icmpecho, &engine_icmpecho, &engine_noisy,
	&engine_5tswap, &engine_5tswap, &engine_shared_rxq, &engine_extbuf, &engine_extbuf,
	&engine_ring_pipeline, &engine_ring_pipeline, &engine_recycle_mbufs, &engine_l3fwd,
	&engine_l3fwd, &engine_ieee1588, &engine_generate, &engine_measure, &engine_measure };

/* Per entry of engines: rounds, and those of them in which packets went through. */
static uint64_t rounds_of[ARRAY_SIZE(engines)], ran_of[ARRAY_SIZE(engines)];

/* Refusals of init that random settings may cause; any other is an error. */
static const struct {
	const struct engine *engine;
	const char *said;
} refusals[] = {
	{ &engine_noisy, "noisy-lkup-memory" }, /* too small for the lookups */
	{ &engine_flowgen, "one segment" },     /* a packet larger than an mbuf */
	{ &engine_txonly, "txpkts" },           /* headers longer than the segment */
	{ &engine_generate, "MTU" }, { &engine_measure, "MTU" },
	{ &engine_extbuf, "extbuf-buffer" },      /* not a multiple, too small */
	{ &engine_extbuf, "extbuf-slice" },       /* as extbuf-buffer */
	{ &engine_extbuf, "extbuf-verify on" },   /* needs extbuf-split, no extbuf-tcp */
	{ &engine_extbuf, "extbuf-tcp on" },      /* needs extbuf-split */
	{ &engine_extbuf, "extbuf-shinfo tail" }, /* mode storage never writes */
	{ &engine_extbuf, "which is not in external memory" }, /* the pool has no pinned buffers */
	{ &engine_extbuf, "memory app" },                      /* smaller than its buffers */
	{ &engine_extbuf, "cannot reserve" }, /* more memory than this process has */
};

/* Bounds where those of the rows cost too much time or memory, or another process. */
static const struct {
	const char *name;
	uint64_t max;
} bounds[] = {
	{ "noisy-tx-sw-buffer-size", 600 },
	{ "noisy-tx-sw-buffer-flushtime", 1 },
	{ "noisy-lkup-memory", 1 },
	{ "noisy-lkup-num-writes", 4 },
	{ "noisy-lkup-num-reads", 4 },
	{ "noisy-lkup-num-reads-writes", 4 },
	{ "pipeline-busy", 500 },
	{ "pipeline-processes", 0 },
	{ "flowgen-flows", 100000 },
	{ "extbuf-buffer", 70000 },
	{ "extbuf-slice", 70000 },
};

static const char *const descriptions[] = { "flows 0", "flows 1", "flows 16 size 60-1514",
	"flows 7 size imix proto tcp vlan 5", "flows 100 src 2001:db8::/96 random size 90-1000",
	"flows 3 vxlan 77 size 120-300", "flows 2 proto icmp qinq 9 vlan 7 size 101" };
static const char *const rates[] = { "max", "1Mpps", "90%" };

static uint64_t seed;
static bool finished;
static struct stream *siblings[1];
static void *l3fwd_config, *ieee1588_config, *measure_config; /* the last one is generate's, too */

static void
seed_tell(void)
{
	char text[96];
	int n = snprintf(text, sizeof(text),
		"engines_fuzz: again with: engines_fuzz 1 %" PRIu64 "\n", seed);

	if (!finished && write(STDERR_FILENO, text, (size_t)n) != n)
		return;
}

static void
died(int number)
{
	seed_tell();
	signal(number, SIG_DFL);
	raise(number);
}

static uint64_t
number_of(const struct setting *row)
{
	uint64_t max = row->max, value;

	for (unsigned int i = 0; i < ARRAY_SIZE(bounds); i++)
		if (strcmp(bounds[i].name, row->name) == 0)
			max = bounds[i].max;
	switch (fuzz_below(4)) {
	case 0: return row->min;
	case 1: return max;
	case 2: value = row->min + fuzz_below(16); break;
	default: value = row->min + fuzz_below(max - row->min + 1); break;
	}
	value = fuzz_once_in(2) ? rte_align64pow2(value) : value;
	return RTE_MIN(value, max);
}

/* A value for one setting; what is refused leaves the one it had. */
static void
setting_mutate(const struct setting *row)
{
	unsigned int n = 0;
	struct err e = { 0 };
	char word[64];

	switch (row->kind) {
	case SETTING_UINT: snprintf(word, sizeof(word), "%" PRIu64, number_of(row)); break;
	case SETTING_BOOL: strcpy(word, fuzz_once_in(2) ? "on" : "off"); break;
	case SETTING_CHOICE:
		while (row->choices[n] != NULL)
			n++;
		snprintf(word, sizeof(word), "%s", row->choices[fuzz_below(n)]);
		break;
	default:
		if (strcmp(row->name, "extbuf-memory") == 0 &&
			extbuf_fixture_memories.first != NULL)
			strcpy(word, "app");
		else if (strcmp(row->name, "txpkts") == 0)
			snprintf(word, sizeof(word), "%u,%u,%u", 1 + fuzz_below(1000),
				1 + fuzz_below(1000), 1 + fuzz_below(1000));
		else if (strcmp(row->name, "generate") == 0)
			strcpy(word, descriptions[fuzz_below(ARRAY_SIZE(descriptions))]);
		else if (strcmp(row->name, "generate-rate") == 0)
			strcpy(word, rates[fuzz_below(ARRAY_SIZE(rates))]);
		else
			return;
	}
	setting_parse(engine_fixture_settings, row->name, word, &e);
}

static void
settings_mutate(const struct engine *engine)
{
	for (size_t i = 0; i < engine->settings.n; i++) {
		engine_fixture_reset(engine->settings.rows[i].name);
		if (fuzz_once_in(2))
			setting_mutate(&engine->settings.rows[i]);
	}
	if (engine == &engine_measure)
		settings_mutate(&engine_generate); /* what it sends */
}

static void
stream_mutate(struct stream *s)
{
	static const uint64_t offloads[] = { RTE_ETH_TX_OFFLOAD_MULTI_SEGS,
		RTE_ETH_TX_OFFLOAD_VLAN_INSERT, RTE_ETH_TX_OFFLOAD_QINQ_INSERT,
		RTE_ETH_TX_OFFLOAD_IPV4_CKSUM, RTE_ETH_TX_OFFLOAD_UDP_CKSUM,
		RTE_ETH_TX_OFFLOAD_TCP_CKSUM };
	static const uint16_t sizes[] = { 0, 1, 8, 100, 536, 1460, 9000, UINT16_MAX };
	struct stream_csum *c = &s->tx_end.csum;
	bool *wants[] = { &c->ip_hw, &c->udp_hw, &c->tcp_hw, &c->sctp_hw, &c->outer_ip_hw,
		&c->outer_udp_hw, &c->parse_tunnel, &c->mac_swap, &c->gso, &c->gro };

	s->burst = (uint16_t)(1 + fuzz_below(fuzz_once_in(2) ? 32 : BURST_MAX));
	s->rx_call = fuzz_once_in(2) ? UINT16_MAX : (uint16_t)(1 + fuzz_below(64));
	s->record = (unsigned char)fuzz_below(4);
	s->retries = (uint16_t)fuzz_below(3);
	for (unsigned int i = 0; i < ARRAY_SIZE(offloads); i++)
		s->tx_end.offloads |= fuzz_once_in(2) ? offloads[i] : 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(wants); i++)
		*wants[i] = fuzz_once_in(2);
	s->rx_end.csum.gro = c->gro;
	s->tx_end.mtu = 1500;
	s->tx_end.line_bps = 1e10;
	c->tso_segsz = fuzz_once_in(2) ? sizes[fuzz_below(ARRAY_SIZE(sizes))] : 0;
	c->tunnel_tso_segsz = fuzz_once_in(2) ? sizes[fuzz_below(ARRAY_SIZE(sizes))] : 0;
}

static void
polls(void (*poll)(void *), void *of)
{
	for (unsigned int n = 1 + fuzz_below(POLLS_MAX); n > 0; n--) {
		for (unsigned int i = fuzz_below(PACKETS_MAX); i > 0; i--)
			fuzz_packet_in();
		poll(of);
		fuzz_packets_out();
	}
}

static void
poll_stream(void *s)
{
	engine_fixture_poll(s);
}

static void
poll_pipeline(void *p)
{
	ring_fixture_poll(p);
}

/* Free what waits to be received. */
static void
incoming_free(void)
{
	struct rte_mbuf *m;

	while (rte_eth_rx_burst(FIXTURE_IN, 0, &m, 1) == 1)
		rte_pktmbuf_free(m);
}

static void
stream_gone(struct stream *s)
{
	const struct stream_count *c = &s->count;

	if (s->engine->fini != NULL)
		s->engine->fini(s);
	CHECK(c->rx + c->made == c->tx + c->tx_dropped + c->absorbed);
	fuzz_packets_out();
	incoming_free();
	if (s->engine->forget != NULL)
		s->engine->forget(s);
	free(s->state);
	rte_free(s);
	CHECK(rte_mempool_avail_count(engine_fixture_pool) == ENGINE_FIXTURE_MBUFS);
}

/* For ieee1588: the ring ports have no clock, this is theirs. */
int
rte_eth_timesync_enable(uint16_t port)
{
	return 0;
}

int
rte_eth_timesync_disable(uint16_t port)
{
	return 0;
}

int
rte_eth_timesync_read_rx_timestamp(uint16_t port, struct timespec *t, uint32_t at)
{
	*t = (struct timespec){ 7, at };
	return fuzz_once_in(2) ? 0 : -EINVAL;
}

int
rte_eth_timesync_read_tx_timestamp(uint16_t port, struct timespec *t)
{
	*t = (struct timespec){ 8, 9 };
	return fuzz_once_in(2) ? 0 : -EINVAL;
}

static bool
refusal_known(const struct engine *engine, const struct err *e)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].engine == engine && strstr(e->text, refusals[i].said) != NULL)
			return true;
	return false;
}

/* Returns whether packets went through. */
static bool
stream_round(const struct engine *engine)
{
	const bool extbuf = engine == &engine_extbuf,
		   described = (engine->flags & ENGINE_DESCRIBES) != 0;
	struct stream *s = extbuf ? extbuf_fixture_stream((uint16_t)(68 + fuzz_below(9000)))
				  : engine_fixture_stream(engine);
	struct err e = { 0 };
	struct fuzz_observers o;
	bool ran;

	stream_mutate(s);
	s->config = engine == &engine_l3fwd                               ? l3fwd_config
		: engine == &engine_ieee1588                              ? ieee1588_config
		: engine == &engine_measure || engine == &engine_generate ? measure_config
									  : s->config;
	siblings[0] = s;
	s->siblings = siblings;
	s->n_siblings = 1;
	s->rx_pool = engine_fixture_pool;
	if ((engine->init == NULL || engine->init(s, &e) == 0) &&
		(!described || engine->apply(siblings, 1, s->config, false, &e) == 0)) {
		fuzz_observers_begin(&o, s);
		polls(poll_stream, s);
		fuzz_observers_end(&o);
	} else if (!refusal_known(engine, &e)) {
		fprintf(stderr, "%s refused: %s\n", engine->name, e.text);
		abort();
	}
	ran = s->count.rx + s->count.made > 0;
	stream_gone(s);
	return ran;
}

static void
routes_make(const struct engine *engine)
{
	static const char *const prefixes[] = { "0.0.0.0/0", "10.0.0.0/8", "192.168.0.0/16", "::/0",
		"2001:db8::/32", "fe80::/10" };

	for (unsigned int i = 0; i < ARRAY_SIZE(prefixes); i++) {
		struct route r = { 0 };
		struct err e = { 0 };

		if (fuzz_once_in(2))
			continue;
		CHECK(routes_parse(&r, prefixes[i], 0, &e) == 0);
		/* The one stream of l3fwd transmits to FIXTURE_OUT; it refuses other ports. */
		r.port = engine == &engine_l3fwd ? FIXTURE_OUT : (uint16_t)fuzz_below(2);
		CHECK(routes_add(&ring_fixture_routes, &r, &e) == 0);
	}
}

static void
pipeline_round(void)
{
	struct ring_pipeline *p;
	struct fuzz_observers o;

	if (fuzz_once_in(2))
		engine_fixture_set("pipeline-stage", "l3fwd");
	/* With sync single it is refused. */
	if (strcmp(setting_word(engine_fixture_settings, "pipeline-spread", NULL, 0), "any") == 0)
		engine_fixture_set("pipeline-sync", "hts");
	p = ring_fixture_begin(1, NULL);
	fuzz_observers_begin(&o, p->streams[0]);
	polls(poll_pipeline, p);
	fuzz_observers_end(&o);
	incoming_free(); /* the last polls are without run_writable */
	ring_fixture_end(p);
}

static void
round_do(void)
{
	static const enum extmem_type types[] = { EXTMEM_HEAP, EXTMEM_ANON, EXTMEM_MEMFD };
	const unsigned int at = (unsigned int)(seed % ARRAY_SIZE(engines));
	const struct engine *engine = engines[at];
	bool ran = true;

	if (engine == &engine_extbuf && fuzz_once_in(2))
		extbuf_fixture_memory("app", types[fuzz_below(ARRAY_SIZE(types))],
			(1 + fuzz_below(512)) * UINT64_C(4096), NULL);
	settings_mutate(engine);
	routes_clear(&ring_fixture_routes);
	routes_make(engine);
	if (engine == &engine_ring_pipeline)
		pipeline_round();
	else
		ran = stream_round(engine);
	fuzz_shared_check();
	rounds_of[at]++;
	ran_of[at] += ran;
	extbuf_fixture_all_back();
	extbuf_fixture_gone(NULL);
}

static void *
config_open(const struct engine *engine)
{
	static FILE *null;
	static struct out *out;
	void *config = calloc(1, engine->config_size + 1);
	struct engine_env env = { .routes = &ring_fixture_routes };
	struct err e = { 0 };

	null = null != NULL ? null : fopen("/dev/null", "w");
	CHECK(config != NULL && null != NULL);
	out = out != NULL ? out : out_open(null, null);
	env.out = out;
	CHECK(engine->open == NULL || engine->open(config, &env, &e) == 0);
	return config;
}

static void
open_all(void)
{
	static const struct engine *const more[] = { &engine_csum, &engine_extbuf,
		&engine_ring_pipeline, &engine_recycle_mbufs, &engine_l3fwd, &engine_generate,
		&engine_measure };
	struct err e = { 0 };

	engine_fixture_open(NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(more); i++)
		CHECK(settings_add(engine_fixture_settings, &more[i]->settings, &e) == 0);
	fuzz_readonly = mbuf_readonly_register();
	CHECK(fuzz_readonly != 0);
	l3fwd_config = config_open(&engine_l3fwd);
	ieee1588_config = config_open(&engine_ieee1588);
	measure_config = config_open(&engine_measure);
}

static bool
may_refuse(const struct engine *engine)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].engine == engine)
			return true;
	return false;
}

/*
 * Packets went through in at least 3/4 of an engine's rounds, 1/8 if random settings may make it
 * refuse. Too few rounds say nothing: a seed that is done again is one.
 */
static bool
floor_reached(void)
{
	bool reached = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(engines); i++) {
		const uint64_t floor = may_refuse(engines[i]) ? rounds_of[i] / 8
							      : rounds_of[i] / 4 * 3;

		if (rounds_of[i] < 8 || ran_of[i] >= floor)
			continue;
		fprintf(stderr,
			"%s: packets in %" PRIu64 " of %" PRIu64 " rounds; expected %" PRIu64
			" or more\n",
			engines[i]->name, ran_of[i], rounds_of[i], floor);
		reached = false;
	}
	return reached;
}

int
main(int argc, char **argv)
{
	char *unit = "";
	const char *set = getenv("ZCFWD_TEST_SEED");
	uint64_t rounds = argc > 1 ? strtoull(argv[1], &unit, 10) : 1000, done = 0;
	const time_t end = time(NULL) + (time_t)rounds;

	seed = strtoull(argc > 2 ? argv[2] : set != NULL ? set : "1", NULL, 10);
	open_all();
	atexit(seed_tell);
	signal(SIGABRT, died);
	signal(SIGFPE, died);
	for (; *unit == 's' ? time(NULL) < end : done < rounds; done++, seed++) {
		fuzz_state = seed * 0x2545f4914f6cdd1d;
		round_do();
	}
	finished = true;
	routes_clear(&ring_fixture_routes);
	free(l3fwd_config);
	free(ieee1588_config);
	free(measure_config);
	engine_fixture_close(NULL);
	printf("%" PRIu64 " rounds, up to seed %" PRIu64 "\n", done, seed - 1);
	return floor_reached() ? 0 : 1;
}
