/* Port statistics: show and clear counters and extended statistics; rates since they were last
 * shown. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_stats.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "port/port.h"
#include "port/port_events.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BORDER "########################"

static int display_xstats_check(const char *text, struct err *e);

/* clang-format off */
static const struct setting setting_rows[] = {
	{ .name = "display-xstats", .kind = SETTING_TEXT,
		.example = "rx_good_packets,tx_good_packets", .check = display_xstats_check,
		.when = SETTING_NOW,
		.help = "comma-separated extended statistics to add to show port stats, with their rates" },
	{ .name = "xstats-hide-zero", .option = SETTING_NONE, .kind = SETTING_BOOL,
		.when = SETTING_NOW, .help = "show port xstats omits statistics that are zero" },
	{ .name = "xstats-hide-disabled", .option = SETTING_NONE, .kind = SETTING_BOOL,
		.when = SETTING_NOW, .help = "show port xstats omits statistics that are disabled in the device (DPDK 25.03)" },
	{ .name = "xstats-show-state", .option = SETTING_NONE, .kind = SETTING_BOOL,
		.when = SETTING_NOW, .help = "show port xstats prints the state of each statistic: E enabled, D disabled, - unknown" },
};
/* clang-format on */
const struct setting_table port_stats_settings = SETTING_TABLE("Statistics", setting_rows);

#define ROW(key, member) .name = key, .at = offsetof(struct rte_eth_stats, member)

static const struct stat_row rows[] = {
	{ ROW("rx_packets", ipackets), .help = "packets received" },
	{ ROW("rx_missed", imissed), .help = "packets dropped because no Rx descriptor was free",
		.part = STAT_MISSED },
	{ ROW("rx_bytes", ibytes), .unit = "bytes", .help = "bytes received" },
	{ ROW("rx_errors", ierrors), .help = "packets received with errors",
		.part = STAT_RX_ERRORS },
	{ ROW("rx_nombuf", rx_nombuf), .help = "failed receptions because the mempool was empty" },
	{ ROW("tx_packets", opackets), .help = "packets sent" },
	{ ROW("tx_errors", oerrors), .help = "packets that the driver could not send",
		.part = STAT_TX_ERRORS },
	{ ROW("tx_bytes", obytes), .unit = "bytes", .help = "bytes sent" },
};

const struct stat_table port_stats = { "port", rows, ARRAY_SIZE(rows), false };

/* Copy the next name of a list. Returns the rest of the list, NULL at the end. */
static const char *
name_next(const char *list, char name[RTE_ETH_XSTATS_NAME_SIZE])
{
	size_t n;

	list += strspn(list, ",");
	n = strcspn(list, ",");
	if (n == 0)
		return NULL;
	if (n >= RTE_ETH_XSTATS_NAME_SIZE)
		n = RTE_ETH_XSTATS_NAME_SIZE - 1;
	memcpy(name, list, n);
	name[n] = '\0';
	return list + strcspn(list, ",");
}

static int
display_xstats_check(const char *text, struct err *e)
{
	char name[RTE_ETH_XSTATS_NAME_SIZE];
	unsigned int n = 0;

	while ((text = name_next(text, name)) != NULL)
		n++;
	if (n > PORT_XSTATS_MAX)
		return err_set(e, E2BIG, "display-xstats: %u names: expected at most %u", n,
			PORT_XSTATS_MAX);
	return 0;
}

/*
 * Return the rate per second from two readings that are so many seconds apart; 0 if the counter
 * decreased or there is no earlier reading.
 */
static uint64_t
rate(uint64_t now, uint64_t before, double seconds)
{
	return seconds == 0 || now <= before ? 0 : (uint64_t)((double)(now - before) / seconds);
}

/*
 * True when counters that should stand still have risen as by a register of ones, which is how a card
 * reads that has left its slot: drivers add that to what they have counted.
 */
