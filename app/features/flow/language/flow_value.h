/* Read values of fields from words into a part's struct. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/words.h"
#include "features/flow/language/flow_part.h"

struct err;

/*
 * Read a value of field f into a struct, which is followed by its part's room. mask: a struct of
 * the same type in which the field's bits are set; NULL: none. EINVAL, ERANGE, E2BIG at the word.
 */
int flow_value_read(struct words *r, const struct flow_part *part, const struct flow_field *f,
	void *to, void *mask, struct err *e);

/* Read a prefix length and set this number of leading bits of the field. */
int flow_value_prefix(struct words *r, const struct flow_field *f, void *to, struct err *e);

/*
 * Read the number of a port's object and find it; *handle is NULL with FLOW_NO_PORT. ENOENT, or the
 * driver's error: not found.
 */
int flow_value_handle(struct words *r, enum flow_object what, void **handle, struct err *e);

/* Parse hexadecimal digits, with or without 0x, into at most room bytes. Returns their number;
 * -EINVAL, -E2BIG. */
int flow_value_hex(const char *word, uint8_t *bytes, size_t room);
