/* From which length on attaching a buffer costs less than copying it, on this machine and now. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct extbuf;
struct stream;

/*
 * Time both ways for growing lengths up to most bytes, with the stream's own pool and buffers.
 * costs: filled in. Returns the length, or EXTBUF_NEVER when copying is always cheaper. Thread:
 * control, before the run; takes a few milliseconds.
 */
struct extbuf_cost {
	uint32_t bytes;
	double copy, attach; /* TSC cycles per packet */
};
enum { EXTBUF_COSTS = 8 };
uint32_t extbuf_measure(struct stream *s, const struct extbuf *x, uint32_t most,
	struct extbuf_cost costs[EXTBUF_COSTS], unsigned int *n);
