/* Chooses between contiguous blocks and the driver's own refill. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/recycle_tuning.h"

#include <rte_malloc.h>

#include <zcfwd/recycle.h>

enum tuned { TUNED_DRIVER, TUNED_BLOCKS, TUNED_N };

struct recycle_tuning *
recycle_tuning_new(const counter *rx, int socket, uint64_t hz)
{
	struct recycle_tuning *t =
		rte_zmalloc_socket("recycle_tuning", sizeof(*t), CACHE_PAIR, socket);

	if (t == NULL)
		return NULL;
	t->rx = rx;
	autotune_open(&t->autotune, TUNED_N, TUNED_DRIVER, hz);
	return t;
}

void
recycle_tuning_free(struct recycle_tuning *t)
{
	rte_free(t);
}

bool
recycle_tuning_sample(struct recycle_tuning *t, uint64_t now)
{
	const uint64_t rx = counter_read(t->rx);
	/* A poll without packets only waits for traffic. */
	const uint64_t cycles = rx != t->rx_before ? now - t->began : 0;

	t->rx_before = rx;
	t->began = now;
	return autotune_poll(&t->autotune, now, cycles, rx) == TUNED_BLOCKS;
}

void
recycle_tuning_look(struct recycle_tuning *t, struct zcfwd_recycle *feed)
{
	zcfwd_recycle_pause(feed, !recycle_tuning_sample(t, rte_rdtsc()));
	t->look = t->autotune.slicing ? 0 : RECYCLE_TUNING_LOOK - 1;
}
