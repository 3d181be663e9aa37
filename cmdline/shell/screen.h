/* Pictures on the shell's terminal, for which clients never wait. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct interrupt;
struct out_aside;

/*
 * A terminal takes a few KiB at once, and nothing while it is stopped (^S) or its connection hangs.
 * A picture is printed to memory, and the terminal is given as much of it as it takes.
 */
struct screen {
	struct out *out;
	struct interrupt *interrupt;
	struct out_screen size;
	int fd; /* the terminal, opened again so that only these writes return at once; -1: not possible */
	FILE *to; /* what is printed now: bytes[n]; NULL: it goes to the terminal at once */
	char *bytes;
	size_t n;
	struct out_aside *aside;
};

/* Begin, on the terminal that results go to. Thread of all functions: control. */
void screen_open(struct screen *s, struct out *out, struct interrupt *interrupt);

/*
 * What this thread prints between screen_begin() and screen_end() is one picture. The latter returns
 * when the terminal has it, and serves clients meanwhile. If interrupt_pending() or the terminal is
 * gone, the rest is dropped. last: it leaves the screen as it was, so the program ends only with it.
 */
void screen_begin(struct screen *s);
/* See screen_begin(). */
void screen_end(struct screen *s, bool last);

/* Close it; nothing of it is printed any more. */
void screen_close(struct screen *s);
