/* How much memory the control group of this process may have: past that the kernel kills it
 * without a word. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * Bytes, UINT64_MAX where nobody limits it. self: /proc/self/cgroup, groups: /sys/fs/cgroup. Thread:
 * any. Source: memory.max of version 2, memory.limit_in_bytes of version 1, of the group and those
 * above it; a container may see its own as the uppermost.
 */
uint64_t memory_limit(const char *self, const char *groups);

/*
 * Bytes that mlockall(2) would bring into memory: what can be read, but huge pages, which are not
 * of the group's. smaps: /proc/self/smaps. Thread: any.
 */
uint64_t memory_mapped(const char *smaps);
