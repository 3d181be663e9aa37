/* Flex items of a port: headers of the user's own, that flow rules match. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Make one under a number, 0..7, as a file describes it; take one away. ENODEV, EEXIST, ENOENT; what is wrong
 * with the file; what the driver says. Thread: control.
 */
int port_flow_flex_create(struct ports *ps, uint16_t id, uint32_t number, const char *path,
	struct err *e);
int port_flow_flex_destroy(struct ports *ps, uint16_t id, uint32_t number, struct err *e);
