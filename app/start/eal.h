/* EAL: the operator's options, or sane ones that are said aloud; failures in one line that says
 * what to do. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

struct err;
struct out;

/*
 * Bring up EAL. argv[0..argc): the program's name and the options left of "--"; with none, options
 * are chosen for the machine (lcores, memory with or without hugepages) and said. Returns 0, or
 * -errno with e filled: what failed and what to try. interrupt_fd: of interrupt_open(); a signal
 * that comes while EAL waits, and is not looked at within a second, ends the process. Thread: main,
 * once.
 */
int eal_open(int argc, char **argv, int interrupt_fd, struct out *out, struct err *e);

/*
 * Processes that share this primary's memory now: those that listen for EAL's messages. 0 where
 * nothing can be shared.
 */
unsigned int eal_secondaries(void);

/* Leave EAL: files and hugepages go back. */
void eal_close(void);
