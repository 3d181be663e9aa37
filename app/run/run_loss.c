/* The loss of a run, added up from the rows that count lost packets, for every report of a loss. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_loss.h"

#include "engines/engine.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/run.h"
#include "run/run_count.h"
#include "stream/stream_count.h"

#include <string.h>

void
run_loss_ports(const struct run *r, struct run_loss_port *port)
{
	memset(port, 0, RTE_MAX_ETHPORTS * sizeof(*port));
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		const struct stream *s = r->streams[i];

		port[s->rx_port].receives |= (s->engine->flags & ENGINE_NO_RX) == 0;
		port[s->tx_port].sends |= (s->engine->flags & ENGINE_NO_TX) == 0;
	}
}

void
run_loss_add_stream(struct stat_loss *sum, const struct stream *s, const struct stream_count *c)
{
	const struct stat_table own = engine_counters(s->engine);

	stat_loss_add(sum, &stream_stats, c);
	stat_loss_add(sum, &own, c->named);
}

void
run_loss_add_port(struct stat_loss *sum, const struct run_loss_port *port,
	const struct rte_eth_stats *stats)
{
	struct rte_eth_stats st = *stats;

	if (!port->receives)
		st.imissed = 0;
	if (!port->sends)
		st.oerrors = 0;
	stat_loss_add(sum, &port_stats, &st);
}

void
run_loss_read(const struct run *r, struct stat_loss *loss)
{
	struct run_loss_port port[RTE_MAX_ETHPORTS];
	struct rte_eth_stats st;
	struct run_count c;

	*loss = (struct stat_loss){ 0 };
	run_loss_ports(r, port);
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		run_count(r, i, &c);
		run_loss_add_stream(loss, r->streams[i], &c.count);
	}
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if ((port[id].receives || port[id].sends) &&
			port_stats_since(r->ports, id, &st) == 0)
			run_loss_add_port(loss, &port[id], &st);
}
