/* Macros for rows of the tables of items and actions. STRUCT(s) is defined by the including
 * file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "compat.h"

#define AT(s, member) .at = offsetof(STRUCT(s), member), .bytes = sizeof(((STRUCT(s) *)0)->member)

/* A member in network byte order; in host byte order. */
#define BE(kind_, name_, s, member) \
	{ \
		.name = name_, .kind = FLOW_##kind_, AT(s, member), .big = true \
	}
#define HOST(kind_, name_, s, member) \
	{ \
		.name = name_, .kind = FLOW_##kind_, AT(s, member) \
	}
/* A member in host byte order with a maximum. */
#define MOST(kind_, name_, s, member, max_) \
	{ \
		.name = name_, .kind = FLOW_##kind_, AT(s, member), .max = max_ \
	}
/* One word of a list, as CHOICES("a", "b"); its position is the value: 0, 1, ... */
#define CHOICES(...) \
	(const char *const[]) \
	{ \
		__VA_ARGS__, NULL \
	}
#define ONE_OF(name_, s, member, words_) \
	{ \
		.name = name_, .kind = FLOW_ONE_OF, AT(s, member), .words = words_ \
	}
/* A handle, given as a number. */
#define HANDLE(name_, s, member, object_) \
	{ \
		.name = name_, .kind = FLOW_HANDLE, AT(s, member), .object = object_ \
	}
/* A table of fields as members .fields and .n, or .then and .n_then. */
#define TABLE(fields_, n_, ...) \
	.fields_ = (const struct flow_field[]){ __VA_ARGS__ }, \
	.n_ = sizeof((const struct flow_field[]){ __VA_ARGS__ }) / sizeof(struct flow_field)
/* A word that is followed by further fields and sets nothing; one that sets a member
 * (big-endian). */
#define BRINGS(name_, ...) \
	{ \
		.name = name_, .kind = FLOW_WORD, TABLE(then, n_then, __VA_ARGS__) \
	}
#define SETS(name_, s, member, bits_, value_, ...) \
	{ \
		.name = name_, .kind = FLOW_WORD, AT(s, member), .big = true, \
		.bits = (const uint8_t *)(bits_), .value = value_, \
		TABLE(then, n_then, __VA_ARGS__) \
	}
/* A word without a value that sets a bit. */
#define FLAG(name_, s, member) \
	{ \
		.name = name_, .kind = FLOW_WORD, .bytes = sizeof(STRUCT(s)), .value = 1, \
		.bits = (const uint8_t *)&(const STRUCT(s)) \
		{ \
			.member = 1 \
		} \
	}
/* Numbers appended to an array with a count. */
#define MORE(name_, s, member, count) \
	{ \
		.name = name_, .kind = FLOW_MORE, AT(s, member), \
		.length_at = offsetof(STRUCT(s), count), \
		.length_bytes = sizeof(((STRUCT(s) *)0)->count) \
	}
/* Some bits of a member in network byte order. */
#define BITS(kind_, name_, s, member, bits_) \
	{ \
		.name = name_, .kind = FLOW_##kind_, AT(s, member), .big = true, \
		.bits = (const uint8_t *)(bits_) \
	}
/* A bit field of the struct; all: its maximum. */
#define PART(kind_, name_, s, member, all) \
	{ \
		.name = name_, .kind = FLOW_##kind_, .bytes = sizeof(STRUCT(s)), \
		.bits = (const uint8_t *)&(const STRUCT(s)) \
		{ \
			.member = (all) \
		} \
	}
/* Bytes stored after the struct; with a member for their number, and without. */
#define BYTES(kind_, name_, s, member, length) \
	{ \
		.name = name_, .kind = FLOW_##kind_, .at = offsetof(STRUCT(s), member), \
		.bytes = sizeof(void *), .length_at = offsetof(STRUCT(s), length), \
		.length_bytes = sizeof(((STRUCT(s) *)0)->length) \
	}
#define ROOM(kind_, name_, s, member) \
	{ \
		.name = name_, .kind = FLOW_##kind_, .at = offsetof(STRUCT(s), member), \
		.bytes = sizeof(void *) \
	}
/* Bytes in hexadecimal, stored in the struct itself. */
#define INSIDE(name_, s, member) \
	{ \
		.name = name_, .kind = FLOW_HEX, AT(s, member), .inside = true \
	}

/* Items and actions: without a struct; with a struct; with a parser function; unsupported. */
#define PLAIN(name_, type_) \
	{ \
		.name = name_, .type = TYPE(type_) \
	}
#define BARE(name_, type_, s) \
	{ \
		.name = name_, .type = TYPE(type_), .bytes = sizeof(STRUCT(s)) \
	}
#define FORM(name_, type_, s, room_, form_) \
	{ \
		.name = name_, .type = TYPE(type_), .bytes = sizeof(STRUCT(s)), .room = room_, \
		.form = form_ \
	}
#define NEEDS(name_, release) \
	{ \
		.name = name_, .needs = release \
	}
/* With fields, which follow; room_: bytes after the struct for data that it points to. */
#define FIELDS(name_, type_, s, room_, ...) \
	{ \
		.name = name_, .type = TYPE(type_), .bytes = sizeof(STRUCT(s)), .room = room_, \
		TABLE(fields, n, __VA_ARGS__) \
	}
/* The struct is a 32-bit number in network byte order. */
#define NUMBER(name_, type_) \
	{ \
		.name = name_, .type = TYPE(type_), .bytes = sizeof(rte_be32_t), .n = 1, \
		.fields = &(const struct flow_field) \
		{ \
			.name = "value", .kind = FLOW_UINT, .bytes = sizeof(rte_be32_t), \
			.big = true \
		} \
	}
/* One that needs a release, through SINCE_23_03() and its siblings. */
#define SINCE(year, month, name_, ...) \
	SINCE_##year##_##month(NEEDS(name_, #year "." #month), __VA_ARGS__)
