/* Rows of fields, for the two tables of parts; STRUCT(s) is the struct that fields are of. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_version.h>

#define AT(s, member) .at = offsetof(STRUCT(s), member), .bytes = sizeof(((STRUCT(s) *)0)->member)

/* In network order, in the order of the machine. */
#define BE(kind_, name_, s, member) \
	{ \
		.name = name_, .kind = FLOW_##kind_, AT(s, member), .big = true \
	}
#define HOST(kind_, name_, s, member) \
	{ \
		.name = name_, .kind = FLOW_##kind_, AT(s, member) \
	}
/* The same, at most so much. */
#define MOST(kind_, name_, s, member, max_) \
	{ \
		.name = name_, .kind = FLOW_##kind_, AT(s, member), .max = max_ \
	}
/* One of the words of a list, that mean 0, 1, ... */
#define ONE_OF(name_, s, member, words_) \
	{ \
		.name = name_, .kind = FLOW_ONE_OF, AT(s, member), .words = words_ \
	}
/* A handle by its number. */
#define HANDLE(name_, s, member, object_) \
	{ \
		.name = name_, .kind = FLOW_HANDLE, AT(s, member), .object = object_ \
	}
/* A word that brings others, and sets nothing itself; that sets a member in network order. */
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
/* A bit that the word itself sets. */
#define FLAG(name_, s, member) \
	{ \
		.name = name_, .kind = FLOW_WORD, .bytes = sizeof(STRUCT(s)), .value = 1, \
		.bits = (const uint8_t *)&(const STRUCT(s)) \
		{ \
			.member = 1 \
		} \
	}
/* Numbers in an array with their count. */
#define MORE(name_, s, member, count) \
	{ \
		.name = name_, .kind = FLOW_MORE, AT(s, member), \
		.length_at = offsetof(STRUCT(s), count), \
		.length_bytes = sizeof(((STRUCT(s) *)0)->count) \
	}
/* Some bits of a member in network order. */
#define BITS(kind_, name_, s, member, bits_) \
	{ \
		.name = name_, .kind = FLOW_##kind_, AT(s, member), .big = true, \
		.bits = (const uint8_t *)(bits_) \
	}
/* A bit field of the struct; all: its largest value. */
#define PART(kind_, name_, s, member, all) \
	{ \
		.name = name_, .kind = FLOW_##kind_, .bytes = sizeof(STRUCT(s)), \
		.bits = (const uint8_t *)&(const STRUCT(s)) \
		{ \
			.member = (all) \
		} \
	}
/* All there is is one number, in network order. */
#define WHOLE(name_, type) \
	{ \
		.name = name_, .kind = FLOW_UINT, .bytes = sizeof(type), .big = true \
	}
/* Bytes in the room behind the struct, with their number, and without. */
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
/* Bytes in hexadecimal that lie in the struct itself. */
#define INSIDE(name_, s, member) \
	{ \
		.name = name_, .kind = FLOW_HEX, AT(s, member), .inside = true \
	}

/* Rows of parts: without words; with fields; with words of their own form; not in this DPDK. */
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

/* A row that DPDK of that release and later has. */
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
