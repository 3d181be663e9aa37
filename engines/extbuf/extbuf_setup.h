/* Initialises a stream of the engine extbuf from settings, and ends it after a run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct extbuf_stats;
struct stream;

#define EXTBUF_SLICE_MOST \
	(UINT16_MAX / 64 * 64)       /* maximum bytes of an mbuf, in whole cache lines */
#define EXTBUF_BUFFER_MOST (2 << 20) /* maximum bytes of a buffer that packets share */

/*
 * init() of struct engine. Errors: EINVAL and ERANGE for settings that contradict each other or are
 * not supported by the stream's ports; ENOENT, EBUSY and ENOSPC for memory; ENOMEM.
 */
int extbuf_setup(struct stream *s, struct err *e);

/*
 * fini() of struct engine. Buffers that are still in use are released when their mbufs are freed.
 */
void extbuf_setup_end(struct stream *s);

/* forget() of struct engine. */
void extbuf_setup_forget(struct stream *s);
