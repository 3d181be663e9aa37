/* GENEVE options that mlx5 cards parse for flow rules: one list for all ports, and a parser per
 * port that is created from the list. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct args;
struct err;
struct port_feature;
struct ports;

#define PORT_GENEVE_OPTIONS 7 /* maximum number in the list */
#define PORT_GENEVE_WORDS 32  /* maximum length of an option in words of 4 bytes */

/* Use of the class: ignored; identifies the option together with the type; matched by rules. */
enum port_geneve_class { PORT_GENEVE_IGNORED, PORT_GENEVE_FIXED, PORT_GENEVE_MATCHABLE };

struct port_geneve_option {
	uint16_t class_id;
	uint8_t type;
	enum port_geneve_class class_mode;
	/* In words of 4 bytes: length of the option without its header; first sampled word; their
	 * number. */
	uint8_t length, offset, n;
	uint32_t mask[PORT_GENEVE_WORDS]; /* n masks of sampled bits, in host byte order */
};

struct port_geneve {
	struct port_geneve_option option[PORT_GENEVE_OPTIONS];
	unsigned int n;
};

/*
 * Append an option to the list. Errors: -ENOSPC the list is full; -ERANGE sampled words beyond the
 * length, or a length above 32. Thread: control, for all of this file.
 */
int port_geneve_add(struct port_geneve *list, const struct port_geneve_option *option,
	struct err *e);

/*
 * mlx5 list tlv_options: show the list. JSON: {"options": [{"id", "type", "class", "class_mode",
 * "length", "offset", "masks"}]}. Returns 0.
 */
int port_geneve_show(struct ports *ps, const struct args *a, struct err *e);

/*
 * mlx5 flush tlv_options max <n>: remove the last n options, or all if there are fewer. Returns 0.
 */
int port_geneve_flush(struct ports *ps, const struct args *a, struct err *e);

/*
 * Create a port's parser of the listed options. Errors: -ENODEV; -ENOENT the list is empty;
 * -ENOTSUP another driver's port, or mlx5 before 24.03; the driver's error.
 */
int port_geneve_apply(struct ports *ps, uint16_t id, struct err *e);

/* Destroy a port's parser, if it has one. Errors: -ENODEV; -ENOTSUP; the driver's error. */
int port_geneve_destroy(struct ports *ps, uint16_t id, struct err *e);

/* Has the list of all ports, a struct port_geneve; destroys the parser of a port that closes. */
extern const struct port_feature port_feature_geneve;
