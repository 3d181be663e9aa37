/* Creates a pipeline from the settings: lcores, rings and their connections, each allocated on the
 * socket that uses it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_setup.h"

#include "base/err.h"
#include "base/setting.h"
#include "base/text.h"
#include "engines/ring/processes/ring_worker_slot.h"
#include "engines/ring/ring_autotune.h"
#include "engines/ring/ring_l3fwd.h"
#include "engines/ring/ring_link.h"
#include "engines/ring/ring_state.h"
#include "engines/ring/ring_worker.h"
#include "stream/hw_counters.h"
#include "stream/plan.h"

#include <rte_common.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include <errno.h>
#include <stdbool.h>

/* lcore: LCORE_ID_ANY for a worker in another process. */
static int
socket_of(unsigned int lcore)
{
	return lcore == LCORE_ID_ANY ? SOCKET_ID_ANY : (int)rte_lcore_to_socket_id(lcore);
}

static void *
zeroed(size_t n, size_t bytes, unsigned int lcore)
{
	return rte_zmalloc_socket("pipeline", RTE_MAX(n, (size_t)1) * bytes, CACHE_PAIR,
		socket_of(lcore));
}

static const struct ring_config *
config_of(const struct stream *s)
{
	return s->config;
}

static void
settings_take(struct ring_pipeline *p, const struct settings *settings)
{
	p->mode = (enum ring_mode)setting_u64(settings, "pipeline-mode");
	p->stage = (enum ring_stage)setting_u64(settings, "pipeline-stage");
	p->spread = (enum ring_spread)setting_u64(settings, "pipeline-spread");
	p->wait = setting_u64(settings, "pipeline-full") == 0;
	p->shared = setting_u64(settings, "pipeline-sync") != 0;
	p->size = (unsigned int)setting_u64(settings, "pipeline-ring");
	p->busy_cycles = setting_u64(settings, "pipeline-busy");
	if (setting_u64(settings, "pipeline-processes") > 0) {
		p->remote = true;
		p->n_workers = (unsigned int)setting_u64(settings, "pipeline-processes");
	}
	/* Spread whole queues if there are at least as many queues as workers. */
	if (p->spread == RING_SPREAD_AUTO)
		p->spread = p->n_streams >= p->n_workers ? RING_SPREAD_QUEUE : RING_SPREAD_FLOW;
}

/* Create the I/O lcores and the workers. */
static int
lcores_make(struct ring_pipeline *p, const struct plan *plan, const struct settings *settings)
{
	const struct hw_counters *hw = p->streams[0]->hw;
	uint64_t burst = setting_u64(settings, "pipeline-burst");

	p->io = zeroed(p->n_io, sizeof(*p->io), plan->lcores[0].lcore);
	p->workers = zeroed(p->n_workers, sizeof(*p->workers), plan->lcores[0].lcore);
	if (p->io == NULL || p->workers == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < p->n_workers; i++) {
		struct ring_worker *w = &p->workers[i];

		w->lcore = p->remote ? LCORE_ID_ANY : plan->helpers[i];
		w->index = i;
		w->pipeline = p;
		w->burst = (uint16_t)(burst != 0 ? burst : p->streams[0]->burst);
		w->feeds = zeroed(p->n_streams, sizeof(*w->feeds), w->lcore);
		w->outs = zeroed(p->n_streams, sizeof(*w->outs), w->lcore);
		w->per_stream = zeroed(p->n_streams, sizeof(*w->per_stream), w->lcore);
		if (w->feeds == NULL || w->outs == NULL || w->per_stream == NULL)
			return -ENOMEM;
		w->hw = hw_counters_new(hw != NULL ? &hw->what : NULL, socket_of(w->lcore));
		if (w->hw == NULL)
			return -ENOMEM;
		w->journal = p->remote ? zeroed(p->n_streams, sizeof(*w->journal), w->lcore) : NULL;
		if (p->remote && w->journal == NULL)
			return -ENOMEM;
	}
	for (unsigned int i = 0; i < p->n_io; i++) {
		struct ring_io *io = &p->io[i];

		io->lcore = plan->lcores[i].lcore;
		io->first = plan->lcores[i].first;
		io->n = plan->lcores[i].n;
		io->n_polled = io->n - plan->lcores[i].idle;
		io->pipeline = p;
		io->folded = zeroed(io->n, sizeof(*io->folded), io->lcore);
		io->outs = zeroed((size_t)io->n * p->n_workers, sizeof(*io->outs), io->lcore);
		io->backs = zeroed((size_t)io->n * p->n_workers, sizeof(*io->backs), io->lcore);
		if (io->folded == NULL || io->outs == NULL || io->backs == NULL)
			return -ENOMEM;
		for (unsigned int k = 0; k < p->n_workers; k++)
			if (p->workers[k].lcore == io->lcore)
				io->own = &p->workers[k];
	}
	return 0;
}

