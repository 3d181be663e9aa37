/* Long answers on a terminal, one screen at a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdio.h>

struct interrupt;

/*
 * Write n bytes of text to a terminal and wait for a key after each full screen: space, enter, q,
 * /WORD, n. All is written at once if it fits, if keys are waiting already (what was typed ahead is a
 * command) and if to or stdin is not a terminal that can clear a line. A signal (interrupt_pending()) or the end of the input ends it as q does. Thread: control.
 */
void pager_show(const char *text, size_t n, FILE *to, struct interrupt *interrupt);