static bool
reads_as_ones(const struct rte_eth_stats *now, const struct rte_eth_stats *before)
{
	return now->imissed >= before->imissed && now->imissed - before->imissed >= UINT32_MAX &&
		now->ierrors >= before->ierrors && now->ierrors - before->ierrors >= UINT32_MAX;
}

int
port_stats_read_held(struct ports *ps, uint16_t id, struct rte_eth_stats *stats)
{
	struct port *p = &ps->port[id];
	int ret = rte_eth_stats_get(id, stats);

	if (ret != 0)
		return ret;
	if (reads_as_ones(stats, &p->read_stats)) {
		port_events_removed(ps, id);
	} else if (!atomic_load(&p->removed)) {
		p->read_stats = *stats;
	}
	*stats = p->read_stats;
	return 0;
}

int
port_stats_read(struct ports *ps, uint16_t id, struct rte_eth_stats *stats)
{
	int ret;

	pthread_mutex_lock(&ps->reading);
	ret = port_stats_read_held(ps, id, stats);
	pthread_mutex_unlock(&ps->reading);
	return ret;
}

int
port_stats_since(struct ports *ps, uint16_t id, struct rte_eth_stats *stats)
{
	const struct port *p = &ps->port[id];
	int ret = 0;

	pthread_mutex_lock(&ps->reading);
	if (p->run_stopped)
		*stats = p->run_end;
	else
		ret = port_stats_read_held(ps, id, stats);
	if (ret == 0)
		stat_subtract(&port_stats, stats, &p->run_stats);
	pthread_mutex_unlock(&ps->reading);
	return ret;
}

unsigned int
port_stats_queues(struct ports *ps, uint16_t id, bool rx)
{
	const struct port *p = &ps->port[id];
	const unsigned int n = rx ? p->n_rxq : p->n_txq;
	struct rte_eth_stats st;
	uint64_t sum;

	if (n <= COMPAT_QUEUE_STATS || port_stats_read(ps, id, &st) != 0)
		return n;
	sum = compat_queue_stats_sum(&st, rx);
	return sum > 0 && sum == (rx ? st.ipackets : st.opackets) ? COMPAT_QUEUE_STATS : n;
}

void
port_stats_base(struct ports *ps, uint16_t id)
{
	struct port *p = &ps->port[id];

	pthread_mutex_lock(&ps->reading);
	if (port_stats_read_held(ps, id, &p->run_stats) != 0)
		memset(&p->run_stats, 0, sizeof(p->run_stats));
	p->run_end = p->run_stats;
	pthread_mutex_unlock(&ps->reading);
}

void
port_stats_stop(struct ports *ps, uint16_t id, bool stopped)
{
	struct port *p = &ps->port[id];

	pthread_mutex_lock(&ps->reading);
	p->run_stopped = stopped && port_stats_read_held(ps, id, &p->run_end) == 0;
	pthread_mutex_unlock(&ps->reading);
}

static int
stats_read(struct ports *ps, const struct port *p, struct rte_eth_stats *stats, struct err *e)
{
	int ret = port_stats_read(ps, p->id, stats);

	if (ret == 0)
		return 0;
	return port_fail(p->all, e, ret < 0 ? -ret : EIO,
		"port %u (%s): cannot read statistics: %s", p->id, p->info.driver_name,
		strerror(abs(ret)));
}

static void
counters_show(struct out *o, const struct rte_eth_stats *s)
{
	/* testpmd's format of each row. */
	static const char *const formats[] = { "  RX-packets: %-10" PRIu64,
		" RX-missed: %-10" PRIu64, " RX-bytes:  %-" PRIu64 "\n",
		"  RX-errors: %-" PRIu64 "\n", "  RX-nombuf:  %-10" PRIu64 "\n",
		"  TX-packets: %-10" PRIu64, " TX-errors: %-10" PRIu64,
		" TX-bytes:  %-" PRIu64 "\n" };

	static_assert(ARRAY_SIZE(formats) == ARRAY_SIZE(rows), "a format for each row");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		out_u64_fmt(o, rows[i].name, formats[i], stat_value(&port_stats, i, s));
}

