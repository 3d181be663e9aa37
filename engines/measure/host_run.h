/* Answers of ports in a run: made where a request comes in, sent by a stream that sends to that port. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: an answer leaves by the port where its request came in, but the stream that received the
 * request sends to another port, and the queue to this one may belong to another lcore.
 *
 * The idea: the receiver makes the answer, in an mbuf of the pool of a stream that sends to the port, and
 * puts it into a ring. That stream empties the ring at each poll. So a queue has one writer, an mbuf is in
 * a pool that the queue expects, and nothing that was received is written.
 *
 * Counters: each request is in answered of its receiver; if its answer was not sent, also in
 * answers_dropped of the stream that dropped it.
 */
#pragma once

#include <stdbool.h>

struct err;
struct hosts;
struct rte_mbuf;
struct stream;

/*
 * Prepare the streams to answer for the addresses of their ports, and keep these as they are until
 * host_run_end(). The streams' kept is a struct measured. ENODEV: no stream sends to such a port; ENOMEM.
 * Thread: control, before the run.
 */
int host_run_begin(struct stream *const *streams, unsigned int n, struct hosts *hosts,
	struct err *e);

/*
 * Answer a received packet, which remains the caller's, if it is a request for an address of the port.
 * Returns whether it is one. Thread: the stream's worker. Counts: answered, answers_dropped.
 */
bool host_run_answer(struct stream *s, struct rte_mbuf *m);

/* Send the answers that wait, up to a burst. Thread: the stream's worker. Counts: answers_dropped. */
void host_run_send(struct stream *s);

/* Free what a stream has of a run, which has ended. Thread: control. */
void host_run_end(struct stream *s, struct hosts *hosts);
