/* Work around secondary processes with equal pids in different PID namespaces: EAL identifies them
 * by pid only (until 23.11.7, 24.11.6, 25.11.2), so that the second one fails to start. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;

/* After rte_eal_init() failed: true if a process with the same pid owns the EAL files. */
bool eal_pid_taken(void);

/*
 * Run the same program in a child, under another pid, and wait for it. Signals are forwarded to the
 * child, and the child dies with this process. Returns the child's exit status as shells do (128 +
 * signal), or -errno with e filled if it could not be started. interrupt_fd: of interrupt_open().
 * Thread: control.
 */
int eal_pid_relay(int interrupt_fd, struct err *e);
