/* The life cycle of ports: start, stop, close, reset, quit; with testpmd's messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_life.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "compat.h"
#include "memory/pool.h"
#include "pmd_shims/close_faults.h"
#include "port/port.h"
#include "port/port_descriptors.h"
#include "port/port_events.h"
#include "port/port_feature.h"
#include "port/port_hairpin.h"
#include "port/port_link.h"
#include "port/port_setup.h"

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_ptype.h>

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return the number of descriptors at setup; net_virtio cannot report those of its queues. */
static uint64_t
descriptors(const struct port *p, bool rx)
{
	uint64_t n = 0;

	for (uint16_t i = 0; i < (rx ? p->n_rxq : p->n_txq); i++)
		n += port_descriptors_of(p, rx, i);
	return n;
}

/* Count, before a started port stops, the buffers that its driver's faults may affect. */
static void
faults_note(struct ports *ps, const struct port *p)
{
	close_faults_note(p->id, p->info.driver_name, descriptors(p, true), descriptors(p, false),
		ps->close_faults);
}

/* Buffers that receive rings take from their pools when ports start. */

/*
 * True if the port's receive rings hold a buffer for each descriptor. Drivers without a ring
 * (net_null, net_ring) report no descriptor limit.
 */
static bool
fills_rings(const struct port *p)
{
	return p->prepared && p->info.rx_desc_lim.nb_max < UINT16_MAX;
}

static const struct rte_mempool *
pool_of(const struct ports *ps, const struct port *p, uint16_t queue)
{
	const char *ops = p->rxq[queue].pool_ops;

	return ops[0] != '\0' && ps->rx_pool == NULL ? pool_own_find(ps->pools, ops, p->socket)
						     : port_rx_pool(p, queue, p->socket);
}

/*
 * Return the number of descriptors of a receive queue. Before the port is configured the driver's
 * default may still change: then a common minimum is used, and *estimated is set.
 */
static uint64_t
ring_size(const struct port *p, uint16_t queue, bool *estimated)
{
	const uint64_t n = port_descriptors_of(p, true, queue);

	if (p->configured || p->rxq[queue].descriptors != 0 ||
		port_descriptors_set(p->all->settings, true) != 0)
		return n;
	*estimated = true;
	return RTE_MIN(n, (uint64_t)RTE_ETH_DEV_FALLBACK_RX_RINGSIZE);
}

/* Return the number of buffers that the rings of a port take from the pool. */
static uint64_t
ring_buffers(const struct ports *ps, const struct port *p, const struct rte_mempool *mp,
	bool *estimated)
{
	const uint64_t n = RTE_MIN(setting_u64(ps->settings, "rxq"), (uint64_t)PORT_QUEUES_MAX);
	uint64_t sum = 0;

	for (uint16_t queue = 0; fills_rings(p) && queue < n; queue++)
		if (!p->rxq[queue].deferred_start && pool_of(ps, p, queue) == mp)
			sum += ring_size(p, queue, estimated);
	return sum;
}

/* Return the maximum number of buffers in the lcore caches of a pool. */
static uint64_t
cached(const struct rte_mempool *mp)
{
	return (uint64_t)rte_lcore_count() * mp->cache_size * 3 / 2;
}

#define HOW "Use fewer queues or descriptors, or restart with --total-num-mbufs=%" PRIu64

void
port_buffers_warn(const struct ports *ps)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);

	for (unsigned int i = 0; i < POOL_MAX; i++) {
		const struct rte_mempool *mp = pool_at(ps->pools, i);
		bool estimated = false;
		uint64_t rings = 0;

		for (unsigned int k = 0; mp != NULL && k < n; k++)
			rings += ring_buffers(ps, port_at(ps, ids[k]), mp, &estimated);
		if (rings == 0 || rings + cached(mp) <= mp->size)
			continue;
		out_warn(ps->out,
			"Pool %s has %u buffers; the receive rings of all ports need %s%" PRIu64
			" and the lcores' caches up to %" PRIu64 ": %" PRIu64 " are missing. " HOW
			" or more.\n",
			mp->name, mp->size, estimated ? "at least " : "", rings, cached(mp),
			rings + cached(mp) - mp->size, rings + cached(mp));
	}
}

