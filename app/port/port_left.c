/* Packets that a driver does not free when its port closes: their pools would lack them until the
 * program ends. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_left.h"

#include "base/base.h"
#include "pmd_shims/recycle/shim.h"
#include "port/port.h"
#include "port/port_setup.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <rte_version.h>

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * net_ring frees its rings without the packets in them (DPDK 22.11 to 25.11). The rings exist for
 * all possible queues of the port, also unconfigured ones, with names given by the driver.
 */
static void
ring_left(const struct port *p)
{
	char device[RTE_ETH_NAME_MAX_LEN], name[RTE_RING_NAMESIZE];
	struct rte_ring *r;
	void *m;

	if (rte_eth_dev_get_name_by_port(p->id, device) != 0)
		return;
	for (unsigned int i = 0; i < RTE_MAX_QUEUES_PER_PORT; i++) {
		if (snprintf(name, sizeof(name), "ETH_RXTX%u_%s", i, device) >= (int)sizeof(name))
			return;
		r = rte_ring_lookup(name);
		if (r == NULL)
			return;
		while (rte_ring_dequeue(r, &m) == 0)
			rte_pktmbuf_free(m);
	}
	return;
}

static const struct {
	const char *driver;
	void (*free)(const struct port *p);
} forget[] = {
	{ "net_ring", ring_left },
};

void
port_left_free(const struct port *p)
{
	const char *driver = p->info.driver_name;

	for (size_t i = 0; driver != NULL && i < ARRAY_SIZE(forget); i++)
		if (strcmp(driver, forget[i].driver) == 0)
			forget[i].free(p);
}

/*
 * driver: prefix of the driver's name; function: part of the burst function's name. Each fault is
 * described in doc/recycle.md.
 */
static const struct {
	const char *driver, *function;
	bool rx;
	unsigned int first, last; /* affected DPDK releases */
	bool missing, twice;      /* leaks buffers; frees them twice (<= descriptors) */
	const char *text;
} faults[] = {
	{ "net_virtio", "packed", true, RTE_VERSION_NUM(22, 11, 0, 0),
		RTE_VERSION_NUM(22, 11, 99, 99), false, true,
		"frees received buffers a second time when the port closes" },
	{ "net_virtio", "packed vectorised", false, RTE_VERSION_NUM(22, 11, 0, 0),
		RTE_VERSION_NUM(22, 11, 99, 99), true, false, "leaks the buffers of full rings" },
	/*
	 * The vector functions free sent packets up to the end of the ring, but not those from its
	 * start to the tail. Fixed upstream by commit 12016895fc, which no 22.11 release contains.
	 * These releases do not report function names, so leaks of the scalar function would also
	 * be attributed to this fault.
	 */
	{ "net_iavf", "", false, RTE_VERSION_NUM(22, 11, 0, 0), RTE_VERSION_NUM(23, 7, 99, 99),
		true, false, "does not free all sent packets when a queue stops" },
};

static_assert(ARRAY_SIZE(faults) <= PORT_LEFT_FAULTS, "struct ports counts descriptors of each");

/* Return the number of descriptors at setup; net_virtio cannot report those of its queues. */
static uint64_t
descriptors(const struct port *p, bool rx)
{
	uint64_t n = 0;

	for (uint16_t i = 0; i < (rx ? p->n_rxq : p->n_txq); i++)
		n += port_setup_descriptors(p, rx, i);
	return n;
}

void
port_left_note(struct ports *ps, const struct port *p)
{
	const char *driver = p->info.driver_name;
	char path[SHIM_PATH];

	for (size_t i = 0; driver != NULL && i < ARRAY_SIZE(faults); i++) {
		if (strncmp(driver, faults[i].driver, strlen(faults[i].driver)) != 0 ||
			RTE_VERSION < faults[i].first || RTE_VERSION > faults[i].last)
			continue;
		shim_path(p->id, 0, faults[i].rx, path);
		if (strstr(path, faults[i].function) != NULL)
			ps->left_faults[i] += descriptors(p, faults[i].rx);
	}
}

struct pool_known
port_left_known(const struct ports *ps)
{
	struct pool_known known = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		const size_t n = strlen(known.why);

		if (ps->left_faults[i] == 0)
			continue;
		known.missing += faults[i].missing ? ps->left_faults[i] : 0;
		known.twice += faults[i].twice ? ps->left_faults[i] : 0;
		snprintf(known.why + n, sizeof(known.why) - n, "%s%s %s (%s) %s", n > 0 ? "; " : "",
			faults[i].driver, faults[i].function, rte_version(), faults[i].text);
	}
	return known;
}
