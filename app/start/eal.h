/* Start EAL with the operator's options or with printed defaults; failures are one line with the
 * remedy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

struct err;
struct interrupt;
struct out;

/* Work around secondary processes with equal pids in different PID namespaces: EAL identifies them
 * by pid only (until 23.11.7, 24.11.6, 25.11.2), so that the second one fails to start. */

/*
 * Initialise EAL. argv[0..argc): the program's name and the options before "--"; without options,
 * defaults for the machine (lcores, memory with or without hugepages) are used, printed and written
 * to chosen, a blank before each. Returns 0, or -errno with the cause and the remedy in e.
 * interrupt: of interrupt_open(); a signal during initialisation that is not handled within a
 * second ends the process. Thread: main, once.
 */
int eal_open(int argc, char **argv, struct interrupt *interrupt, char *chosen, size_t bytes,
	struct out *out, struct err *e);

/*
 * Return the number of secondary processes of this primary, counted by their EAL message sockets; 0
 * if memory cannot be shared.
 */
unsigned int eal_secondaries(void);

/* Clean up EAL: release its files and hugepages. */
void eal_close(void);
