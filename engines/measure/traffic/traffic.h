/* Reads traffic as it is described by words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/measure/traffic/traffic_form.h"

struct err;
struct words;

/* The value of setting generate-size with which the description's sizes are used. */
#define TRAFFIC_SIZE_DESCRIBED "described"

/*
 * Read a description to its end, for a port: words after "port N" apply to port N only, and words
 * before it to all ports. "file PATH": the words of a file, whose lines errors name. size:
 * TRAFFIC_SIZE_DESCRIBED, or sizes that replace the description's. EINVAL, ERANGE: one line that
 * names the bad word. Thread: control, for all of this file.
 */
int traffic_read(struct traffic *t, struct words *r, const char *size, unsigned int port,
	struct err *e);

/* As traffic_read(), from a text. */
int traffic_parse(struct traffic *t, const char *text, const char *size, unsigned int port,
	struct err *e);

/*
 * Read one word of a description and its value into t, unless its bit in *seen says that it came
 * before. Returns 1, with the word, which is static; 0: another word is next. Errors: as
 * traffic_read(). What depends on several words is not checked.
 */
int traffic_word(struct traffic *t, struct words *r, uint32_t *seen, const char **word,
	struct err *e);
