/* Parse values of options: numbers, masks, lists, addresses. Errors contain the option's name and
 * the expected values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct app;
struct err;
struct ports;
struct run;

/*
 * Parse a whole number lo..hi, decimal or 0x. Errors: EINVAL, ERANGE. Thread: main, all of this
 * file.
 */
int option_values_number(const char *option, const char *value, uint64_t lo, uint64_t hi,
	uint64_t *n, struct err *e);

/* Parse a number 1..have of what ("ports"). Errors: ENODEV have is 0; as option_values_number(). */
int option_values_count(const char *option, const char *value, unsigned int have, const char *what,
	unsigned int *n, struct err *e);

/* Parse a hexadecimal mask, with or without 0x. Errors: EINVAL. */
int option_values_mask(const char *option, const char *value, uint64_t *mask, struct err *e);

/* Parse "0,2-4" into list[0..max); *n: their number. Errors: as numbers_parse(). */
int option_values_list(const char *option, const char *value, uint16_t *list, unsigned int max,
	unsigned int *n, struct err *e);

/* Parse "PORT,MAC" and set the port's peer address. Errors: EINVAL, ENODEV. */
int option_values_peer(struct ports *ports, const char *value, struct err *e);

/*
 * Read peer addresses from a file with one MAC address per line, for port 0, 1, ...; # starts a
 * comment.
 */
int option_values_peers_file(struct ports *ports, const char *file, struct err *e);

/*
 * --burst=0: set the burst size to the recommendation of the first port's driver. Errors: ENODEV,
 * ENOTSUP.
 */
int option_values_burst_of_driver(struct app *app, struct err *e);

/* Fill e for an unknown engine name, with the list of engines. Returns -EINVAL. */
int option_values_engine_err(const struct run *r, const char *name, struct err *e);
