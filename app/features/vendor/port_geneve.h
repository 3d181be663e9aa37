/* Options of GENEVE headers that mlx5 cards are to read for flow rules: a list, kept for all ports,
 * and the parser that a port makes of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;
struct port_feature;
struct ports;

#define PORT_GENEVE_OPTIONS 7 /* that the list holds */
#define PORT_GENEVE_WORDS 32  /* of 4 bytes, of one option */

/* What the class says: nothing; it tells the option, with the type; it is matched by each rule. */
enum port_geneve_class { PORT_GENEVE_IGNORED, PORT_GENEVE_FIXED, PORT_GENEVE_MATCHABLE };

struct port_geneve_option {
	uint16_t class_id;
	uint8_t type;
	enum port_geneve_class class_mode;
	/* Words of 4 bytes: all of the option without its header; the first read; how many of them. */
	uint8_t length, offset, n;
	uint32_t mask
		[PORT_GENEVE_WORDS]; /* bits that are read, n of them, in this machine's order */
};

struct port_geneve {
	struct port_geneve_option option[PORT_GENEVE_OPTIONS];
	unsigned int n;
};

/*
 * Add an option at the end of the list. Errors: -ENOSPC it is full; -ERANGE words behind the option's
 * length, or that above 32. Thread: control, all of this file.
 */
int port_geneve_add(struct port_geneve *list, const struct port_geneve_option *option,
	struct err *e);

/* Show the list. JSON: {"options": [{"id", "type", "class", "class_mode", "length", "offset",
 * "masks"}]}. */
void port_geneve_show(const struct port_geneve *list, struct out *o);

/* Take so many away from its end, or all when there are less. */
void port_geneve_flush(struct port_geneve *list, unsigned int n);

/*
 * Let a port's driver read these options. Errors: -ENODEV; -ENOENT the list is empty; -ENOTSUP another
 * driver's port, or mlx5 before 24.03; what the driver said.
 */
int port_geneve_apply(struct ports *ps, const struct port_geneve *list, uint16_t id, struct err *e);

/* No longer; nothing where it reads none. Errors as above. */
int port_geneve_destroy(struct ports *ps, uint16_t id, struct err *e);

/* The driver of a port that closes reads no options any more. */
extern const struct port_feature port_feature_geneve;
