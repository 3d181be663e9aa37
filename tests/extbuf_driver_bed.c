/* Two ports of any driver over NICs that move when told to, receiving into a pool of pinned buffers or into an ordinary one. */
#include "extbuf_driver_bed.h"

#include "base.h"
#include "err.h"
#include "model_nic/model_nic.h"
#include "stepped.h"

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { PATIENCE = 100000, WAIT_US = 100 };

struct driver_bed bed = { .element = BED_ELEMENT };

static struct {
	struct stepped model;
	char folder[32];    /* of virtio's sockets; empty: none */
	unsigned int round; /* pools of each test have names of their own */
	struct sigaction
		registers; /* the handler behind the model's registers; cmocka puts its own in front of each test */
} nic;

static void
vdev_name(char *name, size_t bytes, unsigned int p, const char **arguments)
{
	const char *devargs = getenv("EXTBUF_VDEV");
	const size_t n = strcspn(devargs, ",");

	snprintf(name, bytes, "%.*s%u", (int)n, devargs, p);
	*arguments = devargs[n] == ',' ? devargs + n + 1 : devargs + n;
}

int
bed_setup(void **state)
{
	char bits[64],
		*args[] = { "extbuf", "--no-huge", "--no-shconf", "--no-pci", "-m", "256",
			"--no-telemetry", "--lcores=0", "--iova-mode=va", "--log-level=error",
			"--log-level=pmd.net.virtio*:critical", bits, "-d",
			getenv("MODEL_NIC_PLUGIN") };

	bed.hotplug = getenv("EXTBUF_VDEV") != NULL;
	if (bed.hotplug) {
		strcpy(nic.folder, "/tmp/extbuf.XXXXXX");
		assert_non_null(mkdtemp(nic.folder));
		assert_int_equal(setenv("VHOST_NIC", nic.folder, 1), 0);
	}
	/* Where that is given, mock ports take no path by its name. */
	snprintf(bits, sizeof(bits), "--%s%s",
		getenv("SIMD_BITS") != NULL ? "force-max-simd-bitwidth=" : "no-pci",
		getenv("SIMD_BITS") != NULL ? getenv("SIMD_BITS") : "");
	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	stepped_open(&nic.model);
	sigaction(SIGSEGV, NULL, &nic.registers);
	return 0;
}

int
bed_teardown(void **state)
{
	char path[64];

	sigaction(SIGSEGV, &nic.registers, NULL);
	for (unsigned int p = 0; p < BED_PORTS && bed.hotplug; p++) {
		snprintf(path, sizeof(path), "%s/%u", nic.folder, p);
		unlink(path);
	}
	if (bed.hotplug)
		rmdir(nic.folder);
	return rte_eal_cleanup();
}

static void
ports_find(void)
{
	char name[64], devargs[256];
	const char *arguments;

	for (unsigned int p = 0; p < BED_PORTS; p++) {
		int n;

		bed.port[p] = (uint16_t)p;
		if (!bed.hotplug)
			continue;
		vdev_name(name, sizeof(name), p, &arguments);
		n = snprintf(devargs, sizeof(devargs), "%s", arguments);
		/* Mock ports take no path, and virtio is nothing without. */
		if (strstr(name, "virtio") != NULL)
			snprintf(devargs + n, sizeof(devargs) - (size_t)n, ",path=%s/%u",
				nic.folder, p);
		assert_int_equal(rte_eal_hotplug_add("vdev", name, devargs), 0);
		assert_int_equal(rte_eth_dev_get_port_by_name(name, &bed.port[p]), 0);
	}
}

uint64_t
bed_has(uint64_t tx_offloads)
{
	struct rte_eth_dev_info info;

	assert_int_equal(rte_eth_dev_info_get(bed.port[0], &info), 0);
	return info.tx_offload_capa & tx_offloads;
}

/* Pinned buffers one behind the other, from where a page begins. */
static void
region_make(void)
{
	const size_t bytes = (size_t)BED_MBUFS * bed.element;
	struct rte_pktmbuf_extmem memory = { .buf_len = bytes, .elt_size = (uint16_t)bed.element };
	char name[RTE_MEMPOOL_NAMESIZE];

	memory.buf_ptr = bed.region = rte_zmalloc("region", bytes, 4096);
	memory.buf_iova = (rte_iova_t)(uintptr_t)bed.region;
	bed.before = malloc(bytes);
	assert_true(bed.region != NULL && bed.before != NULL);
	snprintf(name, sizeof(name), "pinned%u", nic.round);
	bed.pinned = rte_pktmbuf_pool_create_extbuf(name, BED_MBUFS, 128, 0, (uint16_t)bed.element,
		SOCKET_ID_ANY, &memory, 1);
	assert_non_null(bed.pinned);
}

static void
pools_make(bool pinned)
{
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "plain%u", nic.round);
	bed.plain = rte_pktmbuf_pool_create(name, BED_MBUFS, 128, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	assert_non_null(bed.plain);
	if (pinned && bed.pinned == NULL)
		region_make();
	nic.round++;
}