/*
 * Return -ENOMEM if the rings of the started ports and of the configured port p need more buffers
 * than a pool has. Checked before the start, because drivers leak buffers when a start fails.
 * Thread: control.
 */
static int
port_buffers_check(const struct ports *ps, const struct port *p, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);

	for (unsigned int i = 0; i < POOL_MAX; i++) {
		const struct rte_mempool *mp = pool_at(ps->pools, i);
		bool estimated = false;
		uint64_t rings = mp != NULL ? ring_buffers(ps, p, mp, &estimated) : 0;

		if (rings == 0)
			continue;
		for (unsigned int k = 0; k < n; k++)
			if (ids[k] != p->id && port_at(ps, ids[k])->state == PORT_STARTED)
				rings += ring_buffers(ps, port_at(ps, ids[k]), mp, &estimated);
		if (rings > mp->size)
			return err_set(e, ENOMEM,
				"Fail to start port %u: its receive rings and those of started ports need %" PRIu64
				" buffers and pool %s has %u: %" PRIu64 " are missing. " HOW
				" or more",
				p->id, rings, mp->name, mp->size, rings - mp->size,
				rings + cached(mp));
	}
	return 0;
}

/* Memory that a port's driver may read until the port is closed. */

struct port_kept {
	struct port_kept *next;
	alignas(16) uint8_t data[];
};

void *
port_keep(struct port *p, const void *data, size_t bytes, struct err *e)
{
	struct port_kept *k = calloc(1, sizeof(*k) + bytes);

	if (k == NULL) {
		err_set(e, ENOMEM, "no memory for %zu bytes of port %u", bytes, p->id);
		return NULL;
	}
	if (data != NULL)
		memcpy(k->data, data, bytes);
	k->next = p->kept;
	p->kept = k;
	return k->data;
}

void
port_keep_free(struct port *p)
{
	while (p->kept != NULL) {
		struct port_kept *next = p->kept->next;

		free(p->kept);
		p->kept = next;
	}
}

int
port_begin(struct ports *ps, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);
	int ret;

	port_events_listen(ps);
	for (i = 0; i < n; i++) {
		ret = port_setup_prepare(ps, port_at(ps, ids[i]), e);
		if (ret != 0)
			return ret;
	}
	if (!setting_on(ps->settings, "disable-device-start"))
		return port_start(ps, PORT_ALL, e);
	for (i = 0; i < n; i++)
		port_setup_promiscuous(ps, port_at(ps, ids[i]));
	return 0;
}

/* True if the port is used by forwarding, so that its state must not be changed. */
static bool
is_forwarding(const struct ports *ps, uint16_t id, struct err *e)
{
	if (ps->forwarding)
		port_fail(ps, e, EBUSY, "Please remove port %u from forwarding configuration.", id);
	return ps->forwarding;
}

/* True if the port belongs to a bonding port, which starts, stops and closes its members. */
static bool
is_member(const struct ports *ps, const struct port *p)
{
	if (p->member)
		out_warn(ps->out, "Please remove port %u from bonded device.\n", p->id);
	return p->member;
}

static int
configure_one(struct ports *ps, struct port *p, struct err *e)
{
	int ret;

	pthread_mutex_lock(&ps->reading);
	ret = port_setup_prepare(ps, p, e);
	if (ret == 0)
		ret = port_setup_device(ps, p, e);
	if (ret == 0)
		ret = port_buffers_check(ps, p, e);
	if (ret == 0)
		ret = port_setup_queues(ps, p, e);
	pthread_mutex_unlock(&ps->reading);
	return ret;
}

/* Print "Done", which scripts expect as the last line even after an error. Returns ret. */
static int
done(struct ports *ps, int ret)
{
	if (ret == 0)
		out_say(ps->out, "Done\n");
	else
		out_say_last(ps->out, "Done\n");
	return ret;
}