/* Whether packets of a stream go to a worker. */
static bool
feeds(const struct ring_pipeline *p, unsigned int stream, unsigned int worker)
{
	return p->spread != RING_SPREAD_QUEUE || stream % p->n_workers == worker;
}

static int
links_make(struct ring_pipeline *p, struct err *e)
{
	struct ring_kind in_kind = { .size = p->size }, back_kind;

	if (p->mode == RING_COMPRESSED && ring_compress_base(&in_kind.base, e) != 0)
		return -e->code;
	back_kind = in_kind;
	back_kind.many_put = p->shared;
	in_kind.many_take = p->spread == RING_SPREAD_ANY;
	for (unsigned int i = 0; i < p->n_streams; i++) {
		struct ring_link *first_in = NULL, *first = NULL;

		for (unsigned int k = 0; k < p->n_workers; k++) {
			bool from = feeds(p, i, k), back = from || p->stage == RING_L3FWD;
			struct ring_link **in = ring_in(p, i, k), **out = ring_back(p, i, k);

			in_kind.socket = back_kind.socket = p->remote
				? SOCKET_ID_ANY
				: (int)rte_lcore_to_socket_id(p->workers[k].lcore);
			if (from)
				*in = ring_link_open(&in_kind, in_kind.many_take ? first_in : NULL,
					e);
			if (back)
				*out = ring_link_open(&back_kind, p->shared ? first : NULL, e);
			if ((from && *in == NULL) || (back && *out == NULL))
				return -ENOMEM;
			/* In place only if no other worker shares the ring. */
			if (from && !p->shared)
				(*out)->origin = *in;
			if (first_in == NULL)
				first_in = *in;
			if (first == NULL)
				first = *out;
		}
	}
	return 0;
}

/* Connect each lcore to the rings that it puts packets into and takes packets from. */
static void
lcores_connect(struct ring_pipeline *p)
{
	for (unsigned int k = 0; k < p->n_workers; k++) {
		struct ring_worker *w = &p->workers[k];

		w->n_outs = p->n_streams;
		for (unsigned int i = 0; i < p->n_streams; i++) {
			w->outs[i] = (struct ring_out){ *ring_back(p, i, k), 0, i, NULL };
			if (p->remote) {
				w->journal[i].worker = w;
				w->journal[i].hold = p->shared ? &p->producer_locks[i] : NULL;
				w->outs[i].note = &w->journal[i];
			}
			if (*ring_in(p, i, k) != NULL)
				w->feeds[w->n_feeds++] = (struct ring_feed){ *ring_in(p, i, k),
					&w->outs[i], p->streams[i], NULL,
					p->remote && p->spread == RING_SPREAD_ANY
						? &p->consumer_locks[i]
						: NULL };
		}
	}
	for (unsigned int i = 0; i < p->n_io; i++) {
		struct ring_io *io = &p->io[i];

		for (unsigned int k = 0; k < io->n * p->n_workers; k++) {
			unsigned int stream = io->first + k / p->n_workers,
				     at = io->first * p->n_workers + k;

			io->outs[k] = (struct ring_out){ p->in[at], 0, stream, NULL };
			if (p->back[at] != NULL && p->back[at]->owner == p->back[at])
				io->backs[io->n_backs++] =
					(struct ring_out){ p->back[at], 0, stream, NULL };
		}
	}
}

static int
remote_check(const struct ring_pipeline *p, struct err *e)
{
	if (config_of(p->streams[0])->shared == NULL)
		return err_set(e, ENOTSUP,
			"pipeline-processes: this process shares no memory; start it without EAL's --in-memory, --no-huge and --no-shconf");
	return 0;
}

static int
limits_check(const struct ring_pipeline *p, struct err *e)
{
	if (p->remote && remote_check(p, e) != 0)
		return -e->code;
	if (p->spread == RING_SPREAD_ANY && !p->shared)
		return err_set(e, EINVAL,
			"pipeline-spread any: several workers share a ring; use \"set pipeline sync hts\"");
	if (p->n_workers > UINT8_MAX)
		return err_set(e, E2BIG, "%u workers: expected at most %u", p->n_workers,
			UINT8_MAX);
	if (p->stage == RING_L3FWD && p->n_streams > UINT8_MAX)
		return err_set(e, E2BIG,
			"l3fwd: %u streams: expected at most %u; use fewer ports or queues, or engine l3fwd",
			p->n_streams, UINT8_MAX);
	return 0;
}

