/* What a recording knows of a stream of the engine extbuf, beyond the engine's counters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct extbuf_figures;
struct json;

/* At one moment; levels have no differences. */
struct record_extbuf {
	const char *mode;    /* a word of extbuf-mode */
	uint32_t copy_below; /* shorter packets are copied; EXTBUF_NEVER: all of them */
	bool attaches;       /* it has buffers: mode pinned receives into a pool instead */
	uint64_t out;        /* buffers that packets point at now; storage: packets that do */
};

/* f: of a stream whose run lasts. Thread: any. */
void record_extbuf_take(struct record_extbuf *to, const struct extbuf_figures *f);

/* Member extbuf of a stream in an interval, and of one in a begin line. */
void record_extbuf_json(struct json *j, const struct record_extbuf *x);
void record_extbuf_begin(struct json *j, const struct extbuf_figures *f);
