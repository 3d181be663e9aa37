/* Macros for rows of the tables of items and actions. STRUCT(s) is defined by the including
 * file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_version.h>

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
/* One word of a list; its position is the value: 0, 1, ... */
#define ONE_OF(name_, s, member, words_) \
	{ \
		.name = name_, .kind = FLOW_ONE_OF, AT(s, member), .words = words_ \
	}
/* A handle, given as a number. */
#define HANDLE(name_, s, member, object_) \
	{ \
		.name = name_, .kind = FLOW_HANDLE, AT(s, member), .object = object_ \
	}
/* A word that is followed by further fields and sets nothing; one that sets a member
 * (big-endian). */
#define BRINGS(name_, fields_) \
	{ \
		.name = name_, .kind = FLOW_WORD, .then = fields_, .n_then = ARRAY_SIZE(fields_) \
	}
#define SETS(name_, s, member, bits_, value_, fields_) \
	{ \
		.name = name_, .kind = FLOW_WORD, AT(s, member), .big = true, \
		.bits = (const uint8_t *)(bits_), .value = value_, .then = fields_, \
		.n_then = ARRAY_SIZE(fields_) \
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
/* The whole struct is one number in network byte order. */
#define WHOLE(name_, type) \
	{ \
		.name = name_, .kind = FLOW_UINT, .bytes = sizeof(type), .big = true \
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

/* Rows of items and actions: without fields; with fields; with a parser function; unsupported by
 * this DPDK. */
#define PLAIN(name_, type_) \
	{ \
		.name = name_, .type = TYPE(type_) \
	}
#define FIELDS(name_, type_, bytes_, fields_, room_) \
	{ \
		.name = name_, .type = TYPE(type_), .bytes = bytes_, .room = room_, \
		.fields = fields_, .n = ARRAY_SIZE(fields_) \
	}
#define FORM(name_, type_, bytes_, room_, form_) \
	{ \
		.name = name_, .type = TYPE(type_), .bytes = bytes_, .room = room_, .form = form_ \
	}
#define NEEDS(name_, release) \
	{ \
		.name = name_, .needs = release \
	}

/* A row that needs this DPDK release or later. */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define SINCE_23_03(name_, ...) __VA_ARGS__
#else
#define SINCE_23_03(name_, ...) NEEDS(name_, "23.03")
#endif
#if RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0)
#define SINCE_23_07(name_, ...) __VA_ARGS__
#else
#define SINCE_23_07(name_, ...) NEEDS(name_, "23.07")
#endif
#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
#define SINCE_23_11(name_, ...) __VA_ARGS__
#else
#define SINCE_23_11(name_, ...) NEEDS(name_, "23.11")
#endif
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
#define SINCE_24_03(name_, ...) __VA_ARGS__
#else
#define SINCE_24_03(name_, ...) NEEDS(name_, "24.03")
#endif
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
#define SINCE_24_11(name_, ...) __VA_ARGS__
#else
#define SINCE_24_11(name_, ...) NEEDS(name_, "24.11")
#endif