/* Create the parts of a pipeline whose streams and numbers are set. */
static int
parts_make(struct ring_pipeline *p, const struct plan *plan, struct err *e)
{
	const struct stream *first = p->streams[0];
	size_t n_links;

	settings_take(p, first->settings);
	n_links = (size_t)p->n_streams * p->n_workers;
	if (limits_check(p, e) != 0)
		return -e->code;
	p->in = zeroed(n_links, sizeof(struct ring_link *), first->lcore);
	p->back = zeroed(n_links, sizeof(struct ring_link *), first->lcore);
	p->producer_locks = zeroed(p->n_streams, sizeof(*p->producer_locks), first->lcore);
	p->consumer_locks = zeroed(p->n_streams, sizeof(*p->consumer_locks), first->lcore);
	if (p->in == NULL || p->back == NULL || p->producer_locks == NULL ||
		p->consumer_locks == NULL || lcores_make(p, plan, first->settings) != 0)
		return err_set(e, ENOMEM, "no memory for a pipeline of %u streams and %u workers",
			p->n_streams, p->n_workers);
	if (links_make(p, e) != 0)
		return -e->code;
	lcores_connect(p);
	if (p->stage == RING_L3FWD) {
		p->l3fwd = ring_l3fwd_open(p, config_of(first)->routes, e);
		if (p->l3fwd == NULL)
			return -e->code;
	}
	for (unsigned int i = 0; i < p->n_io; i++)
		ring_autotune_open(&p->io[i], p->mode, first->tsc_hz);
	return 0;
}

int
ring_setup_join(struct stream *const *streams, const struct plan *plan, struct err *e)
{
	struct ring_pipeline *p = zeroed(1, sizeof(*p), streams[0]->lcore);

	if (p == NULL)
		return err_set(e, ENOMEM, "no memory for a pipeline");
	p->n_streams = plan->n_streams;
	p->n_io = plan->n_lcores;
	p->n_workers = plan->n_helpers;
	p->streams = zeroed(p->n_streams, sizeof(struct stream *), streams[0]->lcore);
	if (p->streams == NULL) {
		ring_setup_free(p);
		return err_set(e, ENOMEM, "no memory for %u streams", p->n_streams);
	}
	memcpy(p->streams, streams, p->n_streams * sizeof(struct stream *));
	if (parts_make(p, plan, e) != 0 || (p->remote && ring_worker_slot_watch(p, e) != 0)) {
		ring_setup_free(p);
		return -e->code;
	}
	for (unsigned int i = 0; i < p->n_streams; i++)
		streams[i]->kept = p;
	if (p->remote)
		atomic_store(&config_of(streams[0])->shared->pipeline, p);
	return 0;
}

/* Free the packets in a ring. Returns how many. */
static uint64_t
ring_clear(struct ring_link *l)
{
	return l != NULL && l->owner == l ? ring_link_clear(l) : 0;
}

void
ring_setup_end(struct stream *s)
{
	struct ring_pipeline *p = s->kept;
	uint64_t left = 0;

	if (p == NULL)
		return;
	if (p->remote && s->index == 0) {
		ring_worker_slot_withdraw(config_of(s));
		ring_worker_slot_unwatch(p);
	}
	for (unsigned int k = 0; k < p->n_workers; k++)
		left += ring_clear(*ring_in(p, s->index, k)) +
			ring_clear(*ring_back(p, s->index, k));
	stream_count_named(s, RING_LEFT, left);
	counter_add(&s->count.absorbed, left);
	for (unsigned int i = 0; s->index == 0 && i < p->n_io; i++)
		ring_io_fold(&p->io[i]);
	if (s->index + 1 == p->n_streams) {
		ring_l3fwd_close(p->l3fwd);
		p->l3fwd = NULL;
	}
}

void
ring_setup_free(struct ring_pipeline *p)
{
	if (p == NULL)
		return;
	ring_l3fwd_close(p->l3fwd);
	for (unsigned int i = 0;
		p->in != NULL && p->back != NULL && i < p->n_streams * p->n_workers; i++) {
		/* The owner of a ring comes before the links that share it. */
		ring_link_close(p->in[i]);
		ring_link_close(p->back[i]);
	}
	for (unsigned int i = 0; p->io != NULL && i < p->n_io; i++) {
		rte_free(p->io[i].folded);
		rte_free(p->io[i].outs);
		rte_free(p->io[i].backs);
	}
	for (unsigned int i = 0; p->workers != NULL && i < p->n_workers; i++) {
		for (unsigned int k = 0; k < p->workers[i].n_feeds; k++)
			rte_free(p->workers[i].feeds[k].hop);
		hw_counters_free(p->workers[i].hw);
		rte_free(p->workers[i].feeds);
		rte_free(p->workers[i].outs);
		rte_free(p->workers[i].per_stream);
		rte_free(p->workers[i].journal);
	}
	rte_free(p->io);
	rte_free(p->workers);
	rte_free(p->in);
	rte_free(p->back);
	rte_free(p->producer_locks);
	rte_free(p->consumer_locks);
	rte_free(p->streams);
	rte_free(p);
}