static int
start_one(struct ports *ps, struct port *p, struct err *e)
{
	char mac[RTE_ETHER_ADDR_FMT_SIZE];
	unsigned int i;
	int ret;

	/* Parsing packet types costs cycles in many drivers, and no engine needs them. */
	if (!p->ptypes_kept && rte_eth_dev_set_ptypes(p->id, RTE_PTYPE_UNKNOWN, NULL, 0) < 0)
		out_warn(ps->out, "Port %u: Failed to disable Ptype parsing\n", p->id);
	pthread_mutex_lock(&ps->reading);
	ret = rte_eth_dev_start(p->id);
	port_events_watch(p);
	pthread_mutex_unlock(&ps->reading);
	if (ret != 0) {
		/*
		 * Some drivers keep the buffers of a failed start until the queues are set up
		 * again.
		 */
		p->queues_configured = false;
		return port_fail(ps, e, abs(ret), "Fail to start port %u: %s (driver %s)", p->id,
			strerror(abs(ret)), p->info.driver_name);
	}
	p->state = PORT_STARTED;
	port_features_at(ps, p, PORT_CHANGED);
	for (i = 0; i < p->n_queues; i++) {
		p->rxq[i].stopped = p->rxq[i].deferred_start;
		p->txq[i].stopped = p->txq[i].deferred_start;
		p->txq[i].sent = NULL;
	}
	port_setup_promiscuous(ps, p);
	rte_eth_macaddr_get(p->id, &p->mac);
	rte_eth_dev_get_mtu(p->id, &p->mtu);
	rte_ether_format_addr(mac, sizeof(mac), &p->mac);
	out_say(ps->out, "Port %u: %s\n", p->id, mac);
	return 0;
}

int
port_start(struct ports *ps, uint16_t id, struct err *e)
{
	unsigned int i, n, n_tried = 0, n_started = 0;
	uint16_t ids[RTE_MAX_ETHPORTS];
	int ret = port_named(ps, id, ids, &n, e);

	if (ret != 0)
		return ret;
	port_events_listen(ps);
	for (i = 0; i < n; i++) {
		struct port *p = port_at(ps, ids[i]);

		if (is_member(ps, p))
			continue;
		if (p->state != PORT_STOPPED) {
			out_warn(ps->out, "Port %u is now not stopped\n", p->id);
			continue;
		}
		n_tried++;
		if (configure_one(ps, p, e) != 0)
			return -e->code;
		if (start_one(ps, p, e) == 0)
			n_started++;
		else
			ret = -e->code;
	}
	if (n_started > 0)
		port_links_check(ps, ids, n);
	for (i = 0; i < n && n_started > 0; i++)
		if (port_hairpin_bind(ps, port_at(ps, ids[i]), e) != 0)
			ret = -e->code;
	if (n_started == 0 && n > 0 && n_tried == 0)
		ret = err_set(e, EBUSY, "Please stop the ports first");
	return done(ps, ret);
}

/* Stop ports without the link check of port_stop(), which would delay quit. */
static int
stop_ports(struct ports *ps, const uint16_t *ids, unsigned int n, unsigned int *n_stopped,
	struct err *e)
{
	unsigned int i;
	int ret = 0, stop_ret;

	*n_stopped = 0;
	out_say(ps->out, "Stopping ports...\n");
	for (i = 0; i < n; i++) {
		struct port *p = port_at(ps, ids[i]);

		if (is_forwarding(ps, ids[i], e)) {
			ret = -EBUSY;
			continue;
		}
		if (is_member(ps, p) || p->state != PORT_STARTED)
			continue;
		port_link_stopping(p);
		pthread_mutex_lock(&ps->reading);
		port_hairpin_unbind(ps, p);
		port_features_at(ps, p, PORT_STOPPING);
		faults_note(ps, p);
		stop_ret = rte_eth_dev_stop(p->id);
		pthread_mutex_unlock(&ps->reading);
		if (stop_ret != 0) {
			ret = port_fail(ps, e, abs(stop_ret),
				"rte_eth_dev_stop failed for port %u: %s (driver %s)", p->id,
				strerror(abs(stop_ret)), p->info.driver_name);
			continue;
		}
		p->state = PORT_STOPPED;
		p->queues_configured = p->queues_configured && !COMPAT_TXQ_KEEPS_POOL;
		port_features_at(ps, p, PORT_CHANGED);
		(*n_stopped)++;
	}
	return ret;
}

