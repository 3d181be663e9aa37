/* Aged rules: without a hit for longer than their action age allows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct app;
struct args;
struct err;
struct ports;

/* Query of aged rules of a queue, NULL: of the port. destroy: destroy each rule when shown. */
struct port_flow_aged {
	uint16_t port;
	const uint32_t *queue;
	bool destroy;
};

/*
 * Show all aged rules and indirect actions; *any: whether there are some. JSON: {"aged": [{"type",
 * "number"}]}. Returns the numbers of aged rules, *n_rules of them, which the caller frees; NULL
 * with e filled: the driver's error. Thread: control, for all of this file.
 */
uint64_t *port_flow_aged_show(struct ports *ps, const struct port_flow_aged *a, uint32_t *n_rules,
	bool *any, struct err *e);

/* Handler: show those of a port; destroy: also destroy the rules. JSON: also {"destroyed"}. */
int port_flow_aged_port(struct app *app, const struct args *a, struct err *e);
