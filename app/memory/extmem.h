/* External memory by name: regions that packets' payload may lie in, registered with EAL and mapped
 * for the devices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/extmem_region.h"

struct err;
struct out;

/*
 * Make a region and tell EAL and the devices of it. *made (may be NULL): the region. Errors: EEXIST
 * the name, EINVAL and ERANGE for sizes and pages that do not fit, ENOMEM, ENODEV and ENOTSUP of
 * GPUs, what the file said; nothing is left behind. Thread: control, all of this file.
 */
int extmem_create(struct extmems *all, const struct extmem_ask *ask, struct extmem **made,
	struct err *e);

/*
 * Take in a region of the primary process by its name, at the same address. ENOENT, EOPNOTSUPP for
 * what cannot be shared.
 */
int extmem_attach(struct extmems *all, const char *name, struct extmem **made, struct err *e);

/* Let go of a region. ENOENT; EBUSY while packets point into it or a run uses it. */
int extmem_delete(struct extmems *all, const char *name, struct err *e);

/* The region; NULL with e filled: ENOENT and what there is. */
struct extmem *extmem_find(const struct extmems *all, const char *name, struct err *e);

/* Answer `show extmem [NAME]`; name NULL: all. JSON: {"extmem":[...]}. ENOENT. */
int extmem_show(const struct extmems *all, const char *name, struct out *out, struct err *e);

/*
 * Let go of all regions at the end of the program; what packets still point into stays, and a
 * warning says so.
 */
void extmem_close(struct extmems *all, struct out *out);
