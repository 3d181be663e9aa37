/* Ports, devices and pools of one test, and what must hold when they go. */
#include "recycle_virtio_bed.h"

#include "base.h"
#include "err.h"
#include "model_nic/model_nic.h"

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_vect.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

const struct paths all_paths[ALL_PATHS] = {
	{ "split", { SPLIT, SPLIT }, true, false },
	{ "split to split in order", { SPLIT, SPLIT_IN_ORDER }, false, false },
	{ "split to packed in order", { SPLIT, PACKED_IN_ORDER }, false, false },
	{ "packed", { PACKED, PACKED }, true, true },
	{ "packed and split", { PACKED, SPLIT }, true, true },
	{ "packed to split in order", { PACKED, SPLIT_IN_ORDER }, false, true },
	{ "packed to packed in order", { PACKED, PACKED_IN_ORDER }, false, true },
};

struct bed bed = { .folder = "/tmp/recycle.XXXXXX" };

int
group_setup(void **state)
{
	char bits[64],
		*args[] = { "recycle", "--no-huge", "--no-shconf", "--no-pci", "-m", "256",
			"--no-telemetry", "--lcores=0", "--iova-mode=va", "--log-level=error",
			"--log-level=pmd.net.virtio*:critical", bits, "-d",
			getenv("MODEL_NIC_PLUGIN") };
	int n = ARRAY_SIZE(args);

	assert_non_null(mkdtemp(bed.folder));
	assert_int_equal(setenv("VHOST_NIC", bed.folder, 1), 0);
	snprintf(bits, sizeof(bits), "--force-max-simd-bitwidth=%s", getenv("SIMD_BITS"));
	assert_int_equal(rte_eal_init(n, args), n - 1);
	stepped_open(&bed.model);
	bed.wide = rte_vect_get_max_simd_bitwidth() >= RTE_VECT_SIMD_512 &&
		__builtin_cpu_supports("avx512f");
	return 0;
}

int
group_teardown(void **state)
{
	char socket[64];

	for (unsigned int i = 0; i < PORTS; i++) {
		snprintf(socket, sizeof(socket), "%s/%u", bed.folder, i);
		unlink(socket);
	}
	assert_int_equal(rmdir(bed.folder), 0);
	return rte_eal_cleanup();
}

bool
runs(const struct paths *p)
{
	return !p->wide || bed.wide;
}

