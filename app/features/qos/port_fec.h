/* Show and set forward error correction of a port's link. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct args;
struct err;
struct ports;

/*
 * Show the mode. JSON: {"port", "fec": "rs"}. Errors of all functions: -ENODEV no such port; the
 * driver's error. Thread: control, for all of this file.
 */
int port_fec_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Show the supported modes. JSON: {"port", "speeds": [{"link_mbps", "fec": [...]}]}.
 */
int port_fec_capabilities(struct ports *ps, uint16_t id, struct err *e);

/*
 * set port <port> fec_mode <mode>: set the mode, "auto", "off", "rs", "baser", "llrs" (since 23.07). Further error: -EINVAL mode.
 */
int port_fec_set(struct ports *ps, const struct args *a, struct err *e);
