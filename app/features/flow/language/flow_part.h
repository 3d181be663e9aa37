/* Parts of flow rules, items and actions: by name, with the fields that their words set. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is typed for a field. */
enum flow_kind {
	FLOW_UINT,
	FLOW_INT,
	FLOW_BOOL, /* 0 or 1, on or off, yes or no, true or false */
	FLOW_MAC,
	FLOW_IPV4,
	FLOW_IPV6,
	FLOW_STRING, /* bytes as typed */
	FLOW_HEX,    /* bytes in hexadecimal */
	FLOW_COLOR,  /* green, yellow, red */
	FLOW_WORD,   /* nothing: the word itself says it */
	FLOW_ONE_OF, /* one of some words that mean 0, 1, ... */
	FLOW_MORE,   /* a number behind those that are there */
	FLOW_HANDLE, /* the number of something that the port has */
	FLOW_PRESET, /* the number of a pattern of a flex item */
};

/* What a port has by number, for FLOW_HANDLE. */
enum flow_object {
	FLOW_INDIRECT,
	FLOW_FLEX_ITEM,
	FLOW_METER_PROFILE,
	FLOW_METER_POLICY,
	FLOW_TABLE
};

/* Where a value goes in a part's struct. */
struct flow_field {
	const char *name;
	enum flow_kind kind;
	uint16_t at, bytes;
	bool big;            /* in network order */
	const uint8_t *bits; /* those of its bytes that are the field's; NULL: all */
	uint64_t max;        /* 0: as many as fit */
	/*
	 * Of FLOW_STRING and FLOW_HEX: at is a pointer to the bytes, which lie in the part's room,
	 * or where inside is set the bytes themselves. Of FLOW_MORE: at is an array of uint32_t.
	 */
	bool inside;
	uint16_t length_at, length_bytes; /* their number; length_bytes 0: told nowhere */
	uint64_t value; /* of FLOW_WORD, bytes 0: nothing is set; of FLOW_ONE_OF's first word */
	const char *const *words; /* of FLOW_ONE_OF, NULL behind the last */
	enum flow_object object;  /* of FLOW_HANDLE */
	/* Of FLOW_WORD: what may follow before the part's other fields; has to, where bytes is 0. */
	const struct flow_field *then;
	size_t n_then;
};

struct err;
struct flow_part;
struct words;
struct flow_rule;

/* An item or an action. */
struct flow_part {
	const char *name;
	int type;     /* enum rte_flow_item_type, or rte_flow_action_type */
	size_t bytes; /* of its struct */
	size_t room;  /* behind it, of what pointers in it lead to */
	const struct flow_field *fields;
	size_t n;
	/*
	 * Of an action whose words are more than fields, or whose struct does not begin as zeros: reads
	 * them, into conf; NULL: none. As flow_read().
	 */
	int (*form)(struct words *r, const struct flow_part *part, struct flow_rule *rule,
		void *conf, struct err *e);
	bool handle;       /* of an action: its one field is no struct's, but stands in its place */
	int which;         /* of several that a form reads: enum flow_tunnel */
	const char *needs; /* the DPDK that first has it, where this one has not: "23.11" */
};