int
port_stop(struct ports *ps, uint16_t id, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n, n_stopped;
	int ret = port_named(ps, id, ids, &n, e);

	if (ret != 0)
		return ret;
	ret = stop_ports(ps, ids, n, &n_stopped, e);
	if (n_stopped > 0)
		port_links_check(ps, ids, n);
	return done(ps, ret);
}

static int
close_one(struct ports *ps, struct port *p, struct err *e)
{
	int ret;

	if (p->state == PORT_STARTED)
		return port_fail(ps, e, EBUSY, "Cannot close started device (port %u)", p->id);
	p->n_mcast = 0;
	port_features_at(ps, p, PORT_CLOSING);
	port_features_at(ps, p, PORT_LEAVING);
	port_events_settle(p);
	pthread_mutex_lock(&ps->reading);
	port_features_at(ps, p, PORT_CLOSED);
	close_faults_free(p->id, p->info.driver_name);
	ret = rte_eth_dev_close(p->id);
	port_keep_free(p);
	pthread_mutex_unlock(&ps->reading);
	port_events_closed(ps);
	if (ret < 0) /* net_i40e returns a positive number on success */
		return port_fail(ps, e, -ret, "Port %u: driver %s closed it with an error: %s",
			p->id, p->info.driver_name, strerror(-ret));
	return 0;
}

/* Move members of bonding ports behind all other ports; the order is otherwise kept. */
static void
members_last(const struct ports *ps, uint16_t *ids, unsigned int n)
{
	uint16_t members[RTE_MAX_ETHPORTS];
	unsigned int i, n_others = 0, n_members = 0;

	for (i = 0; i < n; i++) {
		if (port_at(ps, ids[i])->member)
			members[n_members++] = ids[i];
		else
			ids[n_others++] = ids[i];
	}
	memcpy(ids + n_others, members, n_members * sizeof(*members));
}

int
port_close(struct ports *ps, uint16_t id, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n;
	int ret = port_named(ps, id, ids, &n, e);

	if (ret != 0)
		return ret;
	out_say(ps->out, "Closing ports...\n");
	members_last(ps, ids, n);
	for (i = 0; i < n; i++)
		if (!is_member(ps, port_at(ps, ids[i])) &&
			(is_forwarding(ps, ids[i], e) ||
				close_one(ps, port_at(ps, ids[i]), e) != 0))
			ret = -EBUSY;
	return done(ps, ret != 0 ? -e->code : 0);
}

int
port_reset(struct ports *ps, uint16_t id, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n;
	int ret = port_named(ps, id, ids, &n, e);

	if (ret != 0)
		return ret;
	for (i = 0; i < n; i++)
		if (port_at(ps, ids[i])->state != PORT_STOPPED)
			return err_set(e, EBUSY,
				"Can not reset port(s), please stop port(s) first.");
	out_say(ps->out, "Resetting ports...\n");
	for (i = 0; i < n; i++) {
		struct port *p = port_at(ps, ids[i]);
		int reset_ret;

		pthread_mutex_lock(&ps->reading);
		reset_ret = rte_eth_dev_reset(p->id);
		pthread_mutex_unlock(&ps->reading);
		if (reset_ret != 0) {
			ret = port_fail(ps, e, abs(reset_ret), "Failed to reset port %u. diag=%d",
				p->id, reset_ret);
			continue;
		}
		p->configured = false;
		p->queues_configured = false;
	}
	return done(ps, ret);
}

/* Print an error during quit as a warning, and continue. */
static void
regret(struct ports *ps, struct err *e)
{
	if (e->code != 0)
		out_warn(ps->out, "%s\n", e->text);
	err_clear(e);
}

void
port_quit(struct ports *ps)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids), n_stopped;
	struct err e;

	err_clear(&e);
	members_last(ps, ids, n);
	for (i = 0; i < n; i++) {
		out_say(ps->out, "\nStopping port %u...\n", ids[i]);
		stop_ports(ps, &ids[i], 1, &n_stopped, &e);
		out_say(ps->out, "Done\n");
		regret(ps, &e);
	}
	for (i = 0; i < n; i++) {
		out_say(ps->out, "\nShutting down port %u...\n", ids[i]);
		port_close(ps, ids[i], &e);
		regret(ps, &e);
	}
	port_events_hotplug_end(ps);
	port_events_ignore(ps);
}