static void
port_start(uint16_t port, uint64_t tx_offloads)
{
	const struct rte_eth_conf conf = { .txmode.offloads = tx_offloads };
	struct rte_eth_txconf tx;
	struct rte_eth_dev_info info;

	assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
	tx = info.default_txconf;
	tx.offloads = tx_offloads;
	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(port, 0, BED_RING, SOCKET_ID_ANY, NULL,
				 bed.pinned != NULL ? bed.pinned : bed.plain),
		0);
	assert_int_equal(rte_eth_tx_queue_setup(port, 0, BED_RING, SOCKET_ID_ANY, &tx), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
}

/* Devices of virtio take their rings over in threads of their own. */
static bool
devices_run(void)
{
	struct model_nic_report r;

	for (unsigned int p = 0; p < BED_PORTS; p++)
		if (!nic.model.report(p, &r) || r.rx_packets == 0)
			return false;
	return true;
}

void
bed_open(bool pinned, uint64_t tx_offloads)
{
	sigaction(SIGSEGV, &nic.registers, NULL);
	ports_find();
	pools_make(pinned);
	for (unsigned int p = 0; p < BED_PORTS; p++) {
		port_start(bed.port[p], tx_offloads);
		nic.model.reset(p);
	}
	for (unsigned int i = 0; !devices_run(); i++) {
		assert_true(i < PATIENCE);
		if (bed.hotplug)
			rte_delay_us_sleep(WAIT_US);
		nic.model.step();
	}
}

void
bed_close(bool whole)
{
	const char *arguments;
	char name[64];

	for (unsigned int p = 0; p < BED_PORTS; p++) {
		assert_int_equal(rte_eth_dev_stop(bed.port[p]), 0);
		if (!bed.hotplug)
			continue;
		vdev_name(name, sizeof(name), p, &arguments);
		assert_int_equal(rte_eth_dev_close(bed.port[p]), 0);
		assert_int_equal(rte_eal_hotplug_remove("vdev", name), 0);
	}
	if (whole) {
		assert_int_equal(rte_mempool_in_use_count(bed.plain), 0);
		if (bed.pinned != NULL)
			assert_int_equal(rte_mempool_in_use_count(bed.pinned), 0);
	}
	rte_mempool_free(bed.plain);
	if (bed.region != NULL)
		rte_mempool_free(bed.pinned);
	bed.pinned = NULL;
	rte_free(bed.region);
	free(bed.before);
	bed.region = bed.before = NULL;
}

void
bed_turns(unsigned int n)
{
	struct rte_mbuf *pkts[BED_BURST];

	while (n-- > 0) {
		for (unsigned int p = 0; p < BED_PORTS; p++) {
			uint16_t got = rte_eth_rx_burst(bed.port[p], 0, pkts, BED_BURST),
				 sent = rte_eth_tx_burst(bed.port[1 - p], 0, pkts, got);

			rte_pktmbuf_free_bulk(pkts + sent, got - sent);
		}
		nic.model.step();
	}
}

uint16_t
bed_poll(struct rte_mbuf *pkts[BED_BURST])
{
	uint16_t n = rte_eth_rx_burst(bed.port[0], 0, pkts, BED_BURST);

	nic.model.step();
	return n;
}

void
bed_receive(struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t got = 0;

	for (unsigned int i = 0; got < n; i++) {
		struct rte_mbuf *more[BED_BURST];
		uint16_t came = bed_poll(more);

		assert_true(i < PATIENCE);
		for (uint16_t k = 0; k < came; k++)
			if (got < n)
				pkts[got++] = more[k];
			else
				rte_pktmbuf_free(more[k]);
	}
}

void
bed_send(struct rte_mbuf **pkts, uint16_t n)
{
	for (unsigned int i = 0; n > 0; i++) {
		uint16_t sent = rte_eth_tx_burst(bed.port[1], 0, pkts, n);

		assert_true(i < PATIENCE);
		pkts += sent;
		n -= sent;
		nic.model.step();
	}
}

void
bed_region_keep(void)
{
	memcpy(bed.before, bed.region, (size_t)BED_MBUFS * bed.element);
}

bool
bed_region_changed(void)
{
	return memcmp(bed.before, bed.region, (size_t)BED_MBUFS * bed.element) != 0;
}

struct model_nic_report
bed_reports(void)
{
	struct model_nic_report sum;

	stepped_reports(&nic.model, BED_PORTS, &sum);
	return sum;
}

bool
bed_finds(const char *word)
{
	return strstr(getenv("EXTBUF_FINDS"), word) != NULL;
}

enum extbuf_fate
bed_rx_fate(enum extbuf_rx_use use)
{
	struct extbuf_queue q;
	struct err e;

	err_clear(&e);
	assert_int_equal(extbuf_rx_judge(bed.port[0], 0, &q, &e), 0);
	assert_true(q.known);
	assert_true(q.path[0] != '\0');
	return q.verdict[use].fate;
}

enum extbuf_fate
bed_tx_fate(uint64_t offloads, enum extbuf_tx_use use)
{
	struct extbuf_queue q;
	struct err e;

	err_clear(&e);
	assert_int_equal(extbuf_tx_judge(bed.port[1], 0, offloads, &q, &e), 0);
	assert_true(q.known);
	return q.verdict[use].fate;
}
