/* Values of options: numbers, masks, lists, addresses, each refused with the option's name and what
 * was expected. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct app;
struct err;
struct ports;
struct run;

/* A whole number lo..hi, decimal or 0x. EINVAL, ERANGE. Thread: main, all of this file. */
int option_values_number(const char *option, const char *value, uint64_t lo, uint64_t hi,
	uint64_t *n, struct err *e);

/* A number 1..have of what ("ports") there is. */
int option_values_count(const char *option, const char *value, unsigned int have, const char *what,
	unsigned int *n, struct err *e);

/* A hexadecimal mask, with or without 0x, not 0. */
int option_values_mask(const char *option, const char *value, uint64_t *mask, struct err *e);

/* "0,2-4" into list[0..max). */
int option_values_list(const char *option, const char *value, uint16_t *list, unsigned int max,
	unsigned int *n, struct err *e);

/* "PORT,MAC" into the port's peer address. */
int option_values_peer(struct ports *ports, const char *value, struct err *e);

/* A file with one MAC per line, for port 0, 1, ...; comments from # on. */
int option_values_peers_file(struct ports *ports, const char *file, struct err *e);

/* --burst=0: what the driver of the first port prefers, an error when it has no preference. */
int option_values_burst_of_driver(struct app *app, struct err *e);

/* EINVAL for an engine name that does not exist, with all that do. */
int option_values_engine_err(const struct run *r, const char *name, struct err *e);
