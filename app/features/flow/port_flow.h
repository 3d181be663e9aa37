/* Flow rules of ports, with testpmd's messages; they are numbered per port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/* Defaults and lookups for reading rules of a port; id FLOW_NO_PORT: check syntax only. */
struct flow_defaults port_flow_defaults(const struct ports *ps, uint16_t id);

/*
 * Destroy one rule; destroy all rules of a port. ENODEV; ENOENT no such rule; the driver's error,
 * in its own words and testpmd's. Thread: control, for all of this file.
 */
int port_flow_destroy(struct ports *ps, uint16_t id, uint64_t number, struct err *e);
int port_flow_flush(struct ports *ps, uint16_t id, struct err *e);

/* Restrict reception to traffic that rules match, or lift the restriction. */
int port_flow_isolate(struct ports *ps, uint16_t id, bool on, struct err *e);
