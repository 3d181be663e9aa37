/* A stream of the engine extbuf made from settings before a run, and ended after it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct extbuf_stats;
struct stream;

#define EXTBUF_SLICE_MOST \
	(UINT16_MAX / 64 * 64)       /* bytes that an mbuf can point at, in whole cache lines */
#define EXTBUF_BUFFER_MOST (2 << 20) /* bytes of a buffer that packets share */

/*
 * As an engine's init(). Errors: EINVAL and ERANGE for settings that do not go together or that the
 * path of the stream cannot, ENOENT, EBUSY and ENOSPC of memory, ENOMEM. Thread: control.
 */
int extbuf_setup(struct stream *s, struct err *e);

/* As an engine's fini(): buffers that are out come back by themselves later. */
void extbuf_setup_end(struct stream *s);

/* As an engine's forget(). */
void extbuf_setup_forget(struct stream *s);
