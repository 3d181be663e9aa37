/* Parts of flow rules, that is items and actions: names, and fields set by words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the value of a field is written. */
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
	FLOW_WORD,   /* no value: the word itself is enough */
	FLOW_ONE_OF, /* one of several words that mean 0, 1, ... */
	FLOW_MORE,   /* a number to append to an array */
	FLOW_HANDLE, /* the number of an object of the port */
	FLOW_PRESET, /* the number of a pattern of a flex item */
};

/* Numbered objects of a port, for FLOW_HANDLE. */
enum flow_object {
	FLOW_INDIRECT,
	FLOW_FLEX_ITEM,
	FLOW_METER_PROFILE,
	FLOW_METER_POLICY,
	FLOW_TABLE
};

/* Location of a value in a part's struct. */
struct flow_field {
	const char *name;
	enum flow_kind kind;
	uint16_t at, bytes;
	bool big;            /* in network byte order */
	const uint8_t *bits; /* mask of the field's bits in its bytes; NULL: all */
	uint64_t max;        /* maximum; 0: limited by the number of bits */
	/*
	 * For FLOW_STRING and FLOW_HEX a pointer to the bytes is at offset at; the bytes follow the
	 * part's struct. If inside is set the bytes themselves are at this offset. For FLOW_MORE an
	 * array of uint32_t is at this offset.
	 */
	bool inside;
	uint16_t length_at, length_bytes; /* member for their number; length_bytes 0: none */
	uint64_t value; /* for FLOW_WORD (bytes 0: sets nothing), and of FLOW_ONE_OF's first word */
	const char *const *words; /* for FLOW_ONE_OF, NULL-terminated */
	enum flow_object object;  /* for FLOW_HANDLE */
	/* For FLOW_WORD: fields that may follow it; one must follow if bytes is 0. */
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
	size_t bytes; /* size of its struct */
	size_t room;  /* bytes after the struct for data that it points to */
	const struct flow_field *fields;
	size_t n;
	/*
	 * Parser of an action with more than fields, or whose struct is not zero by default: reads
	 * its words into conf. NULL: none. Errors: those of flow_read().
	 */
	int (*form)(struct words *r, const struct flow_part *part, struct flow_rule *rule,
		void *conf, struct err *e);
	bool handle;       /* for an action: conf is the handle itself, not a struct */
	int which;         /* for forms that read several actions: enum flow_tunnel */
	const char *needs; /* first DPDK release that has it, if this one does not: "23.11" */
};

/* Locations in a packet or its metadata that actions read and write. */

/* In the order of enum rte_flow_field_id of this DPDK; NULL-terminated. */
extern const char *const flow_places[];
