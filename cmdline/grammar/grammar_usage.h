/* The syntax of a row as people read it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct text;

/*
 * Add the syntax without the names of types: "show port stats (<port>|all)", "set burst <n 1..512>".
 * Thread: whose text it is.
 */
void grammar_usage(const char *syntax, struct text *t);
