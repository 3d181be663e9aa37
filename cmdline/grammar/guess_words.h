/* What grammar_guess() looks for in a line and in rules, and the guess by all words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct elem;
struct rule;
struct walk;

/* Word i of the line; NULL: it has fewer. */
const char *guess_word(const struct walk *w, unsigned int i);

/* The choice of an element that a word is, in full; -1: none. */
int guess_choice(const struct elem *elem, const char *word);

/* The first word of a rule's commands. */
const char *guess_first(const struct rule *r);

/*
 * True when a line of the first word typed can have meant a command of the rule: one that shows was
 * not meant by "set", nor one that sets by "show" or "clear".
 */
bool guess_of_kind(const struct rule *r, const char *typed);

/* Add a word to the text of a command. */
void guess_add(char *text, size_t size, const char *before, const char *word, const char *behind);

/* Add an element: its keyword, or "(info|stats|...)" for several, or "<port>" for an argument. */
void guess_add_elem(char *text, size_t size, const struct elem *elem);

/*
 * Write the command that has most of the line's words as keywords, at least so many and the wrong one
 * among them. One word is enough if the line has no other and few commands have it. Returns false: none.
 */
bool guess_by_words(const struct walk *w, unsigned int least, char *text, size_t size);
