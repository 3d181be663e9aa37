/* Statistics of virtqueues: the counters at the begin of a run are subtracted, and the result is
 * kept at its end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/vhost/vhost_virtqueue.h"

#include "base/base.h"
#include "base/err.h"
#include "engines/engine.h"

#include <rte_malloc.h>

#include <string.h>

enum { RECEIVE, TRANSMIT, ENDS };

struct kept {
	struct net_async_vhost_virtqueue begin[ENDS], end[ENDS];
	bool there[ENDS]; /* whether the port is a guest's */
};

static int
now(const struct stream *s, unsigned int i, struct net_async_vhost_virtqueue *to)
{
	return net_async_vhost_virtqueue(i == RECEIVE ? s->rx_port : s->tx_port,
		i == RECEIVE ? s->rx_queue : s->tx_queue, i == RECEIVE, to);
}

int
vhost_virtqueue_begin(struct stream *s, struct err *e)
{
	struct kept *kept = rte_zmalloc("vhost", sizeof(*kept), 0);

	if (kept == NULL)
		return err_set(e, ENOMEM, "vhost: no memory for stream %u", s->index);
	for (unsigned int i = 0; i < ENDS; i++)
		kept->there[i] = now(s, i, &kept->begin[i]) == 0;
	s->kept = kept;
	return 0;
}

void
vhost_virtqueue_end(struct stream *s)
{
	struct kept *kept = s->kept;

	for (unsigned int i = 0; kept != NULL && i < ENDS; i++)
		if (kept->there[i])
			now(s, i, &kept->end[i]);
}

void
vhost_virtqueue_forget(struct stream *s)
{
	rte_free(s->kept);
}

#define ROW(member) .name = #member, .at = offsetof(struct net_async_vhost_stats, member)

static const struct stat_row rows[] = {
	{ ROW(packets), .help = "packets passed through the virtqueue" },
	{ ROW(bytes), .unit = "bytes", .help = "bytes of these packets" },
	{ ROW(cpu_bytes), .unit = "bytes",
		.help = "bytes copied by the CPU, without DMA or because dma_adaptive decided so" },
	{ ROW(dma_bytes), .unit = "bytes", .help = "bytes copied by the DMA engine" },
	{ ROW(in_flight), .kind = STAT_GAUGE,
		.help = "packets whose copy has not been completed yet" },
	{ ROW(drained),
		.help = "received packets dropped because the guest or port went away, or the rings changed" },
	{ ROW(refused),
		.help = "packets not sent: empty, or needing segmentation that the guest does not support" },
	{ ROW(csum), .help = "received packets whose checksum was computed by the port" },
};
static const struct stat_table stats = { "virtqueue", rows, ARRAY_SIZE(rows), false };

static unsigned int
members(const struct stream *s)
{
	return ENDS;
}

static bool
read_one(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct kept *kept = s->kept;
	struct net_async_vhost_virtqueue v;

	if (kept == NULL || !kept->there[i])
		return false;
	/* The counters at the end are written while other threads may still read the live ones. */
	if (!running)
		v = kept->end[i];
	else if (now(s, i, &v) != 0)
		v = kept->begin[i];
	memcpy(to, &v.stats, sizeof(v.stats));
	stat_since(&stats, to, &kept->begin[i].stats);
	return true;
}

static void
words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	const struct kept *kept = s->kept;

	sink->number(sink->to, "port", i == RECEIVE ? s->rx_port : s->tx_port);
	sink->number(sink->to, "queue", i == RECEIVE ? s->rx_queue : s->tx_queue);
	sink->text(sink->to, "direction", i == RECEIVE ? "rx" : "tx");
	if (kept != NULL)
		sink->text(sink->to, "copy", net_async_vhost_word(kept->begin[i].copy));
}

const struct engine_group vhost_virtqueue_group = {
	.stats = &stats,
	.size = sizeof(struct net_async_vhost_stats),
	.members = members,
	.read = read_one,
	.words = words,
};
