/* Refuses packets that are longer than a port can send, where the driver would lose them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/packets/run_frames.h"

#include "base/err.h"
#include "engines/engine.h"
#include "pmd_shims/tx_frame.h"
#include "run/run.h"
#include "run/run_mirror.h"

#include <errno.h>
#include <stdlib.h>

static int
queue_add(struct run *r, uint16_t port, uint16_t queue, const struct frame_limit *limit,
	struct err *e)
{
	struct tx_frame_queue *q = &r->frames[r->n_frames++];

	*q = (struct tx_frame_queue){ port, queue, limit, NULL };
	return tx_frame_open(q, e);
}

int
run_frames_begin(struct run *r, struct err *e)
{
	const unsigned int n = r->plan.n_streams + r->mirror.n_next;
	int ret = 0;

	r->frames = calloc(n, sizeof(*r->frames));
	if (r->frames == NULL)
		return err_set(e, ENOMEM, "no memory for %u transmit queues", n);
	for (unsigned int i = 0; ret == 0 && i < r->plan.n_streams; i++) {
		const struct stream *s = r->streams[i];

		if ((s->engine->flags & ENGINE_NO_TX) == 0)
			ret = queue_add(r, s->tx_port, s->tx_queue, &s->tx_end.frame, e);
	}
	for (unsigned int i = 0; ret == 0 && i < r->mirror.n_next; i++) {
		const struct run_mirror_queue *mq = r->mirror.next[i];

		ret = queue_add(r, mq->tx_port, mq->tx_queue, &mq->frame, e);
	}
	return ret;
}

void
run_frames_end(struct run *r)
{
	for (unsigned int i = 0; i < r->n_frames; i++)
		tx_frame_close(&r->frames[i]);
	free(r->frames);
	r->frames = NULL;
	r->n_frames = 0;
}
