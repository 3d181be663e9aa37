/* Forward error correction of a port's link: shown and set. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Answer show port P fec_mode. JSON: {"port", "fec": "rs"}. Errors: -ENODEV no such port; what the
 * driver returned. Thread: control, all of this file.
 */
int port_fec_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Answer show port P fec capabilities. JSON: {"port", "speeds": [{"link_mbps", "fec":
 * [...]}]}. Errors as above.
 */
int port_fec_capabilities(struct ports *ps, uint16_t id, struct err *e);

/*
 * Set it, at once. mode: "auto", "off", "rs", "baser", "llrs" since 23.07. Errors: -ENODEV; -EINVAL
 * mode; what the driver returned.
 */
int port_fec_set(struct ports *ps, uint16_t id, const char *mode, struct err *e);
