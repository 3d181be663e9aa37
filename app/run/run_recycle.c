/* Feeds of recycled mbufs: named pairs or the streams' own, and the figures. */
#include "run/run_recycle.h"

#include "base/err.h"
#include "base/out.h"
#include "pmd_shims/recycle_feed.h"
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

/* The stream of this run that owns such a queue; NULL: none. */
static const struct stream *
owner_of(const struct run *r, uint16_t port, uint16_t queue, bool rx)
{
	for (unsigned int i = 0; r->streams != NULL && i < r->plan.n_routes; i++) {
		const struct stream *s = r->streams[i];

		if ((rx ? s->rx_port : s->tx_port) == port &&
			(rx ? s->rx_queue : s->tx_queue) == queue)
			return s;
	}
	return NULL;
}

static bool
same_tx(const struct recycle_ends *a, const struct recycle_ends *b)
{
	return a->tx_port == b->tx_port && a->tx_queue == b->tx_queue;
}

static bool
same_rx(const struct recycle_ends *a, const struct recycle_ends *b)
{
	return a->rx_port == b->rx_port && a->rx_queue == b->rx_queue;
}

/*
 * What feeds a stream's receive queue: what was named for it, else its own transmit queue unless
 * that was named for another.
 */
static unsigned int
ends_of(const struct run_recycle *named, const struct stream *s,
	struct recycle_ends ends[RUN_RECYCLE_MAX])
{
	const struct recycle_ends own = { s->rx_port, s->rx_queue, s->tx_port, s->tx_queue };
	unsigned int n = 0;
	bool taken = false;

	for (unsigned int i = 0; i < named->n; i++) {
		if (same_rx(&named->pair[i], &own))
			ends[n++] = named->pair[i];
		taken = taken || same_tx(&named->pair[i], &own);
	}
	if (n == 0 && !taken)
		ends[n++] = own;
	return n;
}

/* Rings have no locks: both queues of a pair are one lcore's. */
static int
lcores_check(const struct run *r, const struct run_recycle *named, struct err *e)
{
	for (unsigned int i = 0; i < named->n; i++) {
		const struct recycle_ends *p = &named->pair[i];
		const struct stream *rx = owner_of(r, p->rx_port, p->rx_queue, true),
				    *tx = owner_of(r, p->tx_port, p->tx_queue, false);

		if (rx == NULL || tx == NULL)
			return err_set(e, EINVAL, "no stream %s port %u queue %u",
				rx == NULL ? "receives from" : "transmits to",
				rx == NULL ? p->rx_port : p->tx_port,
				rx == NULL ? p->rx_queue : p->tx_queue);
		if (rx->lcore != tx->lcore)
			return err_set(e, EINVAL,
				"port %u queue %u is received by lcore %u, port %u queue %u transmitted by lcore %u: want one lcore for both",
				p->rx_port, p->rx_queue, rx->lcore, p->tx_port, p->tx_queue,
				tx->lcore);
	}
	return 0;
}

static int
apply(struct run *r, const struct run_recycle *named, struct err *e)
{
	enum recycle_mode mode = (enum recycle_mode)setting_u64(r->settings, "recycle-mode");
	struct recycle_ends ends[RUN_RECYCLE_MAX];
	int ret = 0;

	if (r->streams == NULL || r->plan.n_routes == 0 || r->streams[0]->feed == NULL)
		return 0;
	ret = lcores_check(r, named, e);
	pthread_mutex_lock(&r->lock);
	for (unsigned int i = 0; i < r->plan.n_routes && ret == 0; i++)
		ret = recycle_feed_set(r->streams[i]->feed, ends,
			ends_of(named, r->streams[i], ends), mode, r->running, e);
	pthread_mutex_unlock(&r->lock);
	return ret;
}

int
run_recycle_apply(struct run *r, struct err *e)
{
	return apply(r, &r->recycle, e);
}

/* Use other names while forwarding runs, or from the next start on. */
static int
change(struct run *r, const struct run_recycle *named, struct err *e)
{
	int ret = r->running ? apply(r, named, e) : 0;

	if (ret == 0)
		r->recycle = *named;
	return ret;
}

