/* What may stand at the cursor: words, hints, one-line help. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct grammar;
struct offers;

/* What may stand at the end of line (the text left of the cursor). Free with offers_free(). */
void grammar_offer(const struct grammar *g, const char *line, struct offers *o);
