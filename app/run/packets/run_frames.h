/* Refuse packets that are longer than a port can send, on ports whose drivers would lose them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct run;

/*
 * Begin on all Tx queues of the run's streams and of its mirrors, before any lcore sends. ENOMEM;
 * errors of tx_frame_open(); then run_frames_end() is due. Thread: control.
 */
int run_frames_begin(struct run *r, struct err *e);

/* End it, after the workers. Thread: control. */
void run_frames_end(struct run *r);
