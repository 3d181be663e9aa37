/* Read how the program uses its host, for doctor: lcores, ports, and what their drivers report. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/doctor/doctor_read.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "compat.h"
#include "engines/engine.h"
#include "features/doctor/doctor.h"
#include "memory/memory_lock.h"
#include "port/port_descriptors.h"
#include "port/port_info.h"
#include "port/port_setup.h"
#include "run/run.h"
#include "run/run_classes.h"
#include "run/run_cpu.h"
#include "stream/plan.h"

#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The largest speed that a driver reports for a port, in Mbit/s; 0: none. */
static uint32_t
speed_max(uint32_t capability)
{
	static const struct {
		uint32_t bit, mbps;
	} speeds[] = {
		{ COMPAT_LINK_SPEED_800G, 800000 },
		{ COMPAT_LINK_SPEED_400G, 400000 },
		{ RTE_ETH_LINK_SPEED_200G, 200000 },
		{ RTE_ETH_LINK_SPEED_100G, 100000 },
		{ RTE_ETH_LINK_SPEED_56G, 56000 },
		{ RTE_ETH_LINK_SPEED_50G, 50000 },
		{ RTE_ETH_LINK_SPEED_40G, 40000 },
		{ RTE_ETH_LINK_SPEED_25G, 25000 },
		{ RTE_ETH_LINK_SPEED_20G, 20000 },
		{ RTE_ETH_LINK_SPEED_10G, 10000 },
		{ RTE_ETH_LINK_SPEED_5G, 5000 },
		{ RTE_ETH_LINK_SPEED_2_5G, 2500 },
		{ RTE_ETH_LINK_SPEED_1G, 1000 },
		{ RTE_ETH_LINK_SPEED_100M, 100 },
		{ RTE_ETH_LINK_SPEED_10M, 10 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
		if ((capability & speeds[i].bit) != 0)
			return speeds[i].mbps;
	return 0;
}

/* Write the address of the port's PCI device; "" for other buses, and for modelled cards. */
static void
pci_read(const struct rte_device *device, char address[DOCTOR_PCI])
{
	unsigned int domain, bus, dev, function;
	const char *name = device != NULL ? rte_dev_name(device) : "";
	int end = 0;

	address[0] = '\0';
	if (device != NULL && !port_info_modelled(device) &&
		sscanf(name, "%4x:%2x:%2x.%1x%n", &domain, &bus, &dev, &function, &end) == 4 &&
		name[end] == '\0')
		snprintf(address, DOCTOR_PCI, "%s", name);
}

static void
link_read(const struct port *p, struct doctor_port *d)
{
	struct rte_eth_link link;

	d->mbps_max = speed_max(p->info.speed_capa);
	if (!d->started || rte_eth_link_get_nowait(p->id, &link) != 0)
		return;
	d->link_known = true;
	d->link_up = link.link_status != 0;
	d->half_duplex = d->link_up && link.link_duplex == RTE_ETH_LINK_HALF_DUPLEX &&
		link.link_speed != RTE_ETH_SPEED_NUM_NONE &&
		link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN;
	if (link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
		d->mbps = link.link_speed;
}

/* The longest frame, and the buffers that it has to fit in. */
static void
frames_read(const struct port *p, struct doctor_port *d)
{
	const struct rte_mempool *pool = p->n_rxq > 0 ? p->rx_pools[0][0] : NULL;
	struct rte_eth_rxq_info info;
	uint16_t mtu;

	d->pool_node = DOCTOR_NODE_ANY;
	if (pool == NULL || !d->started)
		return;
	snprintf(d->pool, sizeof(d->pool), "%s", pool->name);
	d->pool_node = pool->socket_id;
	if (p->rx_pools[0][1] != NULL || rte_eth_dev_get_mtu(p->id, &mtu) != 0)
		return;
	d->frame_bytes = mtu + port_setup_overhead(p);
	d->buffer_bytes =
		(uint32_t)rte_pktmbuf_data_room_size((struct rte_mempool *)(uintptr_t)pool) -
		RTE_PKTMBUF_HEADROOM;
	d->can_scatter = (p->info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
	d->scatter = ((p->conf.rxmode.offloads | p->rxq[0].offloads) &
			     RTE_ETH_RX_OFFLOAD_SCATTER) != 0 ||
		(rte_eth_rx_queue_info_get(p->id, 0, &info) == 0 && info.scattered_rx != 0);
}

static void
port_read(const struct port *p, struct doctor_port *d)
{
	struct rte_eth_fc_conf fc = { 0 };

	*d = (struct doctor_port){ .id = p->id,
		.node = rte_eth_dev_socket_id(p->id),
		.rings = port_rings_of(p),
		.started = p->state == PORT_STARTED,
		.n_rxq = p->n_rxq };
	snprintf(d->driver, sizeof(d->driver), "%s",
		p->info.driver_name != NULL ? p->info.driver_name : "");
	pci_read(p->info.device, d->pci);
	if (p->removed)
		return;
	link_read(p, d);
	frames_read(p, d);
	if (rte_eth_dev_fw_version_get(p->id, d->firmware, sizeof(d->firmware)) != 0)
		d->firmware[0] = '\0';
	if (rte_eth_dev_flow_ctrl_get(p->id, &fc) == 0) {
		d->pause_rx = fc.mode == RTE_ETH_FC_RX_PAUSE || fc.mode == RTE_ETH_FC_FULL;
		d->pause_tx = fc.mode == RTE_ETH_FC_TX_PAUSE || fc.mode == RTE_ETH_FC_FULL;
	}
}

/* Read the forwarding ports, and behind them the others that are started. */
static void
ports_read(const struct ports *ports, const struct plan_choice *choice, struct doctor_use *use)
{
	bool forwards[RTE_MAX_ETHPORTS] = { false };
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ports, ids);

	use->any_port = n > 0;
	for (unsigned int i = 0; i < choice->use_ports; i++) {
		const struct port *p = port_at(ports, choice->ports[i]);

		if (p == NULL)
			continue;
		forwards[p->id] = true;
		port_read(p, &use->ports[use->n_ports++]);
	}
	for (unsigned int i = 0; i < n; i++) {
		const struct port *p = port_at(ports, ids[i]);

		if (p != NULL && p->state == PORT_STARTED && !p->member && !forwards[p->id])
			port_read(p, &use->ports[use->n_ports + use->n_others++]);
	}
}

static void
lcores_read(const struct plan_choice *choice, struct doctor_use *use)
{
	for (unsigned int i = 0; i < choice->use_lcores; i++) {
		struct doctor_lcore *l = &use->lcores[use->n_lcores++];

		l->id = choice->lcores[i];
		l->cpus = rte_lcore_cpuset(l->id);
		l->node = (int)rte_lcore_to_socket_id(l->id);
	}
}

/* Count the Rx queues of a port that the plan's streams poll; each is of one stream. */
static unsigned int
polled(const struct plan *plan, uint16_t port)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < plan->n_streams; i++)
		n += plan->streams[i].rx_port == port;
	return n;
}

/* Find the lcores whose streams receive from a port, or send to it if the engine never receives. */
static void
served(const struct plan *plan, bool receives, struct doctor_port *d)
{
	d->served_known = true;
	CPU_ZERO(&d->served_by);
	for (unsigned int i = 0; i < plan->n_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		if ((receives ? s->rx_port : s->tx_port) == d->id)
			CPU_SET(s->lcore, &d->served_by);
	}
}

/* Compare the queues with the plan that a start would make; without one nothing is known. */
static void
plan_read(const struct run *r, struct doctor_use *use)
{
	const bool receives = (r->engine->flags & ENGINE_NO_RX) == 0;
	struct plan plan;
	struct err e = { 0 };

	if (r->secondary || use->n_ports == 0 || run_plan(r, r->engine, &plan, &e) != 0)
		return;
	if (plan_lcores(&plan) < use->n_lcores)
		use->n_idle = use->n_lcores - plan_lcores(&plan);
	for (unsigned int i = 0; i < use->n_ports + use->n_others; i++) {
		struct doctor_port *d = &use->ports[i];

		d->polled_known = receives;
		d->n_polled = polled(&plan, d->id);
		served(&plan, receives, d);
	}
	plan_free(&plan);
}

void
doctor_read(const struct app *app, struct doctor_use *use)
{
	lcores_read(&app->run.choice, use);
	ports_read(&app->ports, &app->run.choice, use);
	plan_read(&app->run, use);
	memory_lock_limit(use->lock_limit);
	use->no_pci = rte_eal_has_pci() == 0;
	use->l2_bytes = app->ports.l2_bytes;
	use->hugepages = rte_eal_has_hugepages() != 0;
	if (!run_cpu_least(&app->run, &use->least))
		use->least.share = NAN;
	use->forwarding = app->run.running;
	use->main_cpus = rte_lcore_cpuset(rte_get_main_lcore());
}
