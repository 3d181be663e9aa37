/* How the engine extbuf runs a stream, for `show extbuf` and statistics; kept after the run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct extmem_buffers;

struct extbuf_stats {
	unsigned int mode; /* enum extbuf_mode */
	const char *word;  /* the mode as a choice of extbuf-mode */
	char memory[32];   /* name of the memory */
	uint32_t bytes, n; /* size and number of buffers, or slices with mode storage */
	uint32_t slice;    /* bytes reserved per packet, 0: its length */
	bool shared, split;
	_Atomic(uint32_t) copy_below; /* threshold; written by the worker if autotuned */
	bool autotuned;               /* no threshold is set */
	/*
	 * The buffers; NULL: mode pinned. Valid until all threads have been told that the run has
	 * stopped, although this struct is kept longer.
	 */
	const struct extmem_buffers *buffers;
};

/* The group "extbuf": the memory that a stream uses. */
extern const struct engine_group extbuf_stats_group;
