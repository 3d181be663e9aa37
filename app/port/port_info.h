/* Show what a port is (show port info, summary, macs). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct out;
struct ports;

/*
 * Answer show port info for port id or PORT_ALL. JSON: {"ports": [{"port", "mac", "name", "driver",
 * ...}]}. Errors: -ENODEV no such port; what the driver returned. Thread: control, all of this
 * file.
 */
int port_info_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Answer show port summary: one line per port. JSON: {"n_ports", "ports": [{"port", "mac", ...}]}.
 * Errors as above.
 */
int port_info_summary(struct ports *ps, uint16_t id, struct err *e);

/* Answer show port P macs. JSON: {"port", "n_macs", "macs": ["..."]}. Errors as above. */
int port_info_macs(struct ports *ps, uint16_t id, struct err *e);

/* Answer show port P mcast_macs, as port_info_macs(). */
int port_info_mcast_macs(struct ports *ps, uint16_t id, struct err *e);

/* "10 Gbps" in text (fmt takes its %s), "link_mbps" in JSON when it is known. */
void port_info_speed(struct out *o, const char *fmt, uint32_t mbps);
