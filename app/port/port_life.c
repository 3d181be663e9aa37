/* The life cycle of ports: start, stop, close, reset, link up and down, quit; with testpmd's
 * messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_life.h"

#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_buffers.h"
#include "port/port_events.h"
#include "port/port_feature.h"
#include "port/port_hairpin.h"
#include "port/port_keep.h"
#include "port/port_left.h"
#include "port/port_setup.h"

#include <rte_cycles.h>
#include <rte_mbuf_ptype.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#define PAUSE_MS 10
#define LOOKS (9000 / PAUSE_MS)
#define LOOKS_LSC (100 / PAUSE_MS) /* with link interrupts, which report later changes */

/* True if the links of all started ports among ids[0..n) are up. */
static bool
all_up(struct ports *ps, const uint16_t *ids, unsigned int n)
{
	struct rte_eth_link link;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (port_at(ps, ids[i])->state != PORT_STARTED)
			continue;
		memset(&link, 0, sizeof(link));
		if (rte_eth_link_get_nowait(ids[i], &link) < 0 ||
			link.link_status == RTE_ETH_LINK_DOWN)
			return false;
	}
	return true;
}

static void
links_show(struct ports *ps)
{
	char text[RTE_ETH_LINK_MAX_STR_LEN];
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);
	struct rte_eth_link link;
	int ret;

	for (i = 0; i < n; i++) {
		memset(&link, 0, sizeof(link));
		ret = rte_eth_link_get_nowait(ids[i], &link);
		if (ret < 0) {
			out_warn(ps->out, "Port %u link get failed: %s\n", ids[i], strerror(-ret));
			continue;
		}
		rte_eth_link_to_str(text, sizeof(text), &link);
		out_say(ps->out, "Port %u %s\n", ids[i], text);
	}
}

/*
 * Wait for the links of the started ports among ids[0..n), unless link-check is off: up to 9 s, or
 * 100 ms with link interrupts; then show all links. Prints testpmd's lines.
 */
static void
links_wait(struct ports *ps, const uint16_t *ids, unsigned int n)
{
	bool lsc = !setting_on(ps->settings, "no-lsc-interrupt");
	unsigned int look, looks = lsc ? LOOKS_LSC : LOOKS;

	if (!setting_on(ps->settings, "link-check"))
		return;
	out_say(ps->out, "Checking link statuses...\n");
	fflush(out_file(ps->out));
	for (look = 0; look < looks && !all_up(ps, ids, n); look++)
		rte_delay_us_sleep(PAUSE_MS * 1000);
	if (!lsc)
		links_show(ps);
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
	for (i = 0; i < PORT_QUEUES_MAX; i++) {
		p->rxq[i].stopped = p->rxq[i].deferred_start;
		p->txq[i].stopped = p->txq[i].deferred_start;
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
		links_wait(ps, ids, n);
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
		pthread_mutex_lock(&ps->reading);
		port_hairpin_unbind(ps, p);
		port_features_at(ps, p, PORT_STOPPING);
		port_left_note(ps, p);
		stop_ret = rte_eth_dev_stop(p->id);
		pthread_mutex_unlock(&ps->reading);
		if (stop_ret != 0) {
			ret = port_fail(ps, e, abs(stop_ret),
				"rte_eth_dev_stop failed for port %u: %s (driver %s)", p->id,
				strerror(abs(stop_ret)), p->info.driver_name);
			continue;
		}
		p->state = PORT_STOPPED;
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
		links_wait(ps, ids, n);
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
	port_leaves(ps, p->id);
	pthread_mutex_lock(&ps->reading);
	port_features_at(ps, p, PORT_CLOSED);
	port_left_free(p);
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

int
port_link_set(struct ports *ps, uint16_t id, bool up, struct err *e)
{
	const struct port *p = port_at(ps, id);
	int ret;

	ret = p == NULL ? -ENODEV
		: up    ? rte_eth_dev_set_link_up(id)
			: rte_eth_dev_set_link_down(id);
	if (ret >= 0)
		return 0;
	return err_set(e, abs(ret), "\nSet link %s fail.\nport %u: %s", up ? "up" : "down", id,
		strerror(abs(ret)));
}
