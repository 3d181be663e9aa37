/* A stream of recycle_mbufs keeps the feed of its receive queue, whose counts outlast the run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/recycle/recycle_setup.h"

#include "base/err.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "pmd_shims/recycle_feed.h"

#include <rte_lcore.h>

int
recycle_setup(struct stream *s, struct err *e)
{
	const struct recycle_ends own = { s->rx_port, s->rx_queue, s->tx_port, s->tx_queue };

	s->feed = recycle_feed_open((int)rte_lcore_to_socket_id(s->lcore));
	if (s->feed == NULL)
		return err_set(e, ENOMEM, "recycle_mbufs: no memory for stream %u", s->index);
	return recycle_feed_set(s->feed, &own, 1,
		(enum recycle_mode)setting_u64(s->settings, "recycle-mode"), false, e);
}

void
recycle_setup_forget(struct stream *s)
{
	recycle_feed_close(s->feed);
}
