/* What the engine extbuf decided for a stream, for `show extbuf` and statistics; kept after the
 * run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct extmem_buffers;

struct extbuf_stats {
	unsigned int mode; /* enum extbuf_mode */
	const char *word;  /* the mode's, as extbuf-mode has it */
	char memory[32];   /* its name */
	uint32_t bytes, n; /* buffers; storage: slices */
	uint32_t slice;    /* bytes set apart for a packet, 0: as many as it has */
	bool shared, split;
	_Atomic(uint32_t) copy_below; /* shorter packets are copied; autotuned: the worker writes */
	bool autotuned;               /* nobody gave a threshold */
	/*
	 * What packets point at; NULL: mode pinned. Good until the stop of the run has been told to
	 * all threads, though this struct is kept.
	 */
	const struct extmem_buffers *buffers;
};

/* What a stream uses and has out. */
extern const struct engine_group extbuf_stats_group;
