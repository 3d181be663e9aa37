/* Flex items of a port: custom headers for flow rules to match. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Create flex item number 0..7 from a file; destroy one. ENODEV, EEXIST, ENOENT; an error in the
 * file; the driver's error. Thread: control.
 */
int port_flow_flex_create(struct ports *ps, uint16_t id, uint32_t number, const char *path,
	struct err *e);
int port_flow_flex_destroy(struct ports *ps, uint16_t id, uint32_t number, struct err *e);
