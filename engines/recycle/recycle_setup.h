/* A stream of the engine recycle_mbufs made, and what it keeps. */
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

/* The feed of a stream's receive queue; NULL: it is another engine's. Thread: control. */
struct recycle_feed *recycle_setup_feed(const struct stream *s);
