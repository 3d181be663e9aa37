/* What lanes, the named generate streams, do in a run: who sends which, and changes meanwhile. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: hundreds of lanes of a port, each with a rate of its own, have to be exact beside each
 * other, and change while lcores send.
 *
 * The idea: each lane is sent by one queue, so it has one schedule, one order and one writer. A queue
 * keeps its lanes in a heap by the time at which their next packet is due, so that a poll looks only at
 * lanes that are due. Lanes without a rate take turns with what is left of the burst. What may change is
 * in a plan, which the control thread makes and the worker adopts at the begin of a poll; its schedule
 * goes on where the one before it was. Receivers need the sizes of packets under way, so those of the
 * plan before the current one stay until its successor is replaced.
 *
 * Limits: a lane is not faster than one queue. After two changes of size, packets from before the first
 * one are counted as damaged.
 */
#pragma once

#include "base/base.h"
#include "engines/common/pace.h"
#include "engines/engine.h"
#include "engines/measure/lanes.h"
#include "engines/measure/traffic/traffic_head.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What may change of a lane. Written by control; pace by the worker that has adopted it. */
struct lane_plan {
	struct lane_plan *older; /* of the same lane; control only */
	double pps;              /* 0: max */
	bool on, renews, wakes;  /* the last two: see struct lane_change */
	uint64_t count, ticks;   /* until it ends; 0: no end */
	uint64_t delay;          /* ticks before its first packet */
	struct pace pace;
	unsigned int n_sizes;
	uint16_t sizes[];
};

/* What receivers need of a lane. Apart from struct lane_run, whose lines its worker writes. */
struct lane_origin {
	alignas(64) _Atomic(struct lane_plan *) now; /* adopted; written by the worker */
	_Atomic(struct lane_plan *) before;          /* with other sizes; NULL: none */
	uint32_t base, flows;                        /* of struct lane_run */
	uint16_t head_bytes;
};

/*
 * The index in the sizes of a plan of a packet by its probe, so that sender and receiver agree: that
 * of its number among the packets of the lane. flow: among those of the lane.
 */
static __rte_always_inline unsigned int
lane_size_index(const struct lane_plan *plan, uint32_t flows, uint32_t flow, uint32_t sequence)
{
	return (unsigned int)(((uint64_t)sequence * flows + flow) % plan->n_sizes);
}

enum lane_phase { LANE_OFF, LANE_SENDING, LANE_DONE };

/* A lane in a run. */
struct lane_run {
	/* Fixed before the run. */
	alignas(CACHE_PAIR) uint32_t serial; /* of struct lane */
	uint32_t base, flows;                /* its flows among those of all lanes */
	uint16_t place;                      /* among the lanes of the run */
	uint16_t stride;                     /* bytes of a header in heads */
	uint8_t *heads;
	const struct stream *stream; /* that sends it; NULL: none, it is off */
	unsigned int n_patches;
	struct traffic_patch patches[TRAFFIC_PATCHES_MAX];
	uint16_t head_bytes;
	bool latency;
	struct lane_plan *plans; /* the newest; control only */

	_Atomic(struct lane_plan *) next; /* to adopt; written by control */

	/* Written by the worker. */
	alignas(CACHE_PAIR) struct lane_plan *plan;
	uint32_t flow;  /* next one */
	uint64_t round; /* packets that each flow has sent */
	uint64_t left;  /* packets until it ends */
	uint64_t end;   /* TSC from which on no packet is due, if plan->ticks > 0 */
	counter sent, unsent, refused;
	/* Since the rate was set: TSC when that was, packets until then, TSC of the end of sending. */
	counter begin_tsc, begin_sent, end_tsc;
	atomic_uchar phase; /* enum lane_phase */
	bool ending;        /* its last packet was chosen, but perhaps not counted yet */
};

/* The lanes of one stream. Written by its worker after lane_run_begin(). */
struct lane_due {
	uint64_t due;
	uint16_t place;
};
struct lane_sender {
	struct lanes_run *set;
	uint16_t *mine; /* places of all its lanes */
	unsigned int n_mine;
	struct lane_due *heap; /* that send at a rate; the first one is due next */
	unsigned int n_heap;
	uint16_t *greedy; /* that send as much as they can */
	unsigned int n_greedy, next_greedy;
	unsigned int adopted;
	bool ends;         /* one of its lanes is ending */
	atomic_uint asked; /* written by control after a plan */
	counter polls;
	uint16_t owner[BURST_MAX]; /* lanes of the packets of the current burst */
};

/* The lanes of a run, until the streams of that run are forgotten. */
struct lanes_run {
	struct lanes_run
		*before; /* of the run before, whose figures are shown if this one is refused */
	struct lanes *lanes;
	struct stream *const *streams;
	unsigned int n_streams;
	unsigned int n;
	struct lane_run **run;
	struct lane_origin *origins;
	uint16_t *place_of; /* of each flow */
	const struct hdr *
		*timed; /* of each stream and lane: its latency; NULL: none of this stream */
	bool measures;  /* packets come back to the streams */
	double tsc_hz;
	counter ended_tsc; /* of the run; 0: it runs */
};

/*
 * Give the lanes to the streams of a run, whose state begins with a struct sender, and number their
 * flows. *made: for lane_run_forget(), also after an error; NULL: nothing was made. EINVAL, ERANGE: a
 * lane does not fit its port; ENODEV: no stream sends to it; ENOMEM. Thread: control, unless others are
 * named.
 */
int lane_run_begin(struct lanes *lanes, struct stream *const *streams, unsigned int n,
	uint32_t mark, uint32_t key, struct lanes_run **made, struct err *e);

/* A stream of the run ends: lanes do not change any more. config: may be NULL. */
void lane_run_over(void *config);

/* The streams of the run with these figures are forgotten. set: may be NULL. */
void lane_run_forget(struct lanes_run *set);

/* Adopt the plans that control has made. Thread: the stream's worker. */
void lane_run_adopt(struct lane_sender *d, uint64_t now);

/* Put the first element of the heap where it belongs, after its time has changed. Thread: the worker. */
void lane_run_sift(struct lane_sender *d);

/*
 * A lane has ended, or goes on because a packet was refused. Its last packets are counted later in the
 * same poll, so that lane_run_ended() says it in the next one. Thread: the stream's worker.
 */
void lane_run_done(struct lane_sender *d, struct lane_run *run, uint64_t at);
void lane_run_ended(struct lane_sender *d);
void lane_run_return(struct lane_sender *d, struct lane_run *run, uint64_t now);

/* Count what is due at the end of the run, and not sent, as unsent. Thread: the stream's worker. */
void lane_run_end(struct stream *s, struct lane_sender *d, uint64_t late, uint64_t ended_tsc);

/*
 * For n streams of one lcore whose state begins with a struct sender: count what was late at ended_tsc
 * as unsent, of lanes or of one description (sender_end()). Thread: the streams' worker.
 */
void lane_run_end_all(struct stream *const *streams, unsigned int n, uint64_t ended_tsc);
