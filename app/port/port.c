/* The table of ports: find ports, their state, their data for streams and pools, and a loop over
 * the ports of a command. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port.h"

#include "base/err.h"
#include "base/hist.h"
#include "base/out.h"
#include "memory/numa.h"
#include "memory/pool.h"
#include "pmd_shims/rx_call.h"
#include "pmd_shims/tx_frame.h"

#include <rte_bus.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_MAX UINT16_MAX /* packets; no queue holds more */
#define FLUSH_PASSES \
	2 /* a driver may show the rest of its packets only at a second look, a while later */
#define FLUSH_PAUSE_MS 10

const struct port_side port_sides[] = {
	[true] = { "Rx", "RX", "rx", "rxq", "rxd", "rxpt", "rxht", "rxwt",
		rte_eth_dev_rx_offload_name, rte_eth_dev_rx_queue_start, rte_eth_dev_rx_queue_stop,
		rte_eth_rx_burst_mode_get, rte_eth_rx_hairpin_queue_setup },
	[false] = { "Tx", "TX", "tx", "txq", "txd", "txpt", "txht", "txwt",
		rte_eth_dev_tx_offload_name, rte_eth_dev_tx_queue_start, rte_eth_dev_tx_queue_stop,
		rte_eth_tx_burst_mode_get, rte_eth_tx_hairpin_queue_setup },
};

void
port_peer_default(struct port *p)
{
	p->peer = (struct rte_ether_addr){ { RTE_ETHER_LOCAL_ADMIN_ADDR, 0, 0, 0, 0,
		(uint8_t)p->id } };
}

/* True for a device on a bus such as PCI, and not made by software. */
static bool
is_hardware(const struct rte_device *device)
{
	const struct rte_bus *bus = device != NULL ? rte_dev_bus(device) : NULL;

	return bus != NULL && strcmp(rte_bus_name(bus), "vdev") != 0;
}

/* The queues of a port. */
struct queues {
	struct port_queue rxq[PORT_QUEUES_MAX], txq[PORT_QUEUES_MAX];
	struct rte_mempool *rx_pools[PORT_QUEUES_MAX][PORT_POOLS_MAX];
};

/* Let a port have queues, those of an earlier port if it had some: only those in use are cleared. */
static void
queues_take(struct port *p, struct queues *q, unsigned int used)
{
	memset(q->rxq, 0, used * sizeof(*q->rxq));
	memset(q->txq, 0, used * sizeof(*q->txq));
	memset(q->rx_pools, 0, used * sizeof(*q->rx_pools));
	p->rxq = q->rxq;
	p->txq = q->txq;
	p->rx_pools = q->rx_pools;
}

void
port_table_free(struct ports *ps)
{
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
		struct port *p = &ps->port[id];

		free(p->rxq);
		p->rxq = p->txq = NULL;
		p->rx_pools = NULL;
	}
}

void
port_queues_extend(struct port *p)
{
	const struct settings *settings = p->all->settings;
	const unsigned int n = (unsigned int)RTE_MAX(setting_u64(settings, port_sides[true].queues),
		setting_u64(settings, port_sides[false].queues));

	for (; p->n_queues < n; p->n_queues++) {
		p->rxq[p->n_queues].offloads = p->conf.rxmode.offloads;
		p->txq[p->n_queues] = (struct port_queue){ .offloads = p->conf.txmode.offloads,
			.fast_free_off = p->fast_free_off };
	}
}

