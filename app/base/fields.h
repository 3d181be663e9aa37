/* Print numeric members of a struct from a table, such as the capabilities that a device reports.
 * libc only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct out;

enum field_kind {
	FIELD_U32,
	FIELD_INT,
	FIELD_U64,
	FIELD_HEX, /* 64 bits */
};

struct field {
	const char *name; /* in text and in JSON */
	size_t at;        /* offset in the struct, bytes */
	enum field_kind kind;
	const char *before; /* text in front of the number; NULL: none */
};

#define FIELD(kind, of, member) \
	{ \
#member, offsetof(struct of, member), FIELD_##kind, NULL \
	}

/*
 * Print one line per field, "PREFIX.NAME VALUE"; in JSON, add members to the open object. base: the
 * struct. Thread: control.
 */
void fields_show(struct out *o, const char *prefix, const struct field *fields, size_t n,
	const void *base);
