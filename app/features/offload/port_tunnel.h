/* UDP ports by which a NIC recognizes tunnels. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Add or remove a UDP port of a tunnel type: "vxlan", "geneve", "vxlan-gpe", "ecpri", or NULL:
 * vxlan, with the error messages of rx_vxlan_port. Errors: -ENODEV no such port; the driver's
 * error. Thread: control.
 */
int port_tunnel_udp(struct ports *ps, uint16_t id, const char *type, uint16_t udp_port, bool add,
	struct err *e);
