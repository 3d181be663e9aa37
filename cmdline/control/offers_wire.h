/* The words that may follow a line, from one program to another. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct json;
struct json_read;
struct offers;

/* Write the members of offers. filter, why: what shell_offer() told. */
void offers_wire_write(const struct offers *o, bool filter, const struct err *why, struct json *to);

/*
 * Read an object of them. filter, why: as of shell_offer(). Returns 0, or -EINVAL with e filled.
 * offers_free() o in each case. Thread: any, for all of this file.
 */
int offers_wire_read(struct json_read *j, struct offers *o, bool *filter, struct err *why,
	struct err *e);
