/* Adds up the account of a run's packets, and checks its law. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/account/run_account.h"

#include "base/base.h"
#include "base/err.h"
#include "engines/engine.h"
#include "port/port_stats.h"
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define ROW(member) .name = #member, .at = offsetof(struct run_account, member)

static const struct stat_row rows[] = {
	{ ROW(asked), .help = "packets due by rate, file or count, or received" },
	{ ROW(offered), .help = "packets received, missed or created" },
	{ ROW(sent), .help = "packets accepted by ports, tx_errors excluded" },
	{ ROW(absorbed), .help = "packets that the engine removed on purpose" },
	{ ROW(unsent), .help = "packets due, but not sent in time" },
	{ ROW(refused), .help = "packets that a port did not accept", .part = STAT_REFUSED },
	{ ROW(tx_errors), .help = "packets accepted by a port, which reported them as not sent",
		.part = STAT_TX_ERRORS },
	{ ROW(missed), .help = "packets missed by a port because no Rx descriptor was free",
		.part = STAT_MISSED },
	{ ROW(rx_errors), .help = "packets received with errors", .part = STAT_RX_ERRORS },
	{ ROW(dropped), .help = "packets dropped by the engine", .part = STAT_DROPPED },
	{ ROW(lost_on_the_way), .optional = true,
		.help = "packets sent that did not come back intact; engines that measure only" },
	{ ROW(lost), .optional = true,
		.help = "packets lost, in all; unknown while measured packets are under way" },
};

const struct stat_table run_account_stats = { "account", rows, ARRAY_SIZE(rows), false };

/*
 * Packets of another source that are no fault: a few, which any network interface receives, and one
 * for each packet that did not come back, since a damaged packet can look like one.
 */
#define FOREIGN_FEW 10

/* a - b, or 0: counters are read one after another while lcores count. */
static uint64_t
less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void
run_account_begin(struct run_account_sums *sums, const struct run *r)
{
	memset(sums, 0, sizeof(*sums));
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		const struct stream *s = r->streams[i];

		sums->measures |= s->engine->trial != NULL;
		sums->port[s->rx_port].receives |= (s->engine->flags & ENGINE_NO_RX) == 0;
		sums->port[s->tx_port].sends |= (s->engine->flags & ENGINE_NO_TX) == 0;
		sums->port[s->tx_port].mirrors |= s->tx_mirrors;
	}
}

void
run_account_add_stream(struct run_account_sums *sums, const struct stream *s,
	const struct stream_count *c)
{
	const struct stat_table own = engine_counters(s->engine);

	stat_parts_add(sums->part, &stream_stats, c);
	stat_parts_add(sums->part, &own, c->named);
	sums->port[s->tx_port].accepted += c->tx;
}

void
run_account_add_port(struct run_account_sums *sums, uint16_t id, const struct rte_eth_stats *stats)
{
	const struct run_account_port *port = &sums->port[id];
	struct rte_eth_stats st = *stats;
	uint64_t most = port->sends ? port->accepted : 0;

	if (!port->receives)
		st.imissed = st.ierrors = 0;
	if (!port->mirrors)
		most = less(most, st.opackets);
	st.oerrors = RTE_MIN(st.oerrors, most);
	stat_parts_add(sums->part, &port_stats, &st);
}

/* Distribute the packets that did not come back, way of them, to the parts that ports reported. */
static void
way_divide(struct run_account *a, uint64_t way)
{
	a->missed = RTE_MIN(a->missed, way);
	way -= a->missed;
	a->rx_errors = RTE_MIN(a->rx_errors, way);
	a->lost_on_the_way = way - a->rx_errors;
	a->lost = a->refused + a->tx_errors + a->missed + a->rx_errors + a->lost_on_the_way;
}

