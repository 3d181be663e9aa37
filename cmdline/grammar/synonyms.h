/* Words of other programs and of everyday speech, and the commands and help that they mean here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/*
 * The command that is meant by word, which is no keyword at its place: "quit" for "exit". first: the
 * command's first word if word is the second; NULL: word is the first. Returns a command, with names
 * in "<>" for its arguments, or NULL. Thread: any.
 */
const char *synonyms_command(const char *first, const char *word);

/*
 * True when people use the word often: as the first word of a command (first: NULL), or as the second
 * one behind first. Lists of what may stand at a place begin with such words. Thread: any.
 */
bool synonyms_is_usual(const char *first, const char *word);

/* The words to search help for instead of words: "rxd" for "descriptor"; NULL: there are none. */
const char *synonyms_help(const char *words);
