/* Choose the Tx queues that feed each Rx queue: the named ones, else the stream's own, or all Tx
 * queues of its lcore if pairs follow the traffic. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/recycle_named.h"

#include "base/err.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "pmd_shims/recycle_err.h"
#include "stream/recycle_tuning.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
same_tx(const struct recycle_queues *a, const struct recycle_queues *b)
{
	return a->tx_port == b->tx_port && a->tx_queue == b->tx_queue;
}

static bool
same_rx(const struct recycle_queues *a, const struct recycle_queues *b)
{
	return a->rx_port == b->rx_port && a->rx_queue == b->rx_queue;
}

/*
 * Fill ends with the Tx queues that feed a stream's Rx queue: the named ones, else its own Tx queue
 * unless that is named for another. Returns their number.
 */
static unsigned int
ends_of(const struct recycle_named *named, const struct stream *s,
	struct recycle_queues ends[RECYCLE_NAMED_MAX])
{
	const struct recycle_queues own = { s->rx_port, s->rx_queue, s->tx_port, s->tx_queue };
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
		const struct recycle_queues *p = &named->pair[i];
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

int
recycle_window_parse(const char *text, uint16_t *size, struct err *e)
{
	const unsigned int least = ZCFWD_RECYCLE_WINDOW_LEAST, most = ZCFWD_RECYCLE_WINDOW_MOST;
	unsigned long n;
	char *end;

	if (strcmp(text, "off") == 0) {
		*size = ZCFWD_RECYCLE_WINDOW_OFF;
		return 0;
	}
	if (strcmp(text, "auto") == 0) {
		*size = ZCFWD_RECYCLE_WINDOW_AUTO;
		return 0;
	}
	errno = 0;
	n = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n < least || n > most)
		return err_set(e, EINVAL, "\"%s\": expected %u to %u descriptors, auto or off",
			text, least, most);
	*size = (uint16_t)n;
	return 0;
}

/* The library's options, by the settings. */
static struct zcfwd_recycle_options
options_of(const struct stream *s)
{
	const uint64_t mode = setting_u64(s->settings, "recycle-mode");
	struct zcfwd_recycle_options o = {
		.mode = mode == RECYCLE_MODE_CONTIG_AUTO ? ZCFWD_RECYCLE_MODE_BLOCKS
							 : (enum zcfwd_recycle_mode)mode,
		.burst = s->burst,
		.tables_only = setting_u64(s->settings, "recycle-layouts") == RECYCLE_LAYOUTS_TABLE,
	};
	struct err e = { 0 };

	/* The setting's check has accepted the text. */
	recycle_window_parse(setting_text(s->settings, "recycle-window"), &o.window, &e);
	return o;
}

/*
 * Bind Tx queues to a stream's feed. Some or all may be refused: `show recycle` has the reasons. In
 * mode contig_auto the lcore chooses between blocks and the driver's refill, if there are blocks. It
 * no longer uses the former tuning when it uses the new queues.
 */
static int
feed_bind(struct stream *s, const struct zcfwd_recycle_queue *tx, unsigned int n,
	const struct zcfwd_recycle_options *options, struct err *e)
{
	struct recycle_tuning *const before = atomic_load(&s->tuning);
	struct zcfwd_recycle_error reason = { 0 };
	int bound;

	atomic_store(&s->tuning, NULL);
	bound = zcfwd_recycle_bind(s->feed, tx, n, options, &reason);
	if (bound < 0) {
		atomic_store(&s->tuning, before);
		return recycle_err(e, &reason);
	}
	recycle_tuning_free(before);
	s->recycle_mode = (uint8_t)setting_u64(s->settings, "recycle-mode");
	s->recycle_traffic = options->sent != NULL;
	if (bound == 0 || s->recycle_mode != RECYCLE_MODE_CONTIG_AUTO)
		return 0;
	/* Pairs with the acquire in engine_recycle(). */
	atomic_store_explicit(&s->tuning,
		recycle_tuning_new(&s->count.rx, (int)rte_lcore_to_socket_id(s->lcore),
			(uint64_t)s->tsc_hz),
		memory_order_release);
	return atomic_load(&s->tuning) != NULL ? 0 : err_set(e, ENOMEM, "no memory to choose");
}

/* Bind all Tx queues of a stream's lcore, from which the lcore chooses at run time. */
static int
follow_traffic(struct stream *s, struct zcfwd_recycle_options *o, struct err *e)
{
	struct zcfwd_recycle_queue tx[ZCFWD_RECYCLE_BOUND];
	unsigned int n = 0;

	o->sent = s->engine->sent(s);
	for (unsigned int i = 0; i < s->n_siblings; i++) {
		const struct stream *mate = s->siblings[i];

		if (mate->lcore != s->lcore)
			continue;
		if (n == ARRAY_SIZE(tx))
			return err_set(e, EINVAL,
				"lcore %u has more than %zu transmit queues: too many for pairs that follow the traffic",
				s->lcore, ARRAY_SIZE(tx));
		if (mate == s)
			o->first = n;
		tx[n++] = (struct zcfwd_recycle_queue){ mate->tx_port, mate->tx_queue };
	}
	return feed_bind(s, tx, n, o, e);
}

int
recycle_named_apply(const struct recycle_named *named, struct stream *const *streams,
	unsigned int n, struct err *e)
{
	int ret = lcores_check(streams, n, named, e);

	for (unsigned int i = 0; i < n && ret == 0; i++) {
		struct zcfwd_recycle_queue tx[RECYCLE_NAMED_MAX];
		struct recycle_queues ends[RECYCLE_NAMED_MAX];
		struct stream *s = streams[i];
		struct zcfwd_recycle_options o = options_of(s);

		if (named->traffic && s->engine->sent != NULL &&
			o.mode != ZCFWD_RECYCLE_MODE_BLOCKS) {
			ret = follow_traffic(s, &o, e);
		} else {
			const unsigned int fed = ends_of(named, s, ends);

			for (unsigned int k = 0; k < fed; k++)
				tx[k] = (struct zcfwd_recycle_queue){ ends[k].tx_port,
					ends[k].tx_queue };
			ret = feed_bind(s, tx, fed, &o, e);
		}
	}
	return ret;
}

int
recycle_named_add(struct recycle_named *named, const struct recycle_queues *ends, struct err *e)
{
	unsigned int kept = 0, fed = 0;

	named->traffic = false;
	for (unsigned int i = 0; i < named->n; i++)
		if (!same_tx(&named->pair[i], ends)) {
			named->pair[kept++] = named->pair[i];
			fed += same_rx(&named->pair[i], ends);
		}
	named->n = kept;
	if (named->n == RECYCLE_NAMED_MAX || fed == ZCFWD_RECYCLE_FEEDING)
		return err_set(e, ENOSPC,
			"%u pairs, %u of them for one receive queue: expected at most %u and %u",
			named->n + 1, fed + 1, RECYCLE_NAMED_MAX, ZCFWD_RECYCLE_FEEDING);
	named->pair[named->n++] = *ends;
	return 0;
}
