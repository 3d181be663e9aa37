/* rte_eth_recycle_mbufs() on modelled NICs: carried out by recycle_ethdev.h everything is good, by the drivers' callbacks it is not. */
/* Each run is a process of its own, this program again with words: some of the drivers' end in a crash. */
#include "recycle_ethdev.h"

#include "base.h"
#include "err.h"
#include "model_nic/model_nic.h"

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_vect.h>
#include <rte_version.h>

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum {
	PORTS = 2,
	BURST = 32,
	MBUFS = 8191,
	LINE = 160,
	TWENTY_FIVE = RTE_VERSION >= RTE_VERSION_NUM(25, 3, 0, 0)
};

/* --- a run --- */

static struct bed {
	bool brimful;                /* tx_rs_thresh and tx_free_thresh add up to the whole ring */
	bool served;                 /* by recycle_ethdev.h */
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

		/* Where neither the driver nor the pairs have a callback, DPDK 25.11 calls it all the same. */
		if (rte_eth_fp_ops[p].recycle_rx_descriptors_refill != NULL)
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
	ports_pair();
	turns(100);
	ports_stop();
	ports_start(512, rs, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	ports_pair();
	bed.moved = 0;
	turns(1000);
	finish();
}

/* A vector function receives, the simple one transmits. */
static void
run_simple(uint16_t rs)
{
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
	{ "unsent", run_unsent },
	{ "restart", run_restart },
	{ "simple", run_simple },
};

/* --- the runs that are wanted --- */

/* "served" or "driver", the run, its tx_rs_thresh; out: what it came to. */
static void
child(const char *device, const char *bits, const char *by, const char *run, const char *rs,
	char out[LINE])
{
	char line[512], command[512];
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command),
		"exec env MODEL_NIC=%s,verify,flows=16*2 MODEL_NIC_MODE=step SIMD_BITS=%s \"%s\" %s %s %s 2>&1",
		device, bits, getenv("SELF"), by, run, rs);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	snprintf(out, LINE, "silence");
	while (fgets(line, sizeof(line), pipe) != NULL)
		if (sscanf(line, "verdict: %159[^\n]", out) != 1 && getenv("VERBOSE") != NULL)
			print_message("# %s", line);
	status = pclose(pipe);
	if (WIFSIGNALED(status))
		snprintf(out, LINE, "crash, signal %d", WTERMSIG(status));
	else if (status != 0)
		snprintf(out, LINE, "exit %d", WEXITSTATUS(status));
	print_message("# %s %s bits, rs %s, %s by %s: %s\n", device, bits, rs, run, by, out);
}

enum { OLD = 1, NEW = 2, BOTH = OLD | NEW }; /* DPDK 23.11 to 24.11; since 25.03 */

static const struct {
	const char *device, *bits, *by, *run, *rs,
		*wants; /* wants: how the verdict begins; NULL: a crash, or one of the faults */
	unsigned int releases;
} wanted[] = {
	{ "xl710", "128", "served", "stream", "32", "good, most moved", BOTH },
	{ "xl710", "256", "served", "stream", "64", "good, some moved", OLD },
	{ "xl710", "256", "served", "stream", "64", "good, most moved", NEW },
	{ "xl710", "512", "served", "stream", "32", "good, most moved", BOTH },
	{ "82599", "128", "served", "stream", "32", "good, most moved", BOTH },
	{ "xl710", "128", "driver", "stream", "32", "good, most moved", OLD },
	{ "xl710", "128", "driver", "stream", "32", "good, nothing moved", NEW },
	{ "xl710", "128", "driver", "stream", "64", NULL, NEW },
	{ "xl710", "256", "driver", "stream", "64", NULL, NEW },
	{ "82599", "128", "driver", "stream", "32", NULL, OLD },
	{ "82599", "128", "driver", "stream", "32", "good, nothing moved", NEW },
	{ "xl710", "128", "served", "unsent", "32", "good", OLD },
	{ "xl710", "128", "driver", "unsent", "32", NULL, OLD },
	{ "82599", "128", "served", "unsent", "32", "good", OLD },
	{ "82599", "128", "driver", "unsent", "32", NULL, OLD },
	{ "xl710", "128", "served", "unsent", "64", "good", NEW },
	{ "xl710", "128", "driver", "unsent", "64", NULL, NEW },
	{ "xl710", "128", "served", "restart", "32", "good, nothing moved", BOTH },
	{ "xl710", "128", "driver", "restart", "32", NULL, OLD },
	{ "xl710", "128", "driver", "restart", "64", NULL, NEW },
	{ "xl710", "128", "served", "simple", "32", "good", OLD },
	{ "xl710", "128", "driver", "simple", "32", NULL, OLD },
	{ "xl710", "128", "served", "simple", "64", "good", NEW },
	{ "xl710", "128", "driver", "simple", "64", NULL, NEW },
	{ "xl710", "512", "driver", "stream", "32", "good, nothing moved", BOTH },
};

static bool
is_fault(const char *out)
{
	static const char *const faults[] = { "crash", "bad", "mbufs were taken", "an mbuf is" };

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (strncmp(out, faults[i], strlen(faults[i])) == 0)
			return true;
	return false;
}

/* Those carried out by whom *state names. */
static void
each_run(void **state)
{
	unsigned int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const char *wants = wanted[i].wants;
		char out[LINE];

		if (strcmp(wanted[i].by, *state) != 0 ||
			(wanted[i].releases & (TWENTY_FIVE ? NEW : OLD)) == 0)
			continue;
		child(wanted[i].device, wanted[i].bits, wanted[i].by, wanted[i].run, wanted[i].rs,
			out);
		if (wants != NULL ? strncmp(out, wants, strlen(wants)) != 0 : !is_fault(out)) {
			print_message("# wanted: %s\n", wants != NULL ? wants : "a fault");
			failed++;
		}
	}
	assert_int_equal(failed, 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(each_run, (void *)(uintptr_t) "served"),
		cmocka_unit_test_prestate(each_run, (void *)(uintptr_t) "driver"),
	};

	if (argc != 4) {
		setenv("SELF", argv[0], 1);
		return cmocka_run_group_tests_name("recycle_ethdev", tests, NULL, NULL);
	}
	bed.served = strcmp(argv[1], "served") == 0;
	eal_start();
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		if (strcmp(runs[i].name, argv[2]) == 0)
			runs[i].run((uint16_t)atoi(argv[3]));
	verdict("no such run");
}
