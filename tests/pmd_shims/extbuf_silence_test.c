/* One piece of memory that EAL knows from elsewhere, and a virtio_user port starts, takes packets,
 * and nothing arrives: the reason for what extmem refuses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/own_lcores.h"
#include "fixtures/unit.h"

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PACKETS = 32,
	RING = 256,
	BYTES = 2 << 20,
	PAGE = 4096,
	WAITS = 20000,
	WAIT_US = 1000,
	SILENCE = 300
};

static char folder[] = "/tmp/silence.XXXXXX";
static struct rte_mempool *pool;
static uint16_t backend;

static void
port_start(uint16_t port)
{
	const struct rte_eth_conf conf = { 0 };

	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(port, 0, RING, SOCKET_ID_ANY, NULL, pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(port, 0, RING, SOCKET_ID_ANY, NULL), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
}

static int
setup(void **state)
{
	char vhost[64],
		*args[] = { "silence", "--no-huge", "--no-shconf", "--no-pci", "-m", "128",
			"--no-telemetry", own_lcores("0"), "--log-level=critical", vhost };

	assert_non_null(mkdtemp(folder));
	snprintf(vhost, sizeof(vhost), "--vdev=net_vhost0,iface=%s/s", folder);
	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	pool = rte_pktmbuf_pool_create("pool", 4095, 128, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	assert_non_null(pool);
	assert_int_equal(rte_eth_dev_get_port_by_name("net_vhost0", &backend), 0);
	port_start(backend);
	return 0;
}

static int
teardown(void **state)
{
	rte_eth_dev_stop(backend);
	rte_eth_dev_close(backend);
	rte_eal_cleanup();
	return rmdir(folder);
}

static unsigned int
backend_receive(void)
{
	struct rte_mbuf *pkts[PACKETS];
	uint16_t n = rte_eth_rx_burst(backend, 0, pkts, PACKETS);

	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

/*
 * A port that is attached now starts and sends: how many packets of PACKETS the other side sees,
 * and how many the port took.
 */
static unsigned int
arrived(unsigned int waits, unsigned int *taken)
{
	struct rte_mbuf *pkts[PACKETS];
	unsigned int got = 0;
	char devargs[64];
	uint16_t port;

	snprintf(devargs, sizeof(devargs), "path=%s/s,queue_size=%u", folder, RING);
	assert_int_equal(rte_eal_hotplug_add("vdev", "net_virtio_user0", devargs), 0);
	assert_int_equal(rte_eth_dev_get_port_by_name("net_virtio_user0", &port), 0);
	port_start(port);
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, pkts, PACKETS), 0);
	for (unsigned int i = 0; i < PACKETS; i++)
		memset(rte_pktmbuf_append(pkts[i], 60), 0, 60);
	*taken = rte_eth_tx_burst(port, 0, pkts, PACKETS);
	rte_pktmbuf_free_bulk(pkts + *taken, PACKETS - *taken);
	for (unsigned int i = 0; i < waits && got < PACKETS; i++) {
		got += backend_receive();
		rte_delay_us_sleep(WAIT_US);
	}
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_dev_close(port), 0);
	assert_int_equal(rte_eal_hotplug_remove("vdev", "net_virtio_user0"), 0);
	return got;
}

TEST(silence)
{
	void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	unsigned int taken;

	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(arrived(WAITS, &taken), PACKETS);
	assert_int_equal(rte_extmem_register(memory, BYTES, NULL, 0, PAGE), 0);
	assert_int_equal(arrived(SILENCE, &taken), 0);
	assert_int_equal(taken, PACKETS);
	assert_int_equal(rte_extmem_unregister(memory, BYTES), 0);
	assert_int_equal(arrived(WAITS, &taken), PACKETS);
	munmap(memory, BYTES);
}

TESTS(.setup = setup, .teardown = teardown);
