/* Packets that a driver has when its port closes, and does not free: they would be missing in their
 * pools until the program ends. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_left.h"

#include "base/base.h"
#include "port/port.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include <stdio.h>
#include <string.h>

/*
 * Frees its rings with the packets in them (DPDK 22.11 to 25.11). They are there for all queues that
 * the port could have, those that it was not configured with too, under names of the driver's.
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
} rows[] = {
	{ "net_ring", ring_left },
};

void
port_left_free(const struct port *p)
{
	const char *driver = p->info.driver_name;

	for (size_t i = 0; driver != NULL && i < ARRAY_SIZE(rows); i++)
		if (strcmp(driver, rows[i].driver) == 0)
			rows[i].free(p);
}
