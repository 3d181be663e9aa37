/* Numbers of a struct that others made, shown by a table: what a device says of itself. libc
 * only. */
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
	size_t at;        /* its place in the struct, bytes */
	enum field_kind kind;
	const char *before; /* in text, in front of the number; NULL: nothing */
};

#define FIELD(kind, of, member) \
	{ \
#member, offsetof(struct of, member), FIELD_##kind, NULL \
	}

/*
 * Show one line for each, "PREFIX.NAME VALUE"; in JSON members of the object that is open. base:
 * the struct. Thread: control.
 */
void fields_show(struct out *o, const char *prefix, const struct field *fields, size_t n,
	const void *base);
