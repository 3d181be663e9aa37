/* Links of ports: check them as testpmd does, wait for them, set them up and down. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_link.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/setting.h"
#include "port/port.h"
#include "port/port_info.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_MS 10
#define LOOKS (PORT_LINK_WAIT_S * 1000 / PAUSE_MS)
#define LOOKS_LSC (100 / PAUSE_MS) /* with link interrupts, which report later changes */

/* Read a port's link without waiting. Returns 0 or the driver's error, below 0. */
static int
link_read(struct port *p, struct rte_eth_link *link)
{
	int ret;

	memset(link, 0, sizeof(*link));
	ret = rte_eth_link_get_nowait(p->id, link);
	if (ret == 0 && link->link_status == RTE_ETH_LINK_UP)
		p->link_due = false;
	return ret < 0 ? ret : 0;
}

/* The check of testpmd after ports are started or stopped. */

/* True if the links of all started ports among ids[0..n) are up. */
static bool
all_up(struct ports *ps, const uint16_t *ids, unsigned int n)
{
	struct rte_eth_link link;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (port_at(ps, ids[i])->state != PORT_STARTED)
			continue;
		if (link_read(port_at(ps, ids[i]), &link) != 0 ||
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
		ret = link_read(port_at(ps, ids[i]), &link);
		if (ret < 0) {
			out_warn(ps->out, "Port %u link get failed: %s\n", ids[i], strerror(-ret));
			continue;
		}
		rte_eth_link_to_str(text, sizeof(text), &link);
		out_say(ps->out, "Port %u %s\n", ids[i], text);
	}
}

void
port_links_check(struct ports *ps, const uint16_t *ids, unsigned int n)
{
	bool lsc = !setting_on(ps->settings, "no-lsc-interrupt");
	unsigned int i, look, looks = lsc ? LOOKS_LSC : LOOKS;

	if (!setting_on(ps->settings, "link-check"))
		return;
	out_say(ps->out, "Checking link statuses...\n");
	fflush(out_file(ps->out));
	for (look = 0; look < looks && !all_up(ps, ids, n); look++)
		rte_delay_us_sleep(PAUSE_MS * 1000);
	if (lsc)
		return;
	/* A run that follows need not wait so long again. */
	for (i = 0; i < n && look == looks; i++)
		if (port_is_started(ps, ids[i]))
			port_at(ps, ids[i])->link_due = false;
	links_show(ps);
}

/* Waits for the links of several ports at once. */

/* The links at the last reading. */
struct links {
	struct port *port[RTE_MAX_ETHPORTS];
	struct rte_eth_link link[RTE_MAX_ETHPORTS];
	int ret[RTE_MAX_ETHPORTS]; /* of the reading: 0, or the driver's error, below 0 */
	unsigned int n;
	uint64_t begin; /* of the wait, TSC */
	double tsc_hz;
	bool interrupted;
};

static void
links_read(struct links *l)
{
	for (unsigned int i = 0; i < l->n; i++)
		l->ret[i] = link_read(l->port[i], &l->link[i]);
}

static double
waited_s(const struct links *l)
{
	return (double)(rte_rdtsc() - l->begin) / l->tsc_hz;
}

/* Pause, and read again. Returns false if time is over, or a signal came. */
static bool
look_again(struct links *l, double seconds, struct interrupt *interrupt)
{
	const double left = seconds - waited_s(l);

	if (left <= 0)
		return false;
	l->interrupted = interrupt_wait(interrupt, -1, (int)fmin(PAUSE_MS, ceil(left * 1e3)));
	links_read(l);
	return !l->interrupted;
}

static bool
is_down(const struct links *l, unsigned int i)
{
	return l->ret[i] == 0 && l->link[i].link_status == RTE_ETH_LINK_DOWN;
}

/* Before a run. */

void
port_link_stopping(struct port *p)
{
	struct rte_eth_link link;

	if (link_read(p, &link) == 0 && link.link_status == RTE_ETH_LINK_UP)
		p->link_due = true;
}

static bool
is_due(const struct links *l, unsigned int i)
{
	return is_down(l, i) && l->port[i]->link_due;
}

static bool
any_due(const struct links *l)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (is_due(l, i))
			return true;
	return false;
}

/* Write whose link is waited for: "link of port 0", "links of ports 0, 1". Returns to. */
static const char *
due_write(const struct links *l, char *to, size_t bytes)
{
	char ports[RTE_MAX_ETHPORTS * sizeof(", 65535")] = "";
	unsigned int n_due = 0;
	size_t n = 0;

	for (unsigned int i = 0; i < l->n; i++) {
		if (!is_due(l, i))
			continue;
		n += (size_t)snprintf(ports + n, sizeof(ports) - n, "%s%u", n_due > 0 ? ", " : "",
			l->port[i]->id);
		n_due++;
	}
	snprintf(to, bytes, "%s %s", n_due > 1 ? "links of ports" : "link of port", ports);
	return to;
}

/* Wait for the links that are due, and for none of them in the next run. */
static int
due_wait(struct ports *ps, struct links *l, struct interrupt *interrupt, bool show, struct err *e)
{
	char text[RTE_MAX_ETHPORTS * 8 + 32];
	int ret = 0;

	if (show)
		out_note(ps->out, "Waiting up to %u s for the %s\n", PORT_LINK_WAIT_S,
			due_write(l, text, sizeof(text)));
	l->begin = rte_rdtsc();
	while (any_due(l) && look_again(l, PORT_LINK_WAIT_S, interrupt))
		;
	if (l->interrupted && any_due(l))
		ret = err_set(e, EINTR, "a signal ended the wait for the %s",
			due_write(l, text, sizeof(text)));
	for (unsigned int i = 0; i < l->n; i++)
		l->port[i]->link_due = false;
	return ret;
}