/* Print a rate; without an earlier reading 0 in text, as testpmd does, and null in JSON. */
static void
rate_show(struct out *o, const char *key, const char *fmt, uint64_t value, bool known)
{
	out_u64_fmt(o, known ? key : NULL, fmt, value);
	if (!known)
		out_str(o, key, NULL, NULL);
}

/* Print rates, rounded as in testpmd: whole packets, and whole bytes times 8. */
static void
rates_show(struct out *o, struct port *p, const struct rte_eth_stats *s, uint64_t now)
{
	const struct rte_eth_stats *last = &p->rate_stats;
	const bool known = p->rate_tsc != 0;
	const double seconds = known ? (double)(now - p->rate_tsc) / p->all->tsc_hz : 0;

	out_text(o, "\n  Throughput (since last show)\n");
	rate_show(o, "rx_pps", "  Rx-pps: %12" PRIu64, rate(s->ipackets, last->ipackets, seconds),
		known);
	rate_show(o, "rx_bps", "          Rx-bps: %12" PRIu64 "\n",
		rate(s->ibytes, last->ibytes, seconds) * 8, known);
	rate_show(o, "tx_pps", "  Tx-pps: %12" PRIu64, rate(s->opackets, last->opackets, seconds),
		known);
	rate_show(o, "tx_bps", "          Tx-bps: %12" PRIu64 "\n",
		rate(s->obytes, last->obytes, seconds) * 8, known);
	out_f64(o, "interval_s", NULL, known ? seconds : NAN);
	p->rate_stats = *s;
	p->rate_tsc = now;
}

/* Print one line of the table for display-xstats. */
static void
chosen_show(const struct ports *ps, const char *name, struct port_xstat *last, uint64_t id,
	uint64_t value, uint64_t now)
{
	struct out *o = ps->out;
	bool known = last->tsc != 0 && last->id == id;

	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "name", "  %-25s", name);
	out_u64(o, "value", "%12" PRIu64, value);
	rate_show(o, "per_second", " %15" PRIu64 "\n",
		rate(value, last->value, known ? (double)(now - last->tsc) / ps->tsc_hz : 0),
		known);
	out_unnest(o);
	*last = (struct port_xstat){ .id = id, .value = value, .tsc = now };
}

/*
 * Print the table for display-xstats; names that the port lacks are reported the first time only.
 */
static int
chosen_table(struct ports *ps, struct port *p, bool first, uint64_t now, struct err *e)
{
	const char *list = setting_text(ps->settings, "display-xstats");
	char name[PORT_XSTATS_MAX][RTE_ETH_XSTATS_NAME_SIZE];
	uint64_t id[PORT_XSTATS_MAX], value[PORT_XSTATS_MAX];
	unsigned int i, n = 0;
	int ret;

	while (n < PORT_XSTATS_MAX && (list = name_next(list, name[n])) != NULL) {
		if (rte_eth_xstats_get_id_by_name(p->id, name[n], &id[n]) == 0)
			n++;
		else if (first)
			out_warn(ps->out, "No xstat '%s' on port %u - skip it\n", name[n], p->id);
	}
	if (n == 0)
		return 0;
	out_text(ps->out, "\n");
	pthread_mutex_lock(&ps->reading);
	ret = rte_eth_xstats_get_by_id(p->id, id, value, n);
	pthread_mutex_unlock(&ps->reading);
	if (ret != (int)n)
		return port_fail(p->all, e, ret < 0 ? -ret : EIO,
			"Failed to get values of %u xstats for port %u - return code %d", n, p->id,
			ret);
	out_text(ps->out, "%-31s%-17s%s\n", " ", "Value", "Rate (since last show)");
	out_nest(ps->out, "xstats", OUT_ARRAY);
	for (i = 0; i < n; i++)
		chosen_show(ps, name[i], &p->xstat[i], id[i], value[i], now);
	out_unnest(ps->out);
	return 0;
}

