/* The pages of the manual, doc/, in help: found by words, and shown. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct out;

/*
 * True when a word of text is, or begins with four letters or more of, the words, in upper or lower
 * case; endings of the plural, and "ing", do not count. Thread: any.
 */
bool help_pages_mention(const char *text, const char *words);

/* Show a line of "see also"; *n: lines so far, counted up. */
typedef void help_also(struct out *o, unsigned int *n, const char *kind, const char *name,
	const char *help);

/* Show by also() the pages that are listed under exactly these words. Thread: control. */
void help_pages_about(struct out *o, const char *words, help_also *also, unsigned int *n);

/*
 * Show other pages about the words by also(): those whose title mentions them, then those whose text
 * does so most often. Thread: control.
 */
void help_pages_search(struct out *o, const char *words, help_also *also, unsigned int *n);

/* True when a page for users has this name, as in help_page_show(). Thread: any. */
bool help_page_is_named(const char *name);

/*
 * Show a page by its name: "measure", "howto/host" or "doc/measure.md". Errors: ENOENT: no such page,
 * or the manual is not installed. Thread: control.
 */
int help_page_show(struct out *o, const char *name, struct err *e);