void
ring_setup_forget(struct stream *s)
{
	if (s->index == 0)
		ring_setup_free(s->kept);
}

/* Divides a pipeline's lcores: a single one does I/O and work; of several, the first half does I/O,
 * at most one lcore per stream. */

int
ring_split_check(const char *text, struct err *e)
{
	uint16_t list[RTE_MAX_LCORE];
	unsigned int n;

	return text[0] == '\0' ? 0 : text_numbers("lcores", text, list, RTE_MAX_LCORE, &n, e);
}

static bool
listed(const unsigned int *list, unsigned int n, unsigned int lcore)
{
	for (unsigned int i = 0; i < n; i++)
		if (list[i] == lcore)
			return true;
	return false;
}

/* Parse the lcores in a setting; each must be enabled and must not be the main lcore. */
static int
named(const struct settings *settings, const char *name, unsigned int *lcores, unsigned int *n,
	struct err *e)
{
	uint16_t list[RTE_MAX_LCORE];
	unsigned int i, n_list;
	int ret = text_numbers(name, setting_text(settings, name), list, RTE_MAX_LCORE, &n_list, e);

	for (i = 0, *n = 0; i < n_list && ret == 0; i++) {
		if (list[i] >= RTE_MAX_LCORE || !rte_lcore_is_enabled(list[i]))
			ret = err_set(e, ENODEV,
				"%s: lcore %u is not enabled; add it to EAL's -l, or use \"set pipeline lcores auto\"",
				name, list[i]);
		else if (list[i] == rte_get_main_lcore())
			ret = err_set(e, EINVAL,
				"%s: lcore %u is the main lcore, which never forwards", name,
				list[i]);
		else if (listed(lcores, *n, list[i]))
			ret = err_set(e, EINVAL, "%s: lcore %u is listed twice", name, list[i]);
		else
			lcores[(*n)++] = list[i];
	}
	return ret;
}

static void
halves(struct plan_choice *c)
{
	unsigned int n = c->use_lcores, streams = RTE_MAX(c->n_rxq, c->n_txq) * c->use_ports,
		     half = RTE_MAX(n / 2, 1u), io = RTE_MIN(half, streams);

	for (unsigned int i = n > 1 ? io : 0; i < n; i++)
		c->helpers[c->n_helpers++] = c->lcores[i];
	c->use_lcores = RTE_MAX(io, 1u);
}

/* With workers in other processes all lcores of this process do I/O. */
static int
remote(const struct settings *settings, struct plan_choice *c, struct err *e)
{
	int ret = 0;

	if (setting_text(settings, "pipeline-io")[0] != '\0') {
		ret = named(settings, "pipeline-io", c->lcores, &c->use_lcores, e);
		c->n_lcores = c->use_lcores;
	}
	return ret;
}

static int
shared_check(const struct settings *settings, const struct plan_choice *c, struct err *e)
{
	if (setting_u64(settings, "pipeline-sync") == 0)
		return 0;
	for (unsigned int i = 0; i < c->n_helpers; i++)
		if (listed(c->lcores, c->use_lcores, c->helpers[i]))
			return err_set(e, EINVAL,
				"pipeline-sync hts: lcore %u cannot do I/O and work, because it would wait for itself; use separate lcores for workers",
				c->helpers[i]);
	return 0;
}

int
ring_split(const struct settings *settings, struct plan_choice *c, struct err *e)
{
	bool io = setting_text(settings, "pipeline-io")[0] != '\0',
	     workers = setting_text(settings, "pipeline-workers")[0] != '\0';
	int ret = 0;

	c->n_helpers = 0;
	if (setting_u64(settings, "pipeline-processes") > 0)
		return remote(settings, c, e);
	if (io != workers)
		return err_set(e, EINVAL, "%s is set, but %s is not; set both or neither",
			io ? "pipeline-io" : "pipeline-workers",
			io ? "pipeline-workers" : "pipeline-io");
	if (io) {
		ret = named(settings, "pipeline-io", c->lcores, &c->use_lcores, e);
		c->n_lcores = c->use_lcores;
		if (ret == 0)
			ret = named(settings, "pipeline-workers", c->helpers, &c->n_helpers, e);
	} else if (c->use_lcores > 0) {
		halves(c);
	}
	return ret != 0 ? ret : shared_check(settings, c, e);
}