int
run_recycle_pair(struct run *r, const struct recycle_ends *ends, struct err *e)
{
	struct run_recycle named = { .n = 0 };
	unsigned int fed = 0;

	for (unsigned int i = 0; i < r->recycle.n; i++)
		if (!same_tx(&r->recycle.pair[i], ends)) {
			named.pair[named.n++] = r->recycle.pair[i];
			fed += same_rx(&r->recycle.pair[i], ends);
		}
	if (named.n == RUN_RECYCLE_MAX || fed == RECYCLE_PAIRS_MAX)
		return err_set(e, ENOSPC,
			"%u pairs, %u of them for one receive queue: want at most %u and %u",
			named.n + 1, fed + 1, RUN_RECYCLE_MAX, RECYCLE_PAIRS_MAX);
	named.pair[named.n++] = *ends;
	return change(r, &named, e);
}

int
run_recycle_auto(struct run *r, struct err *e)
{
	const struct run_recycle none = { .n = 0 };

	return change(r, &none, e);
}

static void
pair_show(struct out *o, const struct recycle_feed_pair *p)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "tx_port", "  from TX Port=%" PRIu64, p->ends.tx_port);
	out_u64(o, "tx_queue", "/Queue=%" PRIu64 ": ", p->ends.tx_queue);
	if (p->pair != NULL) {
		out_bool(o, "paired", "%s", true, "", "");
		out_str(o, "tx_path", "%s", recycle_tx_path(p->pair));
		out_str(o, "rx_path", " to %s\n", recycle_rx_path(p->pair));
	} else {
		out_bool(o, "paired", "%s", false, "", "not paired, forwards as io: ");
		out_str(o, "reason", "%s\n", p->why);
	}
	out_unnest(o);
}

static void
stream_show(struct out *o, const struct stream *s)
{
	struct recycle_total t = recycle_feed_total(s->feed);
	uint64_t rx = counter_read(&s->count.rx);
	const struct recycle_feed_pair *pairs;
	unsigned int n;

	out_u64(o, "rx_port", "RX Port=%" PRIu64, s->rx_port);
	out_u64(o, "rx_queue", "/Queue=%" PRIu64, s->rx_queue);
	out_u64(o, "lcore", " on lcore %" PRIu64, s->lcore);
	out_str(o, "mode", ", mode %s\n",
		setting_choice(s->settings, "recycle-mode", recycle_feed_mode(s->feed)));
	out_nest(o, "pairs", OUT_ARRAY);
	pairs = recycle_feed_pairs(s->feed, &n);
	for (unsigned int i = 0; i < n; i++)
		pair_show(o, &pairs[i]);
	out_unnest(o);
	out_u64(o, "rx", "  %-20" PRIu64 " received\n", rx);
	out_u64(o, "moved", "  %-20" PRIu64 " moved: sent mbufs armed again\n", t.moved);
	out_u64(o, "topped_up", "  %-20" PRIu64 " topped up from the pool\n", t.topped_up);
	out_u64(o, "shared", "  %-20" PRIu64 " not movable: held by others too\n", t.shared);
	out_u64(o, "foreign", "  %-20" PRIu64 " not movable: of another pool\n", t.foreign);
	out_u64(o, "freed", "  %-20" PRIu64 " freed: no room, or no full batch\n", t.freed);
	out_f64(o, "yield_percent", "  %.2f %% of what was received came in recycled mbufs\n",
		rx > 0 ? 100.0 * (double)t.moved / (double)rx : 0);
}

int
run_recycle_show(const struct run *r, struct err *e)
{
	if (r->streams == NULL || r->plan.n_routes == 0 || r->streams[0]->feed == NULL)
		return err_set(e, ENOENT, "no figures yet: want a start of set fwd recycle_mbufs");
	out_nest(r->out, "streams", OUT_ARRAY);
	for (unsigned int i = 0; i < r->plan.n_routes; i++) {
		out_nest(r->out, NULL, OUT_OBJECT);
		stream_show(r->out, r->streams[i]);
		out_unnest(r->out);
	}
	out_unnest(r->out);
	return 0;
}