void
run_account_end(const struct run_account_sums *sums, struct run_account *a)
{
	const uint64_t *part = sums->part;
	const uint64_t in = sums->measures
		? less(part[STAT_MADE], part[STAT_ANSWERED])
		: part[STAT_RECEIVED] + part[STAT_MADE] - part[STAT_AGAIN] - part[STAT_MOVED] +
			part[STAT_DROPPED_FIRST] + part[STAT_MISSED] + part[STAT_RX_ERRORS];

	*a = (struct run_account){ .asked = in + part[STAT_UNSENT],
		.offered = in,
		.sent = less(part[STAT_TAKEN], part[STAT_TX_ERRORS] + part[STAT_ANSWERED]),
		.absorbed = sums->measures ? 0 : part[STAT_ABSORBED],
		.unsent = part[STAT_UNSENT],
		.refused = part[STAT_REFUSED],
		.tx_errors = part[STAT_TX_ERRORS],
		.missed = part[STAT_MISSED],
		.rx_errors = part[STAT_RX_ERRORS],
		.dropped = part[STAT_DROPPED] + part[STAT_DROPPED_FIRST],
		.lost_on_the_way = STAT_NONE };
	a->lost = sums->measures
		? STAT_NONE
		: a->refused + a->tx_errors + a->missed + a->rx_errors + a->dropped;
}

void
run_account_measured(const struct run *r, struct run_account *a)
{
	struct engine_sums sums;

	if (r->engine_run->trial == NULL)
		return;
	sums = r->engine_run->trial->sums(r->streams, r->plan.n_streams);
	if (sums.sent == a->sent + a->tx_errors && sums.arrived <= sums.sent)
		way_divide(a, less(sums.sent - sums.arrived, a->tx_errors));
}

/*
 * Read what an engine measured in the last run. Returns false if the engine does not measure, or
 * counters were cleared in the run, or it is not over.
 */
static bool
measured(const struct run *r, struct engine_sums *sums)
{
	if (r->engine_run->trial == NULL || run_busy(r) || r->base_tsc > r->begin_tsc)
		return false;
	*sums = r->engine_run->trial->sums(r->streams, r->plan.n_streams);
	return true;
}

static bool
is_valid(const struct engine_sums *sums)
{
	return sums->arrived <= sums->sent &&
		sums->foreign <= FOREIGN_FEW + sums->sent - sums->arrived;
}

void
run_account_read(const struct run *r, struct run_account *a)
{
	struct run_account_sums sums;
	struct engine_sums trial;
	struct rte_eth_stats st;
	struct run_count c;

	run_account_begin(&sums, r);
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		run_count(r, i, &c);
		run_account_add_stream(&sums, r->streams[i], &c.count);
	}
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if ((sums.port[id].receives || sums.port[id].sends) &&
			port_stats_since(r->ports, id, &st) == 0)
			run_account_add_port(&sums, id, &st);
	run_account_end(&sums, a);
	if (measured(r, &trial))
		run_account_measured(r, a);
}

int
run_account_valid(const struct run *r, struct err *e)
{
	struct engine_sums sums;

	/* A port may only receive, to count what another program sends. */
	if (!measured(r, &sums) || sums.due == 0 || is_valid(&sums))
		return 0;
	if (sums.arrived > sums.sent)
		return err_set(e, EPROTO,
			"engine %s sent %" PRIu64 " packets and received %" PRIu64
			" of them: a port repeats packets, or does not receive what the others send, so nothing is known about a loss; connect the ports to each other or to the device under test",
			r->engine_run->name, sums.sent, sums.arrived);
	return err_set(e, EPROTO,
		"engine %s sent %" PRIu64 " packets and received %" PRIu64
		" packets of another source: connect its ports only to each other or to the device under test",
		r->engine_run->name, sums.sent, sums.foreign);
}

int
run_account_check(const struct run *r, struct err *e)
{
	const bool measures = r->engine_run->trial != NULL;
	struct run_account a;
	uint64_t out;

	run_account_read(r, &a);
	out = a.sent + a.refused + a.tx_errors;
	if (!measures)
		out += a.absorbed + a.missed + a.rx_errors + a.dropped;
	if (out == a.offered && a.offered + a.unsent == a.asked &&
		(a.lost == STAT_NONE || a.lost <= a.offered))
		return 0;
	return err_set(e, EPROTO,
		"engine %s: the account does not balance: asked %" PRIu64 ", offered %" PRIu64
		", sent %" PRIu64 ", absorbed %" PRIu64 ", unsent %" PRIu64 ", refused %" PRIu64
		", tx_errors %" PRIu64 ", missed %" PRIu64 ", rx_errors %" PRIu64
		", dropped %" PRIu64,
		r->engine_run->name, a.asked, a.offered, a.sent, a.absorbed, a.unsent, a.refused,
		a.tx_errors, a.missed, a.rx_errors, a.dropped);
}