/* Add an ethdev to the table, without any state of an earlier port with the same number. */
static void
take_in(struct ports *ps, uint16_t id)
{
	struct port *p = &ps->port[id];
	const size_t events = offsetof(struct port, events), behind = events + sizeof(p->events);
	const bool again = p->rxq != NULL;
	const unsigned int n_queues = p->n_queues;
	struct queues *queues = again ? (struct queues *)(void *)p->rxq
				      : calloc(1, sizeof(*queues));

	if (queues == NULL) {
		out_warn(ps->out, "Port %u: no memory for its queues: %zu bytes\n", id,
			sizeof(*queues));
		return;
	}
	/* The telemetry thread may be reading the table. */
	pthread_mutex_lock(&ps->reading);
	memset(p, 0, events);
	memset((char *)p + behind, 0, sizeof(*p) - behind);
	queues_take(p, queues, n_queues);
	/*
	 * Keep RTE_ETH_EVENT_NEW, which is not printed yet; other threads may add events at any
	 * time.
	 */
	atomic_fetch_and(&p->events, 1u << RTE_ETH_EVENT_NEW);
	p->id = id;
	p->all = ps;
	p->state = PORT_STOPPED;
	port_peer_default(p);
	p->csum.mac_swap = true;
	rte_eth_macaddr_get(id, &p->mac);
	rte_eth_dev_get_mtu(id, &p->mtu);
	if (rte_eth_dev_info_get(id, &p->info) != 0)
		memset(&p->info, 0,
			sizeof(p->info)); /* port_setup_prepare() asks again and says why */
	p->link_due = is_hardware(p->info.device);
	p->socket = numa_socket(ps->settings, id);
	if (ps->features != NULL && again)
		memset(ps->feature_states + id * ps->feature_bytes, 0, ps->feature_bytes);
	pthread_mutex_unlock(&ps->reading);
}

unsigned int
port_probe(struct ports *ps)
{
	uint16_t id, ids[RTE_MAX_ETHPORTS];

	/* A secondary process must not configure the primary's ports. */
	if (rte_eal_process_type() == RTE_PROC_SECONDARY)
		return 0;
	RTE_ETH_FOREACH_DEV(id)
		if (ps->port[id].state == PORT_ABSENT)
			take_in(ps, id);
	return port_ids(ps, ids);
}

struct port *
port_at(const struct ports *ps, uint16_t id)
{
	if (id >= RTE_MAX_ETHPORTS || ps->port[id].state == PORT_ABSENT)
		return NULL;
	return (struct port *)(uintptr_t)&ps->port[id];
}

/* The ports that there are, for an error: "0 or 1", "0..7", "0, 2, 5", or the first ones and "...". */
static void
ids_write(const struct ports *ps, char *text, size_t size)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);
	size_t used = 0;

	*text = '\0';
	if (n > 2 && ids[n - 1] - ids[0] == (int)n - 1) {
		snprintf(text, size, "%u..%u", ids[0], ids[n - 1]);
		return;
	}
	for (unsigned int i = 0; i < n; i++) {
		if (used + sizeof(", 65535, ...") > size) {
			snprintf(text + used, size - used, ", ...");
			return;
		}
		used += (size_t)snprintf(text + used, size - used, "%s%u",
			i == 0           ? ""
				: n == 2 ? " or "
					 : ", ",
			ids[i]);
	}
}

int
port_invalid(const struct ports *ps, const char *what, uint16_t id, struct err *e)
{
	char ids[64];

	ids_write(ps, ids, sizeof(ids));
	return err_set(e, ENODEV, "%s %u: %s%s", what, id,
		*ids != '\0' ? "expected " : "there is no port", ids);
}

struct port *
port_find(const struct ports *ps, uint16_t id, struct err *e)
{
	struct port *p = port_at(ps, id);

	if (p == NULL)
		port_invalid(ps, "Invalid port", id, e);
	return p;
}

struct port_queue *
port_queue_at(const struct port *p, bool rx, uint16_t queue)
{
	return (struct port_queue *)(uintptr_t)(rx ? &p->rxq[queue] : &p->txq[queue]);
}

