/* A stream of the engine recycle_mbufs made, and what it keeps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct recycle_feed;
struct stream;

/*
 * As an engine's init(): the stream's own two queues are paired. Those that cannot be forward as io
 * does; show recycle has the reason. ENOMEM. Thread: control.
 */
int recycle_setup(struct stream *s, struct err *e);

/* As an engine's forget(). */
void recycle_setup_forget(struct stream *s);
