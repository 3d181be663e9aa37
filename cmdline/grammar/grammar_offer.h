/* The words that may stand at the cursor, with hints and one-line help. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct grammar;
struct offers;

/* Offer the words that may stand at the end of line, the text left of the cursor. offers_free() o. */
void grammar_offer(const struct grammar *g, const char *line, struct offers *o);
