/* What the grammar offers at the cursor, and the syntax of a row as people read it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/offers.h"

struct grammar;
struct text;

/* Offer the words that may stand at the end of line, the text left of the cursor. offers_free() o. */
void grammar_offer(const struct grammar *g, const char *line, struct offers *o);

/* The syntax of a row as people read it. */

/*
 * Add the syntax without the names of types: "show port stats (<port>|all)", "set burst <n 1..512>".
 * Thread: whose text it is.
 */
void grammar_usage(const char *syntax, struct text *t);