unsigned int
port_ids(const struct ports *ps, uint16_t *ids)
{
	unsigned int n = 0;
	uint16_t id;

	for (id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (ps->port[id].state != PORT_ABSENT)
			ids[n++] = id;
	return n;
}

unsigned int
port_pool_users(const struct ports *ps, uint16_t *ids)
{
	const uint64_t n_rxq = setting_u64(ps->settings, "rxq");
	const unsigned int all = port_ids(ps, ids);
	unsigned int n = 0;

	for (unsigned int i = 0; i < all; i++) {
		const struct port *p = &ps->port[ids[i]];
		bool shares = false;

		for (uint64_t k = 0; k < n_rxq && !shares; k++)
			shares = p->rxq[k].pool_ops[0] == '\0';
		if (shares && !p->closed)
			ids[n++] = p->id;
	}
	return n;
}

int
port_named(const struct ports *ps, uint16_t id, uint16_t *ids, unsigned int *n, struct err *e)
{
	*n = 0;
	if (id == PORT_ALL) {
		*n = port_ids(ps, ids);
		return 0;
	}
	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ids[(*n)++] = id;
	return 0;
}

int
port_missing(const struct ports *ps, uint16_t id, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);

	out_text(ps->out, "The valid ports array is [");
	for (i = 0; i < n; i++)
		out_text(ps->out, " %u", ids[i]);
	out_text(ps->out, " ]\n");
	return err_set(e, ENODEV, "Invalid port %u", id);
}

int
port_fail(const struct ports *ps, struct err *e, int code, const char *fmt, ...)
{
	char text[sizeof(e->text)];
	va_list ap;

	if (e == NULL)
		return -code;
	if (e->code != 0 && e->text[0] != '\0')
		out_warn(ps->out, "%s\n", e->text);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, code, "%s", text);
}

bool
port_is_started(const struct ports *ps, uint16_t id)
{
	return id < RTE_MAX_ETHPORTS && ps->port[id].state == PORT_STARTED;
}

int
port_check_all_stopped(const struct ports *ps, struct err *e)
{
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (port_is_started(ps, id))
			return err_set(e, EBUSY,
				"Please stop all ports first: use %s\"port stop all\"",
				ps->forwarding ? "\"stop\", then " : "");
	return 0;
}

struct rte_mempool *
port_rx_pool(const struct port *p, uint16_t queue, int socket)
{
	const char *ops = p->rxq[queue].pool_ops;

	if (p->all->rx_pool != NULL)
		return p->all->rx_pool;
	if (p->rxq[queue].pool_socket > 0)
		socket = p->rxq[queue].pool_socket - 1;
	return ops[0] != '\0' ? pool_own_find(p->all->pools, ops, socket)
			      : pool_for(p->all->pools, socket, 0);
}

double
port_link_bps(uint16_t id)
{
	struct rte_eth_link link;

	memset(&link, 0, sizeof(link));
	if (rte_eth_link_get_nowait(id, &link) != 0 || !link.link_status ||
		link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN)
		return 0;
	return link.link_speed * 1e6;
}

/* The limit of a Tx queue; that of a bonding port is the smallest of its members'. */
static void
frame_limit(const struct port *p, uint16_t queue, struct frame_limit *l)
{
	tx_frame_limit(p->id, queue, p->mtu, l);
	for (uint16_t id = 0; p->all != NULL && id < RTE_MAX_ETHPORTS; id++)
		if (p->all->port[id].member && p->all->port[id].member_of == p->id)
			tx_frame_member(id, queue, l);
}

void
port_stream_end(const struct port *p, uint16_t queue, bool rx, struct stream_end *end)
{
	const uint64_t offloads = p->conf.txmode.offloads;
	struct rte_eth_txq_info info;

	memset(end, 0, sizeof(*end));
	end->port = p->id;
	end->queue = queue;
	end->socket = p->socket;
	end->mac = p->mac;
	end->peer = p->peer;
	end->mtu = p->mtu;
	if (!rx) {
		frame_limit(p, queue, &end->frame);
		if (rte_eth_tx_queue_info_get(p->id, queue, &info) == 0)
			end->descriptors = info.nb_desc;
	}
	if (end->frame.mtu > 0)
		end->mtu = (uint16_t)RTE_MIN(end->frame.mtu, (uint32_t)UINT16_MAX);
	end->line_bps = port_link_bps(p->id);
	end->vlan = p->tx_vlan;
	end->vlan_outer = p->tx_vlan_outer;
	end->csum = p->csum;
	end->csum.ip_hw = (offloads & RTE_ETH_TX_OFFLOAD_IPV4_CKSUM) != 0;
	end->csum.udp_hw = (offloads & RTE_ETH_TX_OFFLOAD_UDP_CKSUM) != 0;
	end->csum.tcp_hw = (offloads & RTE_ETH_TX_OFFLOAD_TCP_CKSUM) != 0;
	end->csum.sctp_hw = (offloads & RTE_ETH_TX_OFFLOAD_SCTP_CKSUM) != 0;
	end->csum.outer_ip_hw = (offloads & RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM) != 0;
	end->csum.outer_udp_hw = (offloads & RTE_ETH_TX_OFFLOAD_OUTER_UDP_CKSUM) != 0;
	end->offloads = rx ? p->conf.rxmode.offloads : offloads;
	if (queue < PORT_QUEUES_MAX)
		end->offloads |= port_queue_at(p, rx, queue)->offloads;
}

