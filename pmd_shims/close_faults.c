/* Faults of drivers that lose buffers, or free them twice, when a port stops or closes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/close_faults.h"

#include "base/base.h"
#include "compat.h"
#include "memory/pool_check.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <rte_version.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

/*
 * net_ring frees its rings without the packets in them (DPDK 22.11 to 25.11). The rings exist for
 * all possible queues of the port, also unconfigured ones, with names given by the driver.
 */
static void
ring_left(uint16_t port)
{
	char device[RTE_ETH_NAME_MAX_LEN], name[RTE_RING_NAMESIZE];
	struct rte_ring *r;
	void *m;

	if (compat_port_name(port, device) != 0)
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
}

void
close_faults_free(uint16_t port, const char *driver)
{
	if (driver != NULL && strcmp(driver, "net_ring") == 0)
		ring_left(port);
}

/*
 * driver: prefix of the driver's name; function: part of the burst function's name. Each fault is
 * described in doc/upstream/.
 */
static const struct {
	const char *driver, *function;
	bool rx;
	unsigned int first, last; /* affected DPDK releases */
	bool missing, twice;      /* leaks buffers; frees them twice (<= descriptors) */
	const char *text;
} faults[] = {
	{ "net_virtio", "packed", true, RTE_VERSION_NUM(22, 11, 0, 0),
		RTE_VERSION_NUM(26, 11, 0, 0), false, true,
		"frees received buffers a second time when the port closes" },
	{ "net_virtio", "packed vectorised", false, RTE_VERSION_NUM(22, 11, 0, 0),
		RTE_VERSION_NUM(26, 11, 0, 0), true, false, "leaks the buffers of full rings" },
	/*
	 * The vector functions free sent packets up to the end of the ring, but not those from its
	 * start to the tail. Fixed upstream by commit 12016895fc, which no 22.11 release contains.
	 * These releases do not report function names, so leaks of the scalar function would also
	 * be attributed to this fault.
	 */
	{ "net_iavf", "", false, RTE_VERSION_NUM(22, 11, 0, 0), RTE_VERSION_NUM(23, 7, 99, 99),
		true, false, "does not free all sent packets when a queue stops" },
	{ "net_ixgbe", "Scalar", false, RTE_VERSION_NUM(26, 7, 0, 0), RTE_VERSION_NUM(26, 11, 0, 0),
		true, false, "does not free all sent packets when a port stops" },
};

static_assert(ARRAY_SIZE(faults) == CLOSE_FAULTS, "one count for each");

void
close_faults_note(uint16_t port, const char *driver, uint64_t rx, uint64_t tx,
	uint64_t counts[CLOSE_FAULTS])
{
	char path[SHIM_PATH];

	for (size_t i = 0; driver != NULL && i < ARRAY_SIZE(faults); i++) {
		if (strncmp(driver, faults[i].driver, strlen(faults[i].driver)) != 0 ||
			RTE_VERSION < faults[i].first || RTE_VERSION > faults[i].last)
			continue;
		shim_path(port, 0, faults[i].rx, path);
		if (strstr(path, faults[i].function) != NULL)
			counts[i] += faults[i].rx ? rx : tx;
	}
}

struct pool_known
close_faults_known(const uint64_t counts[CLOSE_FAULTS])
{
	struct pool_known known = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		const size_t n = strlen(known.why);

		if (counts[i] == 0)
			continue;
		known.missing += faults[i].missing ? counts[i] : 0;
		known.twice += faults[i].twice ? counts[i] : 0;
		snprintf(known.why + n, sizeof(known.why) - n, "%s%s %s (%s) %s", n > 0 ? "; " : "",
			faults[i].driver, faults[i].function, rte_version(), faults[i].text);
	}
	return known;
}
