/* UDP ports by which a NIC knows tunnels. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Packets to this UDP port are tunnelled from now on, or no longer. type: "vxlan", "geneve",
 * "vxlan-gpe", "ecpri", or NULL: vxlan, in the words of rx_vxlan_port. Errors: -ENODEV no such
 * port; what the driver returned. Thread: control.
 */
int port_tunnel_udp(struct ports *ps, uint16_t id, const char *type, uint16_t udp_port, bool add,
	struct err *e);
