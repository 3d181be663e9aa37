/* The receive queues of pinned mode, put over before a start; and what the streams of extbuf
 * decided. */
#include "run/run_extbuf.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "engines/extbuf/extbuf_figures.h"
#include "engines/extbuf/extbuf_state.h"
#include "memory/extmem.h"
#include "memory/extmem_device.h"
#include "memory/extmem_pin.h"
#include "memory/pool.h"
#include "memory/pool_memory.h"
#include "pmd_shims/extbuf.h"
#include "port/port.h"
#include "port/port_life.h"
#include "port/port_setup.h"
#include "run/run.h"

#include <rte_mbuf.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#define PINNED_MOST 65472u  /* bytes of a buffer */
#define OWN_NAME "pinned.1" /* region of the program's own, when none is named */

static bool
wants_pinned(const struct run *r)
{
	return strcmp(r->engine->name, "extbuf") == 0 &&
		setting_u64(r->settings, "extbuf-mode") == EXTBUF_PINNED;
}

static struct extmem *
own_region(const struct run *r, uint64_t bytes, struct err *e)
{
	const struct extmem_ask ask = { .name = OWN_NAME,
		.type = EXTMEM_HEAP,
		.bytes = RTE_ALIGN_CEIL(bytes, UINT64_C(4096)),
		.socket = SOCKET_ID_ANY,
		.own = true };
	struct extmem *m = extmem_find(r->extmems, OWN_NAME, NULL);

	if (m != NULL && m->bytes >= ask.bytes)
		return m;
	if (m != NULL && extmem_delete(r->extmems, OWN_NAME, e) != 0)
		return NULL;
	return extmem_create(r->extmems, &ask, &m, e) == 0 ? m : NULL;
}

/* The memory and the pool in it that the settings ask for; NULL with e filled. */
static struct extmem *
pinned_find(const struct run *r, struct err *e)
{
	struct rte_mempool *usual = pool_for(r->pools, SOCKET_ID_ANY, 0);
	const char *name = setting_text(r->settings, "extbuf-memory");
	const unsigned int cache = (unsigned int)setting_u64(r->settings, "mbcache");
	const struct pool_need need = { .ports = r->choice.n_ports,
		.lcores = r->choice.n_lcores,
		.descriptors = port_descriptors(r->ports) };
	uint64_t bytes = setting_u64(r->settings, "extbuf-buffer");
	struct extmem *m;

	if (usual == NULL) {
		err_set(e, ENOENT, "no pool of packets, and so no port that could receive");
		return NULL;
	}
	if (bytes == 0)
		bytes = rte_pktmbuf_data_room_size(usual);
	if (bytes < RTE_PKTMBUF_HEADROOM + 64 || bytes > PINNED_MOST) {
		err_set(e, ERANGE,
			"extbuf-buffer %" PRIu64
			": want %u..%u with mode pinned, headroom included",
			bytes, RTE_PKTMBUF_HEADROOM + 64, PINNED_MOST);
		return NULL;
	}
	m = name[0] != '\0'
		? extmem_find(r->extmems, name, e)
		: own_region(r, (uint64_t)usual->size * RTE_ALIGN_CEIL(bytes, UINT64_C(64)), e);
	if (m == NULL)
		return NULL;
	if (!m->writable) {
		err_set(e, EINVAL, "memory %s is read-only: ports cannot receive into it", m->name);
		return NULL;
	}
	return extmem_pin(m, (uint16_t)bytes,
		       (unsigned int)RTE_MIN(pool_least(&need, cache), UINT32_MAX), usual->size,
		       cache, e) != NULL
		? m
		: NULL;
}

/*
 * Set all receive queues up anew. Ports of were_started, which ones now are and others that a first
 * try left stopped, are started again.
 */
static int
queues_renew(struct ports *ps, const bool *were_started, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n = port_ids(ps, ids);
	struct err other; /* what else fails: the first one counts */
	int ret = 0;

	err_clear(&other);
	for (unsigned int i = 0; i < n && ret == 0; i++)
		if (port_at(ps, ids[i])->state == PORT_STARTED)
			ret = port_stop(ps, ids[i], e);
	for (unsigned int i = 0; i < n; i++) {
		port_at(ps, ids[i])->queues_configured = false;
		if (were_started[ids[i]] && port_at(ps, ids[i])->state == PORT_STOPPED &&
			port_start(ps, ids[i], ret == 0 ? e : &other) != 0)
			ret = ret != 0 ? ret : -EIO;
	}
	return ret;
}

/* Remember which region ports receive into. */
static void
received_mark(const struct run *r)
{
	for (struct extmem *m = r->extmems->first; m != NULL; m = m->next)
		m->received_into = m->pinned != NULL && m->pinned == r->ports->rx_pool;
}

static int
regions_reach(const struct run *r, struct extmem *m, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n = port_ids(r->ports, ids);
	int ret = 0;

	for (unsigned int i = 0; i < n && ret == 0; i++) {
		ret = extmem_reach(m, ids[i], e);
		if (ret == 0)
			ret = extbuf_pages_check(ids[i], rte_pktmbuf_data_room_size(m->pinned),
				m->page, e);
	}
	return ret;
}

/*
 * Figures of the last run that are still there no longer look at a pool that its region may take
 * away.
 */
