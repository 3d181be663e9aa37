/* Packet types that a port's hardware tells: shown, and chosen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Answer show port P ptypes. JSON: {"port", "ptypes": {"l2": [...], ..., "inner_l4": [...]}}.
 * Errors: -ENODEV no such port; what the driver returned. Thread: control, all of this file.
 */
int port_ptypes_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Let the port tell packet types of these layers alone (RTE_PTYPE_*_MASK), and show which those
 * are; also after the next start, which otherwise switches them off. JSON: {"port", "ptypes":
 * [...]}. Errors: -ENODEV; -ENOTSUP the driver tells none; what it returned.
 */
int port_ptypes_set(struct ports *ps, uint16_t id, uint32_t mask, struct err *e);