/*
 * Receive and free the packets of one queue, with a limit because some sources never end (net_null,
 * infinite_rx). Returns the number of packets freed.
 */
static uint64_t
flush_queue(uint16_t id, uint16_t queue, double tsc_hz)
{
	const uint64_t until = rte_rdtsc() + (uint64_t)tsc_hz;
	const uint16_t max = RTE_MIN(rx_call_max(id, queue), BURST_MAX);
	struct rte_mbuf *pkts[BURST_MAX];
	uint64_t freed = 0;
	uint16_t n;

	do {
		n = rte_eth_rx_burst(id, queue, pkts, max);
		rte_pktmbuf_free_bulk(pkts, n);
		freed += n;
	} while (n > 0 && freed < FLUSH_MAX && rte_rdtsc() < until);
	return freed;
}

/*
 * Flush all queues of a port. *never_ends: a queue gave more packets than any can hold, so the port
 * makes them, and further queues would only take their time: 14 s for 32 ports of 32 queues.
 */
static uint64_t
flush_port(const struct port *p, bool *never_ends)
{
	uint64_t freed = 0;

	for (uint16_t queue = 0; queue < p->n_rxq && !*never_ends; queue++) {
		const uint64_t own =
			p->rxq[queue].stopped ? 0 : flush_queue(p->id, queue, p->all->tsc_hz);

		*never_ends = own >= FLUSH_MAX;
		freed += own;
	}
	return freed;
}

uint64_t
port_flush_rx(struct ports *ps, const uint16_t *ids, unsigned int n)
{
	bool never_ends[RTE_MAX_ETHPORTS] = { false };
	uint64_t freed = 0;
	unsigned int pass, i;

	for (pass = 0; pass < FLUSH_PASSES; pass++) {
		for (i = 0; i < n; i++) {
			struct port *p = port_at(ps, ids[i]);
			uint64_t own;

			if (p == NULL || p->state != PORT_STARTED || never_ends[p->id])
				continue;
			own = flush_port(p, &never_ends[p->id]);
			p->flushed += own;
			freed += own;
		}
		rte_delay_ms(FLUSH_PAUSE_MS);
	}
	return freed;
}

int
port_each_of(struct ports *ps, const uint16_t *ids, unsigned int n,
	int (*f)(struct ports *ps, struct port *p, void *ctx, struct err *e), void *ctx,
	struct err *e)
{
	unsigned int i;
	int ret = 0;

	out_nest(ps->out, "ports", OUT_ARRAY);
	for (i = 0; i < n; i++) {
		struct port *p = port_at(ps, ids[i]);
		int failed;

		if (p == NULL)
			continue;
		out_nest(ps->out, NULL, OUT_OBJECT);
		out_u64(ps->out, "port", NULL, p->id);
		failed = f(ps, p, ctx, e);
		out_unnest(ps->out);
		if (failed != 0)
			ret = failed;
	}
	out_unnest(ps->out);
	return ret;
}

int
port_each(struct ports *ps, uint16_t id,
	int (*f)(struct ports *ps, struct port *p, void *ctx, struct err *e), void *ctx,
	struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS] = { id };
	unsigned int n = 1;

	if (id == PORT_ALL)
		n = port_ids(ps, ids);
	else if (port_at(ps, id) == NULL)
		return port_missing(ps, id, e);
	return port_each_of(ps, ids, n, f, ctx, e);
}
