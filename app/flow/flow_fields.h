/* Rows of fields, for the two tables of parts; STRUCT(s) is the struct that fields are of. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

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