/* Return the number of started ports; *has: one of them has the statistic. */
static unsigned int
started_with(const struct ports *ps, const char *name, bool *has)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n = port_ids(ps, ids), started = 0;
	uint64_t id;

	*has = false;
	for (unsigned int i = 0; i < n; i++) {
		if (port_at(ps, ids[i])->state != PORT_STARTED)
			continue;
		started++;
		*has |= rte_eth_xstats_get_id_by_name(ids[i], name, &id) == 0;
	}
	return started;
}

/* Warn about unknown names, but accept them: a later port may have them. */
static int
display_xstats_apply(void *ports, struct err *e)
{
	const struct ports *ps = ports;
	const char *list = setting_text(ps->settings, "display-xstats");
	char name[RTE_ETH_XSTATS_NAME_SIZE];
	bool has;

	while ((list = name_next(list, name)) != NULL)
		if (started_with(ps, name, &has) > 0 && !has)
			out_warn(ps->out, "display-xstats: no started port has \"%s\"\n", name);
	return 0;
}

void
port_stats_settings_apply(struct ports *ps)
{
	setting_apply_by(ps->settings, "display-xstats", display_xstats_apply, ps);
}

static int
stats_show(struct ports *ps, struct port *p, void *ctx, struct err *e)
{
	struct rte_eth_stats stats;
	bool first = p->rate_tsc == 0;
	uint64_t now;
	int ret = stats_read(ps, p, &stats, e);

	if (ret != 0)
		return ret;
	now = rte_rdtsc();
	out_text(ps->out, "\n  %s NIC statistics for port %-2u %s\n", BORDER, p->id, BORDER);
	counters_show(ps->out, &stats);
	rates_show(ps->out, p, &stats, now);
	ret = chosen_table(ps, p, first, now, e);
	out_text(ps->out, "  %s############################%s\n", BORDER, BORDER);
	return ret;
}

int
port_stats_show(struct ports *ps, uint16_t id, struct err *e)
{
	return port_each(ps, id, stats_show, NULL, e);
}

int
port_stats_period(struct ports *ps, const uint16_t *ids, unsigned int n, struct err *e)
{
	if (out_on_terminal(ps->out))
		out_text(ps->out, "\033[2J\033[1;1H");
	out_text(ps->out, "\nPort statistics ====================================");
	return port_each_of(ps, ids, n, stats_show, NULL, e);
}

/*
 * Complete a clear of port statistics: check the driver's result, then set new baselines for the
 * rates and for the run's statistics.
 */
static int
cleared(struct ports *ps, struct port *p, int ret, const char *what, struct err *e)
{
	struct rte_eth_stats stats;

	if (ret != 0)
		return port_fail(p->all, e, ret < 0 ? -ret : EIO,
			"port %u (%s): cannot clear %s: %s", p->id, p->info.driver_name, what,
			strerror(abs(ret)));
	ret = stats_read(ps, p, &stats, e);
	if (ret != 0)
		return ret;
	if (p->rate_tsc != 0) {
		p->rate_stats = stats;
		p->rate_tsc = rte_rdtsc();
	}
	pthread_mutex_lock(&ps->reading);
	p->run_stats = p->run_end = stats;
	pthread_mutex_unlock(&ps->reading);
	return 0;
}

static int
stats_clear(struct ports *ps, struct port *p, void *ctx, struct err *e)
{
	int ret;

	pthread_mutex_lock(&ps->reading);
	ret = rte_eth_stats_reset(p->id);
	pthread_mutex_unlock(&ps->reading);
	ret = cleared(ps, p, ret, "statistics", e);
	if (ret == 0) {
		out_text(ps->out, "\n  ");
		out_say(ps->out, "NIC statistics for port %u cleared\n", p->id);
	}
	return ret;
}

static int
xstats_clear(struct ports *ps, struct port *p, void *ctx, struct err *e)
{
	int ret;

	pthread_mutex_lock(&ps->reading);
	ret = rte_eth_xstats_reset(p->id);
	pthread_mutex_unlock(&ps->reading);
	return cleared(ps, p, ret, "extended statistics", e);
}

