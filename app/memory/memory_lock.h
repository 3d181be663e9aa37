/* Locked memory: of the whole process, or pages that devices reach by physical addresses; and the
 * limit on it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

struct err;

#define MEMORY_LOCK_CHARS 160

/*
 * Lock all memory that is mapped, and, if no limit holds, all that is mapped later. Returns 0, or
 * -errno with e filled: the limit and how to raise it, or what the kernel said.
 */
int memory_lock_all(struct err *e);

/*
 * Lock pages whose physical addresses devices are given, for pages that move would make them wrong.
 * Where devices are given virtual addresses, or none are known, pages may stay unlocked: it is
 * tried, and a failure is no error. Returns 0, or -EPERM with e filled. Thread: main.
 */
int memory_lock_pages(void *addr, size_t bytes, struct err *e);

/*
 * Write the limit on locked memory and how to raise it into text; write an empty string if this
 * process has none. Returns text. Source: getrlimit(2), RLIMIT_MEMLOCK, which CAP_IPC_LOCK lifts.
 */
const char *memory_lock_limit(char text[MEMORY_LOCK_CHARS]);
