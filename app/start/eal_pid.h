/* Secondary processes of the same pid, each in a PID namespace of its own: EAL keeps them apart by
 * pid alone (until 23.11.7, 24.11.6, 25.11.2), so that the second one does not come up. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;

/* After rte_eal_init() failed: whether another process has the files that this one wanted. */
bool eal_pid_taken(void);

/*
 * Be the parent of the same program, whose pid is another one: signals that were meant for this one
 * reach it, and so does this one's death. Returns what it exits with, as shells count it; -errno
 * with e filled when there is none. interrupt_fd: of interrupt_open(). Thread: control.
 */
int eal_pid_relay(int interrupt_fd, struct err *e);
