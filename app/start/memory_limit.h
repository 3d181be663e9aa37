/* The memory limit of this process's control group, at which the kernel kills the process without a
 * message. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * Return the limit in bytes, UINT64_MAX: none. self: /proc/self/cgroup, groups: /sys/fs/cgroup.
 * Thread: any. Source: memory.max (cgroup v2) or memory.limit_in_bytes (v1) of the group and its
 * ancestors; a container may see its own group as the root.
 */
uint64_t memory_limit(const char *self, const char *groups);

/*
 * Return the bytes that mlockall(2) would make resident: all readable mappings except hugepages,
 * which do not count for the group. smaps: /proc/self/smaps. Thread: any.
 */
uint64_t memory_mapped(const char *smaps);
