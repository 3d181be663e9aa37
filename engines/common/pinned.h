/* A pool in external memory into which all ports receive: large enough, and accessible by all of
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/extmem_buffers.h"

struct engine_ports;
struct err;
struct settings;

/* The memory into which an engine's ports have to receive. */
struct pinned_ask {
	const struct settings *settings;
	struct extmems *extmems;
	const char *memory; /* setting with the memory's name; empty: the engine creates a region */
	const char *buffer; /* setting with the bytes per buffer; 0: as in the default pool */
	const char *own;    /* name, type and GPU of the region that the engine creates */
	enum extmem_type type;
	unsigned int gpu;
};

/*
 * Find or create the memory, whose member pinned is the pool for prepare() of an engine. Returns
 * NULL with e set: ENOENT, EINVAL, ERANGE for settings; errors of memory and devices. Thread:
 * control, ports stopped.
 */
struct extmem *pinned_prepare(const struct pinned_ask *a, const struct engine_ports *ports,
	struct err *e);
