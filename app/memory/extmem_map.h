/* Memory of a region: allocate it, or map that of another process; addresses of its pages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/extmem_buffers.h"

struct err;
struct interrupt;

/*
 * Map the memory of a region: set addr, bytes, mapped, page, writable, and fd or zone for types
 * that need them; for GPU memory only the sizes. EINVAL, ERANGE, ENOMEM, errors of open(2) and
 * read(2); call extmem_map_close() also then. Thread: control, for all of this file.
 */
int extmem_map_open(struct extmem *m, const struct extmem_ask *ask,
	const struct interrupt *interrupt, struct err *e);

/*
 * Map memory of another process at addr. fd: its file, owned by m from now on; if negative, it is
 * returned as the error, which e already has.
 */
int extmem_map_borrow(struct extmem *m, int fd, void *addr, struct err *e);

/* Unmap the memory of a region. */
void extmem_map_close(struct extmem *m);

/* Set iovas unless devices use virtual addresses. ENOMEM, EPERM: cannot lock the pages. */
int extmem_map_iovas(struct extmem *m, struct err *e);
