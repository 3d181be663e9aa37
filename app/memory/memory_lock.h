/* Lock the memory of the process, or pages that devices access by physical address, and report the
 * limit on locked memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

struct err;

#define MEMORY_LOCK_CHARS 160

/*
 * Lock all mapped memory and, if no limit applies, all later mappings. Returns 0, or -errno with e
 * filled: the limit and how to raise it, or the kernel's error.
 */
int memory_lock_all(struct err *e);

/*
 * Lock pages that devices access by physical address, because a page that moves would get another
 * address. If devices use virtual addresses, or physical ones are unknown, a failure is ignored.
 * Returns 0, or -EPERM with e filled. Thread: main.
 */
int memory_lock_pages(void *addr, size_t bytes, struct err *e);

/*
 * Write the limit on locked memory and how to raise it into text; write an empty string if this
 * process has none. Returns text. Source: getrlimit(2), RLIMIT_MEMLOCK, which CAP_IPC_LOCK lifts.
 */
const char *memory_lock_limit(char text[MEMORY_LOCK_CHARS]);