int
port_stats_clear(struct ports *ps, uint16_t id, struct err *e)
{
	return port_each(ps, id, stats_clear, NULL, e);
}

int
port_xstats_clear(struct ports *ps, uint16_t id, struct err *e)
{
	return port_each(ps, id, xstats_clear, NULL, e);
}

/* Read names and values of all n extended statistics. Returns 0, or -errno with e filled. */
static int
xstats_read(struct ports *ps, const struct port *p, struct rte_eth_xstat_name *names,
	struct rte_eth_xstat *values, int n, struct err *e)
{
	bool whole;

	pthread_mutex_lock(&ps->reading);
	whole = rte_eth_xstats_get_names(p->id, names, n) == n &&
		rte_eth_xstats_get(p->id, values, n) == n;
	pthread_mutex_unlock(&ps->reading);
	if (whole)
		return 0;
	return port_fail(p->all, e, EIO, "port %u (%s): cannot read its %d extended statistics",
		p->id, p->info.driver_name, n);
}

/* Print one extended statistic, unless a setting hides it. */
static void
xstat_show(struct ports *ps, const struct port *p, const char *name, const struct rte_eth_xstat *x)
{
	const bool states = setting_on(ps->settings, "xstats-show-state");
	const bool hide_disabled = setting_on(ps->settings, "xstats-hide-disabled");
	const int state = states || hide_disabled ? compat_xstats_state(p->id, x->id) : -ENOTSUP;

	if ((x->value == 0 && setting_on(ps->settings, "xstats-hide-zero")) ||
		(hide_disabled && state == 0))
		return;
	if (states)
		out_text(ps->out, "state: %c\t", state < 0 ? '-' : state == 0 ? 'D' : 'E');
	out_text(ps->out, "%s: ", name);
	out_u64(ps->out, name, "%" PRIu64 "\n", x->value);
}

static int
xstats_show(struct ports *ps, struct port *p, void *ctx, struct err *e)
{
	int i, ret, n = rte_eth_xstats_get_names(p->id, NULL, 0);
	struct rte_eth_xstat_name *names;
	struct rte_eth_xstat *values;

	if (n < 0)
		return port_fail(p->all, e, -n,
			"port %u (%s): cannot count extended statistics: %s", p->id,
			p->info.driver_name, strerror(-n));
	names = calloc(n + 1, sizeof(*names));
	values = calloc(n + 1, sizeof(*values));
	if (names == NULL || values == NULL)
		ret = err_set(e, ENOMEM, "no memory for %d extended statistics", n);
	else
		ret = xstats_read(ps, p, names, values, n, e);
	if (ret == 0) {
		out_text(ps->out, "###### NIC extended statistics for port %-2u\n", p->id);
		out_nest(ps->out, "xstats", OUT_OBJECT);
		for (i = 0; i < n; i++)
			xstat_show(ps, p, names[values[i].id].name, &values[i]);
		out_unnest(ps->out);
	}
	free(values);
	free(names);
	return ret;
}

int
port_xstats_show(struct ports *ps, uint16_t id, struct err *e)
{
	return port_each(ps, id, xstats_show, NULL, e);
}

int
port_xstats_switch(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0);
	const char *name = arg_str(a, "counter", "");
	uint64_t number;
	int ret;

	if (port_at(ps, id) == NULL)
		return port_missing(ps, id, e);
	if (rte_eth_xstats_get_id_by_name(id, name, &number) != 0)
		return err_set(e, EINVAL, "Cannot find xstats with a given name: %s", name);
	ret = compat_xstats_set_counter(id, number, arg_is(a, "what", "enable"));
	if (ret == -ENOSYS)
		return err_set(e, ENOSYS,
			"extended statistics on or off: needs DPDK 25.03, this is %s",
			rte_version());
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "operation not supported by device");
	return ret >= 0 ? 0 : err_set(e, -ret, "%s: operation failed: %s", name, strerror(-ret));
}
