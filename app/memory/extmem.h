/* External memory by name: regions for packet data, registered with EAL and mapped for the
 * devices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/extmem_buffers.h"

#include <stdint.h>

struct err;
struct out;

/*
 * Create a region, register it with EAL and map it for the devices. *made (made may be NULL)
 * becomes the region. EEXIST: name in use; EBUSY: all numbers are; EINVAL, ERANGE: bad name, size or page; ENOMEM; ENODEV,
 * ENOTSUP: the GPU; errors of reading the file. Nothing is created after an error. Thread: control,
 * for all of this file.
 */
int extmem_create(struct extmems *all, const struct extmem_ask *ask, struct extmem **made,
	struct err *e);

/*
 * Attach a region of the primary process by its name, at the same address. EEXIST: name in use;
 * ENOENT: not a secondary process, or no such shared region; errors of extmem_share_open(); ENOMEM.
 */
int extmem_attach(struct extmems *all, const char *name, struct extmem **made, struct err *e);

/*
 * Let go of a region that the caller created. It is freed at once, or, if packets still point into
 * it, by the next call of extmem_create() after the last of them has returned. Freeing needs the
 * control thread, so the worker that returns the last packet cannot do it.
 */
void extmem_release(struct extmems *all, struct extmem *m);

/* Delete a region. ENOENT; EBUSY: packets point into it, or a run uses it. */
int extmem_delete(struct extmems *all, const char *name, struct err *e);

/* Return the region of that name; NULL with e filled: ENOENT and the existing names. */
struct extmem *extmem_find(const struct extmems *all, const char *name, struct err *e);

/*
 * Delete all regions at the end of the program. Those that packets still point into remain mapped,
 * and a warning is printed.
 */
void extmem_close(struct extmems *all, struct out *out);
