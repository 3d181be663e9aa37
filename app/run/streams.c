/* Make the streams of a plan: memory on the lcore's socket, ends copied from the ports, state
 * initialised by the engine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/streams.h"

#include "base/err.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "pmd_shims/rx_call.h"
#include "port/port.h"
#include "run/run.h"
#include "run/run_engines.h"
#include "run/run_recycle.h"
#include "stream/hw_counters.h"
#include "stream/plan.h"
#include "stream/recycle_tuning.h"

#include <rte_lcore.h>
#include <rte_malloc.h>

#include <errno.h>
#include <stdlib.h>

/* Let the engine finish a stream, also if its init() was not called. */
static void
stream_finish(struct stream *s)
{
	if (s->engine->fini != NULL && s->state != NULL)
		s->engine->fini(s);
	if (s->feed != NULL)
		zcfwd_recycle_stop(s->feed);
	rte_free(s->state);
	s->state = NULL;
}

void
streams_finish(struct stream **streams, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		stream_finish(streams[i]);
}

void
streams_free(struct stream **streams, unsigned int n)
{
	unsigned int i;

	if (streams == NULL)
		return;
	for (i = 0; i < n && streams[i] != NULL; i++)
		stream_finish(streams[i]);
	for (i = 0; i < n && streams[i] != NULL; i++) {
		if (streams[i]->engine->forget != NULL)
			streams[i]->engine->forget(streams[i]);
		zcfwd_recycle_destroy(streams[i]->feed);
		recycle_tuning_free(atomic_load(&streams[i]->tuning));
		stream_log_free(streams[i]->log);
		hw_counters_free(streams[i]->hw);
		rte_free(streams[i]);
	}
	free(streams);
}

static struct stream *
stream_new(const struct run *r, const struct engine *engine, const struct plan_stream *route)
{
	const struct port *rx = port_at(r->ports, route->rx_port),
			  *tx = port_at(r->ports, route->tx_port);
	int socket = (int)rte_lcore_to_socket_id(route->lcore);
	struct stream *s = rte_zmalloc_socket("stream", sizeof(*s), CACHE_PAIR, socket);

	if (s == NULL)
		return NULL;
	/* Allocate state even if the engine needs none: non-NULL means that fini() is due. */
	s->state = rte_zmalloc_socket("stream_state",
		engine->state_size > 0 ? engine->state_size : 1, CACHE_PAIR, socket);
	if (s->state == NULL) {
		rte_free(s);
		return NULL;
	}
	s->rx_port = route->rx_port;
	s->rx_queue = route->rx_queue;
	s->tx_port = route->tx_port;
	s->tx_queue = route->tx_queue;
	s->lcore = route->lcore;
	s->tx_stopped = route->tx_stopped;
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		s->tx_mirrors |= r->mirror.target[id].on &&
			r->mirror.target[id].to == route->tx_port;
	s->engine = engine;
	s->burst = (uint16_t)setting_u64(r->settings, "burst");
	s->rx_call = rx_call_max(route->rx_port, route->rx_queue);
	s->retries = r->retry ? (uint16_t)setting_u64(r->settings, "burst-tx-retry") : 0;
	s->retry_us = (uint32_t)setting_u64(r->settings, "burst-tx-delay");
	s->ending = &r->ending;
	s->tsc_hz = r->tsc_hz;
	s->pool = pool_for(r->pools, socket, 0);
	s->rx_pool = port_rx_pool(rx, route->rx_queue, rx->socket);
	s->settings = r->settings;
	s->config = run_engines_config(r, engine);
	port_stream_end(rx, route->rx_queue, true, &s->rx_end);
	port_stream_end(tx, route->tx_queue, false, &s->tx_end);
	return s;
}

/* Create the hardware counters of each lcore with its first stream. */
static int
hw_make(const struct run *r, struct stream *const *streams, unsigned int n, struct err *e)
{
	struct pmu_choice what;

	if (pmu_choose(PMU_DEVICES, setting_text(r->settings, "hw-counters"), &what, e) != 0)
		return -e->code;
	for (unsigned int i = 0; i < n; i++) {
		struct stream *s = streams[i];

		if (i > 0 && streams[i - 1]->lcore == s->lcore)
			continue;
		s->hw = hw_counters_new(&what, (int)rte_lcore_to_socket_id(s->lcore));
		if (s->hw == NULL)
			return err_set(e, ENOMEM, "no memory for hardware counters of lcore %u",
				s->lcore);
	}
	return 0;
}

struct stream **
streams_make(const struct run *r, const struct engine *engine, const struct plan *plan,
	struct err *e)
{
	struct stream **streams = calloc(plan->n_streams, sizeof(*streams));
	unsigned int i;

	if (streams == NULL) {
		err_set(e, ENOMEM, "no memory for %u streams", plan->n_streams);
		return NULL;
	}
	for (i = 0; i < plan->n_streams; i++) {
		streams[i] = stream_new(r, engine, &plan->streams[i]);
		if (streams[i] == NULL) {
			err_set(e, ENOMEM,
				"no memory for stream %u of %u: %zu bytes; use fewer queues, or give EAL more memory (-m)",
				i, plan->n_streams, sizeof(struct stream) + engine->state_size);
			goto fail;
		}
		streams[i]->siblings = streams;
		streams[i]->n_siblings = plan->n_streams;
		streams[i]->index = i;
	}
	if (hw_make(r, streams, plan->n_streams, e) != 0)
		goto fail;
	if (run_recycles(r, engine) && run_recycle_open(r, streams, plan->n_streams, e) != 0)
		goto fail;
	for (i = 0; engine->init != NULL && i < plan->n_streams; i++)
		if (engine->init(streams[i], e) != 0)
			goto fail;
	if (engine->helpers != NULL && engine->helpers->join(streams, plan, e) != 0)
		goto fail;
	return streams;
fail:
	streams_free(streams, plan->n_streams);
	return NULL;
}