static void
port_open(unsigned int i, uint16_t ring)
{
	struct rte_eth_rxconf rx = { .rx_free_thresh = RX_THRESH < ring ? RX_THRESH : 0 };
	struct rte_eth_txconf tx = {
		.tx_free_thresh = strcmp(bed.paths->devargs[i], PACKED) == 0 ? ring * 3 / 4 : 0
	};
	const struct rte_eth_conf conf = { 0 };
	char name[32], devargs[256];

	snprintf(name, sizeof(name), "net_virtio_user%u", i);
	snprintf(devargs, sizeof(devargs), "path=%s/%u,mac=02:00:00:00:00:0%u,queue_size=%u,%s",
		bed.folder, i, i, ring, bed.paths->devargs[i]);
	assert_int_equal(rte_eal_hotplug_add("vdev", name, devargs), 0);
	assert_int_equal(rte_eth_dev_get_port_by_name(name, &bed.port[i]), 0);
	assert_int_equal(rte_eth_dev_configure(bed.port[i], 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(bed.port[i], 0, ring, SOCKET_ID_ANY, &rx,
				 deeds.pool),
		0);
	assert_int_equal(rte_eth_tx_queue_setup(bed.port[i], 0, ring, SOCKET_ID_ANY, &tx), 0);
	assert_int_equal(rte_eth_dev_start(bed.port[i]), 0);
	bed.model.reset(i);
}

/* The devices take their rings over in threads of their own. */
static bool
devices_run(void)
{
	struct model_nic_report r;

	for (unsigned int i = 0; i < PORTS; i++)
		if (!bed.model.report(i, &r) || r.rx_packets == 0)
			return false;
	return true;
}

/* Pools are new each time, and their rings have room beyond them: net_virtio frees mbufs twice when packed rings go. */
void
ports_open(const struct paths *paths, uint16_t ring)
{
	bed.paths = paths;
	bed.mbufs = ring < 2048 ? 6000 : 4u * ring;
	deeds.pool = rte_pktmbuf_pool_create("pool", bed.mbufs, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	deeds.foreign = rte_pktmbuf_pool_create("foreign", DEEDS_MBUFS, 250, 0,
		RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	assert_true(deeds.pool != NULL && deeds.foreign != NULL);
	for (unsigned int i = 0; i < PORTS; i++)
		port_open(i, ring);
	for (unsigned int i = 0; !devices_run(); i++) {
		assert_true(i < WAITS);
		rte_delay_us_sleep(WAIT_US);
		bed.model.step();
	}
}

struct recycle *
pair_bind(unsigned int i, enum recycle_mode mode, struct err *e)
{
	const struct recycle_ends ends = { bed.port[i], 0, bed.port[1 - i], 0 };

	err_clear(e);
	return recycle_bind(&ends, mode, e);
}

void
pairs_bind(enum recycle_mode mode)
{
	struct err e;

	for (unsigned int i = 0; i < PORTS; i++) {
		bed.pair[i] = pair_bind(i, mode, &e);
		if (i == 0 || bed.paths->both)
			assert_string_equal(e.text, "");
		else
			assert_non_null(strstr(e.text, "refills its ring while it receives"));
	}
}

void
turns(unsigned int n, deed *done)
{
	struct rte_mbuf *pkts[BURST];

	while (n-- > 0) {
		for (unsigned int i = 0; i < PORTS; i++) {
			uint16_t got, sent;

			if (bed.pair[i] != NULL)
				recycle_run(bed.pair[i]);
			got = rte_eth_rx_burst(bed.port[i], 0, pkts, BURST);
			for (uint16_t k = 0; k < got; k++, deeds.n++)
				pkts[k] = done(pkts[k]);
			sent = rte_eth_tx_burst(bed.port[1 - i], 0, pkts, got);
			bed.sent += sent;
			rte_pktmbuf_free_bulk(pkts + sent, got - sent);
		}
		/* At times each burst is done at once, at times many together. */
		if (n % 32 < 16 || n % 4 == 0)
			bed.model.step();
	}
}

static struct model_nic_report
reports(void)
{
	struct model_nic_report sum;

	stepped_reports(&bed.model, PORTS, &sum);
	return sum;
}

/* An mbuf that came out of a pool, by its number. */
static void
mark(struct rte_mempool *mp, void *arg, void *object, unsigned int number)
{
	struct rte_mbuf *m = object;

	*(unsigned int *)arg += m->dynfield1[0];
	m->dynfield1[0] = 0;
}

/* Every mbuf is there; twice are those at most that net_virtio frees once more. */
static void
pool_check(struct rte_mempool *pool, unsigned int size, unsigned int twice)
{
	unsigned int found = 0, there = 0;
	void *m;

	while (rte_mempool_get(pool, &m) == 0) {
		((struct rte_mbuf *)m)->dynfield1[0] = 1;
		there++;
	}
	rte_mempool_obj_iter(pool, mark, &found);
	assert_int_equal(found, size);
	assert_true(there >= size && there <= size + twice);
	rte_mempool_free(pool);
}

static void
ports_close(void)
{
	unsigned int packed = 0;

	for (unsigned int i = 0; i < PORTS; i++) {
		char name[32];

		packed += strcmp(bed.paths->devargs[i], PACKED) == 0;
		assert_int_equal(rte_eth_dev_stop(bed.port[i]), 0);
		recycle_unbind(bed.pair[i]);
		bed.pair[i] = NULL;
		assert_int_equal(rte_eth_dev_close(bed.port[i]), 0);
		snprintf(name, sizeof(name), "net_virtio_user%u", i);
		assert_int_equal(rte_eal_hotplug_remove("vdev", name), 0);
	}
	deeds_finish();
	pool_check(deeds.pool, bed.mbufs, packed * RX_THRESH);
	pool_check(deeds.foreign, DEEDS_MBUFS, 0);
}

void
finish(void)
{
	struct model_nic_report r;

	bed.model.step();
	r = reports();
	ports_close();
	assert_int_equal(r.corrupted + r.foreign + r.duplicated + r.reordered, 0);
	assert_int_equal(r.armed_twice + r.armed_in_tx + r.sent_while_armed, 0);
	assert_true(r.ok > 0 && r.ok == r.tx_packets && bed.sent == r.tx_packets);
	bed.sent = 0;
}

uint64_t
moved(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < PORTS; i++)
		if (bed.pair[i] != NULL)
			sum += counter_read(&recycle_count(bed.pair[i])->moved);
	return sum;
}
