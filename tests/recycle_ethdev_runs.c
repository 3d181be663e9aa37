/* Runs of rte_eth_recycle_mbufs() on modelled NICs, each of which says what it came to and ends its process. */
#include "recycle_ethdev_runs.h"

#include "base.h"
#include "err.h"
#include "model_nic/model_nic.h"
#include "recycle_ethdev.h"

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_vect.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PORTS = 2, BURST = 32, MBUFS = 8191, LINE = RECYCLE_ETHDEV_LINE };

static struct bed {
	bool brimful;                /* tx_rs_thresh and tx_free_thresh add up to the whole ring */
	bool served;                 /* by recycle_ethdev.h */
	bool one_way;                /* out of port 1 into port 0 alone */
	struct recycle *pair[PORTS]; /* by receiving port */
	struct rte_eth_recycle_rxq_info info[PORTS];
	struct rte_mempool *pool;
	uint64_t sent, moved;
	bool (*model_report)(unsigned, struct model_nic_report *);
	unsigned (*model_step)(void);
} bed;

/* The run says what it came to, and ends. */
static __rte_noreturn void
verdict(const char *text)
{
	printf("verdict: %s\n", text);
	fflush(stdout);
	_exit(0);
}

static void
must(int ret, const char *what)
{
	if (ret != 0)
		verdict(what);
}

static void
symbol(void *plugin, const char *name, void *to)
{
	void *found = dlsym(plugin, name);

	must(found == NULL, name);
	memcpy(to, &found, sizeof(found));
}

