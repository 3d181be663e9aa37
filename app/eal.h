/* EAL: the operator's options, or sane ones that are said aloud; failures in one line that says what to do. */
#pragma once

#include <stdio.h>

struct err;
struct out;

/*
 * Bring up EAL. argv[0..argc): the program's name and the options left of "--"; with none, options are chosen for the
 * machine (lcores, memory with or without hugepages) and said. Returns 0, or -errno with e filled: what failed and what to
 * try. Thread: main, once.
 */
int eal_open(int argc, char **argv, struct out *out, struct err *e);

/* Leave EAL: files and hugepages go back. */
void eal_close(void);
