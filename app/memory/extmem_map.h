/* Allocate or map each type of external memory, and free it; private to extmem. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct extmem;
struct extmem_ask;

/*
 * Get the memory: fills addr, bytes, mapped, page, writable and what its type needs (fd, zone); of
 * a GPU's own memory sizes alone.
 * Errors: EINVAL, ERANGE, ENOMEM, what open() or read() said; the caller closes m then, too.
 * Thread: control, all of this file.
 */
int extmem_map_open(struct extmem *m, const struct extmem_ask *ask, struct err *e);

/*
 * Map memory of another process. fd: of the file behind it, from now on m's; negative: e says why
 * there is none. addr: where it has to lie.
 */
int extmem_map_borrow(struct extmem *m, int fd, void *addr, struct err *e);

/* Give it back. */
void extmem_map_close(struct extmem *m);

/* Fill iovas where devices see other addresses than this process. ENOMEM. */
int extmem_map_iovas(struct extmem *m, struct err *e);