static void
eal_start(void)
{
	char *args[] = { "recycle", "--no-huge", "--no-shconf", "--no-pci", "-m", "256",
		"--no-telemetry", "--lcores=0", "--iova-mode=va", "--log-level=error", "-d",
		getenv("MODEL_NIC_PLUGIN") };
	void *plugin;

	must(rte_eal_init(ARRAY_SIZE(args), args) < 0, "no EAL");
	/* A word of EAL's would fix the width for good. */
	must(rte_vect_set_max_simd_bitwidth((uint16_t)atoi(getenv("SIMD_BITS"))), "no such width");
	plugin = dlopen(getenv("MODEL_NIC_PLUGIN"), RTLD_NOW | RTLD_NOLOAD);
	must(plugin == NULL, "no plugin");
	symbol(plugin, "model_nic_report", &bed.model_report);
	symbol(plugin, "model_nic_step", &bed.model_step);
	bed.pool = rte_pktmbuf_pool_create("pool", MBUFS, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	must(bed.pool == NULL, "no pool");
}

static void
port_start(uint16_t p, uint16_t rx_ring, uint16_t tx_ring, uint16_t rs, uint64_t tx_offloads)
{
	const struct rte_eth_conf conf = { .txmode.offloads = tx_offloads };
	struct rte_eth_dev_info info;
	struct rte_eth_txconf tx;

	must(rte_eth_dev_info_get(p, &info), "no port");
	tx = info.default_txconf;
	tx.offloads = tx_offloads;
	tx.tx_rs_thresh = rs;
	/* The drivers' callbacks move nothing while more is free than that: as much as lets them, once a batch was posted. */
	tx.tx_free_thresh = tx_ring - rs - (bed.brimful ? 0 : 1);
	must(rte_eth_dev_configure(p, 1, 1, &conf), "not configured");
	must(rte_eth_rx_queue_setup(p, 0, rx_ring, SOCKET_ID_ANY, NULL, bed.pool), "no Rx queue");
	must(rte_eth_tx_queue_setup(p, 0, tx_ring, SOCKET_ID_ANY, &tx), "no Tx queue");
	must(rte_eth_dev_start(p), "not started");
}

static void
ports_start(uint16_t tx_ring, uint16_t rs, uint64_t tx_offloads)
{
	for (uint16_t p = 0; p < PORTS; p++)
		port_start(p, 512, tx_ring, rs, tx_offloads);
}

/* As an application does after each start; what cannot be paired is left alone, and moves nothing. */
static void
ports_pair(void)
{
	struct err e = { 0 };

	for (uint16_t p = 0; p < PORTS; p++) {
		must(rte_eth_recycle_rx_queue_info_get(p, 0, &bed.info[p]), "no Rx information");
		if (bed.served)
			must(recycle_ethdev_take(p, &e), e.text);
	}
	for (uint16_t p = 0; bed.served && p < PORTS; p++) {
		const struct recycle_ends ends = { p, 0, 1 - p, 0 };

		bed.pair[p] = recycle_bind(&ends, RECYCLE_RING, &e);
		if (bed.pair[p] != NULL)
			must(recycle_ethdev_serve(bed.pair[p], &e), e.text);
	}
}

static void
ports_stop(void)
{
	for (uint16_t p = 0; p < PORTS; p++) {
		must(rte_eth_dev_stop(p), "not stopped");
		if (bed.pair[p] == NULL)
			continue;
		recycle_ethdev_drop(bed.pair[p]);
		recycle_unbind(bed.pair[p]);
		bed.pair[p] = NULL;
	}
}

/* max: packets of a burst. */
static void
turn(uint16_t max)
{
	struct rte_mbuf *pkts[BURST];

	for (uint16_t p = 0; p < PORTS; p++) {
		uint16_t got, sent;

		if (!bed.one_way || p == 0)
			bed.moved += rte_eth_recycle_mbufs(p, 0, 1 - p, 0, &bed.info[p]);
		got = rte_eth_rx_burst(p, 0, pkts, max);
		sent = rte_eth_tx_burst(1 - p, 0, pkts, got);
		bed.sent += sent;
		rte_pktmbuf_free_bulk(pkts + sent, got - sent);
	}
}

static void
turns(unsigned int n)
{
	while (n-- > 0) {
		turn(BURST);
		bed.model_step();
	}
}

/* Each mbuf is in the pool, once. */
static void
pool_check(void)
{
	static void *all[MBUFS];
	unsigned int n = 0;

	while (n < MBUFS && rte_mempool_get(bed.pool, &all[n]) == 0) {
		struct rte_mbuf *m = all[n];

		if (m->port == UINT16_MAX - 1)
			verdict("an mbuf is in the pool twice");
		m->port = UINT16_MAX - 1;
		n++;
	}
	if (n != MBUFS || rte_mempool_get(bed.pool, &all[0]) == 0)
		verdict("the pool has not its number of mbufs");
}

/* What came back, buffers and pool; good words tell whether anything was moved. */
static __rte_noreturn void
finish(void)
{
	struct model_nic_report r;
	char text[LINE];

	ports_stop();
	for (uint16_t p = 0; p < PORTS; p++) {
		must(!bed.model_report(p, &r), "no report");
		snprintf(text, sizeof(text),
			"bad: corrupted %llu duplicated %llu armed twice %llu in tx %llu",
			(unsigned long long)(r.corrupted + r.foreign),
			(unsigned long long)r.duplicated, (unsigned long long)r.armed_twice,
			(unsigned long long)(r.armed_in_tx + r.sent_while_armed));
		if (r.corrupted + r.foreign + r.duplicated + r.reordered + r.armed_twice +
				r.armed_in_tx + r.sent_while_armed !=
			0)
			verdict(text);
	}
	pool_check();
	snprintf(text, sizeof(text), "good, %s moved",
		bed.moved == 0                         ? "nothing"
			: bed.moved > bed.sent * 3 / 4 ? "most"
						       : "some");
	verdict(text);
}

static void
run_stream(uint16_t rs)
{
	ports_start(512, rs, 0);
	ports_pair();
	turns(1000);
	finish();
}

/* Of what port 1 has sent, port 0's ring holds the very mbufs. */
static void
run_which(uint16_t rs)
{
	struct rte_mbuf *pkts[4 * BURST], *got[BURST];
	uint16_t head, n, wrong = 0;
	char text[LINE];

	ports_start(512, rs, 0);
	ports_pair();
	/* Free slots to move into. */
	for (unsigned int i = 0; i < 3; i++) {
		bed.model_step();
		rte_pktmbuf_free_bulk(got, rte_eth_rx_burst(0, 0, got, BURST));
	}
	for (unsigned int i = 0; i < RTE_DIM(pkts); i++) {
		pkts[i] = rte_pktmbuf_alloc(bed.pool);
		must(pkts[i] == NULL || rte_pktmbuf_append(pkts[i], 60) == NULL, "no packet");
		must(rte_eth_tx_burst(1, 0, &pkts[i], 1) != 1, "not taken");
	}
	bed.model_step();
	head = *bed.info[0].refill_head;
	n = rte_eth_fp_ops[1].recycle_tx_mbufs_reuse(rte_eth_fp_ops[1].txq.data[0], &bed.info[0]);
	for (uint16_t i = 0; i < n; i++)
		wrong += bed.info[0].mbuf_ring[head + i] != pkts[i];
	snprintf(text, sizeof(text), "%s: %u of %u are not the mbufs that were sent",
		wrong == 0 ? "good" : "bad", wrong, n);
	verdict(text);
}

/* The Tx ring is filled up to its threshold, and nothing of it is sent. */
static void
run_unsent(uint16_t rs)
{
	struct rte_mbuf *pkts[4 * BURST];
	uint16_t n = 0;

	bed.brimful = true;
	ports_start(2 * rs, rs, 0);
	ports_pair();
	/* As many slots are free to move into. */
	for (unsigned int i = 0; i < 3; i++) {
		bed.model_step();
		n += rte_eth_rx_burst(0, 0, pkts + n, BURST);
	}
	must(n <= rs, "too few received");
	must(rte_eth_tx_burst(1, 0, pkts, rs - 1) != rs - 1, "too few taken");
	rte_pktmbuf_free_bulk(pkts + rs - 1, n - rs + 1);
	if (rte_eth_fp_ops[1].recycle_tx_mbufs_reuse(rte_eth_fp_ops[1].txq.data[0], &bed.info[0]) !=
		0)
		verdict("mbufs were taken that are not sent");
	verdict("good, nothing moved");
}

/* A transmit function that keeps its mbufs otherwise takes the place of one that can be recycled from. */
static void
run_restart(uint16_t rs)
{
	ports_start(512, rs, 0);
	ports_stop();
	ports_start(512, rs, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	ports_pair();
	turns(1000);
	finish();
}

/* A vector function receives, the simple one transmits. */
static void
run_simple(uint16_t rs)
{
	bed.one_way = true;
	port_start(0, 512, 512, rs, 0);
	rte_vect_set_max_simd_bitwidth(64);
	port_start(1, 512, 512, rs, 0);
	ports_pair();
	turns(300);
	finish();
}

static const struct {
	const char *name;
	void (*run)(uint16_t rs);
} runs[] = {
	{ "stream", run_stream },
	{ "which", run_which },
	{ "unsent", run_unsent },
	{ "restart", run_restart },
	{ "simple", run_simple },
};

void
recycle_ethdev_run(const char *by, const char *run, const char *rs)
{
	bed.served = strcmp(by, "served") == 0;
	eal_start();
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		if (strcmp(runs[i].name, run) == 0)
			runs[i].run((uint16_t)atoi(rs));
	verdict("no such run");
}
