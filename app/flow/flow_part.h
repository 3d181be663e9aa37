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
};

/* Where a value goes in a part's struct. */
struct flow_field {
	const char *name;
	enum flow_kind kind;
	uint16_t at, bytes;
	bool big;            /* in network order */
	const uint8_t *bits; /* those of its bytes that are the field's; NULL: all */
	uint64_t max;        /* 0: as many as fit */
	/* Of FLOW_STRING and FLOW_HEX: at is a pointer to the bytes, which lie in the part's room. */
	uint16_t length_at, length_bytes; /* their number; length_bytes 0: told nowhere */
};

/* An item or an action. */
struct flow_part {
	const char *name;
	int type;     /* enum rte_flow_item_type, or rte_flow_action_type */
	size_t bytes; /* of its struct */
	size_t room;  /* behind it, of what pointers in it lead to */
	const struct flow_field *fields;
	size_t n;
	/* not NULL: another form of words than fields'; see flow_forms.c */
	const char *form;
};