int
port_links_await(struct ports *ps, const uint16_t *ids, unsigned int n, struct interrupt *interrupt,
	bool show, struct err *e)
{
	struct links l = { .tsc_hz = ps->tsc_hz };
	int ret = 0;

	for (unsigned int i = 0; i < n; i++)
		if (port_is_started(ps, ids[i]))
			l.port[l.n++] = port_at(ps, ids[i]);
	links_read(&l);
	if (any_due(&l) && setting_on(ps->settings, "link-check"))
		ret = due_wait(ps, &l, interrupt, show, e);
	for (unsigned int i = 0; i < l.n && show && ret == 0; i++)
		if (is_down(&l, i))
			out_warn(ps->out, "Port %u: link is down\n", l.port[i]->id);
	return ret;
}

/* The command wait link. */

/* Find the ports of the command. Returns -ENETDOWN with a line for each that is not started. */
static int
ports_find(struct ports *ps, uint16_t id, struct links *l, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n;
	int ret = port_named(ps, id, ids, &n, e);

	for (i = 0; ret == 0 && i < n; i++) {
		struct port *p = port_at(ps, ids[i]);

		/* Bonding ports start their members, which the table has as stopped. */
		if (id == PORT_ALL && p->member)
			continue;
		l->port[l->n++] = p;
	}
	for (i = 0; i < l->n; i++)
		if (l->port[i]->state != PORT_STARTED && !l->port[i]->member)
			ret = port_fail(ps, e, ENETDOWN,
				"port %u is stopped: use \"port start %u\"", l->port[i]->id,
				l->port[i]->id);
	return ret;
}

/* True if no port of which the state can change lacks it. */
static bool
all_are(const struct links *l, bool up)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (l->ret[i] == 0 && is_down(l, i) == up)
			return false;
	return true;
}

/* Show the link of one port, or fail. */
static int
link_result(struct ports *ps, const struct links *l, unsigned int i, bool up, double seconds,
	struct err *e)
{
	const struct port *p = l->port[i];
	const char *state = is_down(l, i) ? "down" : "up";

	if (l->ret[i] != 0) {
		out_str_fmt(ps->out, "link_up", NULL, NULL);
		if (l->ret[i] == -ENOTSUP && up) {
			out_text(ps->out, "Port %u: driver %s does not report the link\n", p->id,
				p->info.driver_name);
			return 0;
		}
		return l->ret[i] == -ENOTSUP
			? port_fail(ps, e, ENOTSUP, "port %u: driver %s does not report the link",
				  p->id, p->info.driver_name)
			: port_fail(ps, e, -l->ret[i], "port %u (%s): cannot read its link: %s",
				  p->id, p->info.driver_name, strerror(-l->ret[i]));
	}
	out_bool(ps->out, "link_up", NULL, !is_down(l, i), "", "");
	if (is_down(l, i) == up)
		return l->interrupted
			? port_fail(ps, e, EINTR, "port %u: link %s after %.1f s: a signal came",
				  p->id, state, waited_s(l))
			: port_fail(ps, e, ETIMEDOUT, "port %u: link %s after %g s", p->id, state,
				  seconds);
	out_text(ps->out, "Port %u: link %s", p->id, state);
	if (up)
		port_info_speed(ps->out, ", speed %s", l->link[i].link_speed);
	out_text(ps->out, "\n");
	return 0;
}

int
port_link_wait(struct ports *ps, uint16_t id, bool up, double seconds, struct interrupt *interrupt,
	struct err *e)
{
	struct links l = { .begin = rte_rdtsc(), .tsc_hz = ps->tsc_hz };
	int ret = ports_find(ps, id, &l, e);

	if (ret != 0)
		return ret;
	links_read(&l);
	while (!all_are(&l, up) && look_again(&l, seconds, interrupt))
		;
	out_f64(ps->out, "waited_s", NULL, waited_s(&l));
	out_nest(ps->out, "ports", OUT_ARRAY);
	for (unsigned int i = 0; i < l.n; i++) {
		out_nest(ps->out, NULL, OUT_OBJECT);
		out_u64(ps->out, "port", NULL, l.port[i]->id);
		if (link_result(ps, &l, i, up, seconds, e) != 0)
			ret = -e->code;
		out_unnest(ps->out);
	}
	out_unnest(ps->out);
	return ret;
}

static int
link_set(struct ports *ps, uint16_t id, const char *state, int (*set)(uint16_t id), struct err *e)
{
	int ret = port_at(ps, id) != NULL ? set(id) : -ENODEV;

	if (ret >= 0) {
		atomic_store(&ps->port[id].link_tsc, rte_rdtsc());
		return 0;
	}
	return err_set(e, abs(ret), "\nSet link %s fail.\nport %u: %s", state, id,
		strerror(abs(ret)));
}

int
port_link_up(struct ports *ps, uint16_t id, struct err *e)
{
	int ret = link_set(ps, id, "up", rte_eth_dev_set_link_up, e);

	if (ret == 0)
		ps->port[id].link_due = true;
	return ret;
}

int
port_link_down(struct ports *ps, uint16_t id, struct err *e)
{
	int ret = link_set(ps, id, "down", rte_eth_dev_set_link_down, e);

	if (ret == 0)
		ps->port[id].link_due = false;
	return ret;
}
