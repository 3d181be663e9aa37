/* Reading a pipeline's counters while its lcores go on: relaxed loads, in the order of their
 * names. */
#include "engines/ring/ring_figures.h"

const char *const ring_figures_put[] = { "packets", "copy", "zc", "hybrid", "wraps", "full" };
const char *const ring_figures_taken[] = { "packets", "copy", "zc", "hybrid", "wraps", "empty" };
const char *const ring_figures_worker[] = { "packets", "bursts", "idle_turns", "deaths", "timed",
	"cycles", "stage_cycles" };
const char *const ring_figures_io[] = { "timed_rx", "rx_cycles", "timed_tx", "tx_cycles" };

const char *const ring_figures_modes[] = { [RING_AUTO] = "auto",
	[RING_COPY] = "copy",
	[RING_ZC] = "zc",
	[RING_HYBRID] = "hybrid",
	NULL };
const char *const ring_figures_stages[] = { [RING_NONE] = "none",
	[RING_MACSWAP] = "macswap",
	[RING_L3FWD] = "l3fwd",
	[RING_BUSY] = "busy",
	NULL };
const char *const ring_figures_spreads[] = { [RING_SPREAD_AUTO] = "auto",
	[RING_SPREAD_QUEUE] = "queue",
	[RING_SPREAD_FLOW] = "flow",
	NULL };

const char *
ring_figures_mode(unsigned int mode)
{
	return ring_figures_modes[mode];
}

const char *
ring_figures_stage(unsigned int stage)
{
	return ring_figures_stages[stage];
}

const char *
ring_figures_spread(unsigned int spread)
{
	return ring_figures_spreads[spread];
}

static void
side(uint64_t to[RING_FIGURES_SIDE], const struct ring_side *s)
{
	to[0] = counter_read(&s->packets);
	to[1] = counter_read(&s->bursts[RING_COPY]);
	to[2] = counter_read(&s->bursts[RING_ZC]);
	to[3] = counter_read(&s->bursts[RING_HYBRID]);
	to[4] = counter_read(&s->wraps);
	to[5] = counter_read(&s->short_of);
}

void
ring_figures_of_link(struct ring_figures *to, const struct ring_link *l)
{
	side(to->put, &l->put);
	side(to->taken, &l->take);
	for (unsigned int i = 0; i < RING_FILLS; i++)
		to->fill[i] = counter_read(&l->put.fill[i]);
}

void
ring_figures_of_worker(uint64_t to[RING_FIGURES_WORKER], const struct ring_worker *w)
{
	const struct ring_worker_count *c = &w->count;

	to[0] = counter_read(&c->packets);
	to[1] = counter_read(&c->bursts);
	to[2] = counter_read(&c->idle);
	to[3] = counter_read(&w->deaths);
	to[4] = counter_read(&c->timed);
	to[5] = counter_read(&c->cycles);
	to[6] = counter_read(&c->stage_cycles);
}

void
ring_figures_of_io(uint64_t to[RING_FIGURES_IO], const struct ring_io *io)
{
	to[0] = counter_read(&io->count.timed_rx);
	to[1] = counter_read(&io->count.rx_cycles);
	to[2] = counter_read(&io->count.timed_tx);
	to[3] = counter_read(&io->count.tx_cycles);
}

unsigned int
ring_figures_links(const struct ring_pipeline *p)
{
	return 2 * p->n_streams * p->n_workers;
}

struct ring_figures_place
ring_figures_link(const struct ring_pipeline *p, unsigned int number)
{
	struct ring_figures_place place = { .stream = number / 2 / p->n_workers,
		.worker = number / 2 % p->n_workers,
		.in = number % 2 == 0 };

	place.link = place.in ? *ring_in(p, place.stream, place.worker)
			      : *ring_back(p, place.stream, place.worker);
	place.shared = place.link != NULL && place.link->owner != place.link;
	return place;
}

unsigned int
ring_figures_level(const struct ring_link *l)
{
	return rte_ring_count(l->ring);
}
