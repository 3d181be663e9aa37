/* Show properties of ports (show port info, summary, macs). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct out;
struct ports;
struct rte_device;

/*
 * Print show port info for port id or PORT_ALL. JSON: {"ports": [{"port", "mac", "name", "driver",
 * ...}]}. Errors: -ENODEV no such port; errors of the driver. Thread: control, all of this file.
 */
int port_info_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Print show port summary: one line per port. JSON: {"n_ports", "ports": [{"port", "mac", ...}]}.
 * Errors as port_info_show().
 */
int port_info_summary(struct ports *ps, uint16_t id, struct err *e);

/* Print show port P macs. JSON: {"port", "n_macs", "macs": ["..."]}. Errors as port_info_show(). */
int port_info_macs(struct ports *ps, uint16_t id, struct err *e);

/* Print show port P mcast_macs; JSON and errors as port_info_macs(). */
int port_info_mcast_macs(struct ports *ps, uint16_t id, struct err *e);

/*
 * Write the names of the ports' drivers, each once, and whether NICs are modelled: "net_i40e,
 * net_tap". Returns the number of ports.
 */
unsigned int port_info_drivers(const struct ports *ps, char *to, size_t bytes);

/*
 * Return whether the device is a NIC in software, of a plugin (pmd_shims/drivers/model_nic), which
 * marks it in the bus information. device may be NULL.
 */
bool port_info_modelled(const struct rte_device *device);

/* Print a link speed: "10 Gbps" for the %s of fmt in text, "link_mbps" in JSON if it is known. */
void port_info_speed(struct out *o, const char *fmt, uint32_t mbps);
