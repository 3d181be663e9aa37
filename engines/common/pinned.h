/* A pool in external memory that ports receive into: large enough, and within reach of all of
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/extmem_region.h"

struct engine_ports;
struct err;
struct settings;

/* What an engine wants its ports to receive into. */
struct pinned_ask {
	const struct settings *settings;
	struct extmems *extmems;
	const char *memory; /* the setting that names it; empty: a region of the engine's own */
	const char *buffer; /* the setting with the bytes of a buffer, 0: those of the usual pool */
	const char *own;    /* name, type and GPU of a region of the engine's own */
	enum extmem_type type;
	unsigned int gpu;
};

/*
 * The memory with the pool (its member pinned) that prepare() of an engine gives, or NULL with e
 * filled: ENOENT, EINVAL, ERANGE of settings; what memory and devices say. Thread: control, ports
 * at rest.
 */
struct extmem *pinned_prepare(const struct pinned_ask *a, const struct engine_ports *ports,
	struct err *e);
