/* Choose the Tx queues that feed each Rx queue: the named ones, else the stream's own, or all Tx
 * queues of its lcore if pairs follow the traffic. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/recycle_named.h"

#include "base/err.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "pmd_shims/recycle/recycle_feed.h"

#include <errno.h>
#include <inttypes.h>

/* Return the stream that owns a queue, or NULL. */
static const struct stream *
owner_of(struct stream *const *streams, unsigned int n, uint16_t port, uint16_t queue, bool rx)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct stream *s = streams[i];

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
 * Fill ends with the Tx queues that feed a stream's Rx queue: the named ones, else its own Tx queue
 * unless that is named for another. Returns their number.
 */
static unsigned int
ends_of(const struct recycle_named *named, const struct stream *s,
	struct recycle_ends ends[RECYCLE_NAMED_MAX])
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

/* Rings have no locks, so both queues of a pair must belong to the same lcore. */
static int
lcores_check(struct stream *const *streams, unsigned int n, const struct recycle_named *named,
	struct err *e)
{
	for (unsigned int i = 0; i < named->n; i++) {
		const struct recycle_ends *p = &named->pair[i];
		const struct stream *rx = owner_of(streams, n, p->rx_port, p->rx_queue, true),
				    *tx = owner_of(streams, n, p->tx_port, p->tx_queue, false);

		if (rx == NULL || tx == NULL)
			return err_set(e, EINVAL, "no stream %s port %u queue %u",
				rx == NULL ? "receives from" : "transmits to",
				rx == NULL ? p->rx_port : p->tx_port,
				rx == NULL ? p->rx_queue : p->tx_queue);
		if (rx->lcore != tx->lcore)
			return err_set(e, EINVAL,
				"lcore %u receives from port %u queue %u, lcore %u transmits to port %u queue %u: both queues of a pair must belong to the same lcore",
				rx->lcore, p->rx_port, p->rx_queue, tx->lcore, p->tx_port,
				p->tx_queue);
	}
	return 0;
}

/* Give a stream's feed all Tx queues of its lcore, from which the lcore chooses at run time. */
static int
follow_traffic(struct stream *s, enum recycle_mode mode, uint16_t window,
	const struct shim_layouts *known, bool live, struct err *e)
{
	struct recycle_ends ends[RECYCLE_TRAFFIC_QUEUES];
	struct recycle_feed_request request = { .ends = ends,
		.mode = mode,
		.sent = s->engine->sent(s),
		.window = window,
		.burst = s->burst,
		.known = known };

	for (unsigned int i = 0; i < s->n_siblings; i++) {
		const struct stream *mate = s->siblings[i];

		if (mate->lcore != s->lcore)
			continue;
		if (request.n == ARRAY_SIZE(ends))
			return err_set(e, EINVAL,
				"lcore %u has more than %zu transmit queues: too many for pairs that follow the traffic",
				s->lcore, ARRAY_SIZE(ends));
		if (mate == s)
			request.first = request.n;
		ends[request.n++] = (struct recycle_ends){ s->rx_port, s->rx_queue, mate->tx_port,
			mate->tx_queue };
	}
	return recycle_feed_set(s->feed, &request, live, e);
}

static uint16_t
window_of(const struct settings *s)
{
	uint16_t window = WINDOW_OFF;
	struct err e = { 0 };

	/* The setting's check has accepted the text. */
	recycle_window_parse(setting_text(s, "recycle-window"), &window, &e);
	return window;
}

int
recycle_named_apply(const struct recycle_named *named, struct stream *const *streams,
	unsigned int n, const struct shim_layouts *known, bool live, struct err *e)
{
	enum recycle_mode mode =
		(enum recycle_mode)setting_u64(streams[0]->settings, "recycle-mode");
	/* Contiguous blocks come from the Rx queue's pool, so the Tx queues do not matter. */
	static const struct recycle_named own;
	const uint16_t window = window_of(streams[0]->settings);
	struct recycle_ends ends[RECYCLE_NAMED_MAX];
	int ret = lcores_check(streams, n, named, e);

	if (recycle_mode_contig(mode))
		named = &own;
	for (unsigned int i = 0; i < n && ret == 0; i++) {
		struct stream *s = streams[i];

		if (named->traffic && s->engine->sent != NULL) {
			ret = follow_traffic(s, mode, window, known, live, e);
		} else {
			const struct recycle_feed_request request = { .ends = ends,
				.n = ends_of(named, s, ends),
				.mode = mode,
				.rx = &s->count.rx,
				.window = window,
				.burst = s->burst,
				.known = known };

			ret = recycle_feed_set(s->feed, &request, live, e);
		}
	}
	return ret;
}

int
recycle_named_add(struct recycle_named *named, const struct recycle_ends *ends, struct err *e)
{
	unsigned int kept = 0, fed = 0;

	named->traffic = false;
	for (unsigned int i = 0; i < named->n; i++)
		if (!same_tx(&named->pair[i], ends)) {
			named->pair[kept++] = named->pair[i];
			fed += same_rx(&named->pair[i], ends);
		}
	named->n = kept;
	if (named->n == RECYCLE_NAMED_MAX || fed == RECYCLE_PAIRS_MAX)
		return err_set(e, ENOSPC,
			"%u pairs, %u of them for one receive queue: expected at most %u and %u",
			named->n + 1, fed + 1, RECYCLE_NAMED_MAX, RECYCLE_PAIRS_MAX);
	named->pair[named->n++] = *ends;
	return 0;
}
