/* Values of fields: from words into a part's struct. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/words.h"
#include "features/flow/language/flow_part.h"

struct err;

/*
 * Read a value of field f into a struct, which has its part's room behind it. mask: a struct of the
 * same form whose bits of the field are set; NULL: none. EINVAL, ERANGE, E2BIG at the word.
 */
int flow_value_read(struct words *r, const struct flow_part *part, const struct flow_field *f,
	void *to, void *mask, struct err *e);

/* Read a length and set as many leading bits of the field. */
int flow_value_prefix(struct words *r, const struct flow_field *f, void *to, struct err *e);

/*
 * Read the number of something that the port has, and find it; NULL where words are only looked at.
 * ENOENT or what the driver says: there is none.
 */
int flow_value_handle(struct words *r, enum flow_object what, void **handle, struct err *e);

/* Bytes of a word in hexadecimal, at most room; 0x may stand before. Returns how many; -EINVAL, -E2BIG. */
int flow_value_hex(const char *word, uint8_t *bytes, size_t room);