static void
figures_forget(struct run *r, const struct rte_mempool *pool)
{
	pthread_mutex_lock(&r->lock);
	for (unsigned int i = 0; r->streams != NULL && i < r->plan.n_routes; i++)
		if (r->streams[i]->rx_pool == pool)
			r->streams[i]->rx_pool = NULL;
	pthread_mutex_unlock(&r->lock);
}

int
run_extbuf_prepare(struct run *r, struct err *e)
{
	struct rte_mempool *before = r->ports->rx_pool, *pool = NULL;
	bool were_started[RTE_MAX_ETHPORTS] = { false };
	struct err again;
	int ret = 0;

	err_clear(&again);
	if (wants_pinned(r)) {
		struct extmem *m;

		/* With --mp-alloc=xbuf every pool is pinned already. */
		if (setting_text(r->settings, "extbuf-memory")[0] == '\0' && before == NULL &&
			setting_u64(r->settings, "mp-alloc") == POOL_XBUF)
			return 0;
		m = pinned_find(r, e);
		if (m == NULL || regions_reach(r, m, e) != 0)
			return -e->code;
		pool = m->pinned;
	}
	if (pool == before)
		return 0;
	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++)
		were_started[i] = r->ports->port[i].state == PORT_STARTED;
	r->ports->rx_pool = pool;
	ret = queues_renew(r->ports, were_started, e);
	if (ret != 0) {
		r->ports->rx_pool = before;
		queues_renew(r->ports, were_started, &again);
	} else if (before != NULL) {
		figures_forget(r, before);
	}
	received_mark(r);
	return ret;
}

/* Let ports that are not started receive into the ordinary pools again. False: they would have. */
static bool
abandon(struct run *r)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n = port_ids(r->ports, ids);

	if (r->ports->rx_pool == NULL)
		return false;
	r->ports->rx_pool = NULL;
	for (unsigned int i = 0; i < n; i++)
		if (port_at(r->ports, ids[i])->state != PORT_STARTED)
			port_at(r->ports, ids[i])->queues_configured = false;
	received_mark(r);
	return true;
}

int
run_extbuf_begin(struct run *r, bool forgiving, struct err *e)
{
	int ret = run_extbuf_prepare(r, e), prepared = ret;

	if (ret == 0)
		ret = port_begin(r->ports, e);
	if (ret == 0 || !forgiving || (!abandon(r) && prepared == 0))
		return ret;
	out_warn(r->out, "%s\nPorts receive into their usual pools\n", e->text);
	err_clear(e);
	return port_begin(r->ports, e);
}

static void
costs_show(struct out *o, const struct extbuf_figures *f)
{
	out_nest(o, "costs", OUT_ARRAY);
	for (unsigned int i = 0; i < f->n_costs; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "bytes", "    %5" PRIu64 " bytes: ", f->costs[i].bytes);
		out_f64(o, "copy", "copy %.1f, ", f->costs[i].copy);
		out_f64(o, "attach", "attach %.1f cycles per packet\n", f->costs[i].attach);
		out_unnest(o);
	}
	out_unnest(o);
}

static void
threshold_show(struct out *o, const struct extbuf_figures *f)
{
	const bool never = f->copy_below == EXTBUF_NEVER;

	out_bool(o, "measured", "  threshold %s: ", f->measured, "measured", "given");
	if (never)
		out_text(o, "packets of every length are copied\n");
	else
		out_u64(o, "threshold", "packets of less than %" PRIu64 " bytes are copied\n",
			f->copy_below);
	costs_show(o, f);
}

static void
stream_show(struct out *o, const struct stream *s)
{
	const struct extbuf_figures *f = s->extbuf;

	out_u64(o, "rx_port", "RX Port=%" PRIu64, s->rx_port);
	out_u64(o, "rx_queue", "/Queue=%" PRIu64, s->rx_queue);
	out_u64(o, "tx_port", " -> TX Port=%" PRIu64, s->tx_port);
	out_u64(o, "tx_queue", "/Queue=%" PRIu64 "\n", s->tx_queue);
	out_str(o, "mode", "  mode %s, ", f->word);
	out_str(o, f->mode == EXTBUF_PINNED ? "pool" : "memory",
		f->mode == EXTBUF_PINNED ? "pool %s\n" : "memory %s", f->memory);
	if (f->mode == EXTBUF_PINNED)
		return;
	out_u64(o, "n",
		f->mode == EXTBUF_STORAGE ? ", %" PRIu64 " slices" : ", %" PRIu64 " buffers", f->n);
	out_u64(o, "bytes", " of %" PRIu64 " bytes, ", f->bytes);
	out_str(o, "shinfo", "shinfo %s, ", f->shared ? "shared" : "private");
	out_bool(o, "split", "headers %s\n", f->split, "apart", "with the payload");
	if (f->mode == EXTBUF_AUTO)
		threshold_show(o, f);
}

int
run_extbuf_show(const struct run *r, struct err *e)
{
	if (r->streams == NULL || r->plan.n_routes == 0 || r->streams[0]->extbuf == NULL)
		return err_set(e, ENOENT, "no figures yet: want a start of set fwd extbuf");
	out_nest(r->out, "streams", OUT_ARRAY);
	for (unsigned int i = 0; i < r->plan.n_routes; i++) {
		out_nest(r->out, NULL, OUT_OBJECT);
		stream_show(r->out, r->streams[i]);
		out_unnest(r->out);
	}
	out_unnest(r->out);
	return 0;
}
