/* Offloads of ports, in hardware or in the csum engine: capabilities and configuration, checksums, tunnels. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct args;
struct err;
struct ports;

/*
 * Show the Rx or Tx offload capabilities. JSON: {"port", "per_queue": [...], "per_port": [...]}.
 * Errors of all functions: -ENODEV no such port; the driver's error. Thread: control, for all of
 * this file.
 */
int port_offload_capabilities(struct ports *ps, uint16_t id, bool rx, struct err *e);

/*
 * Show the configured Rx or Tx offloads. JSON: {"port", "offloads": [...], "queues": [[...], ...]}.
 */
int port_offload_configuration(struct ports *ps, uint16_t id, bool rx, struct err *e);

/* UDP ports by which a NIC recognizes tunnels. */

/*
 * Add or remove (<what>) <udp>, a UDP port of tunnels of <type>, for <port>: vxlan, geneve,
 * vxlan-gpe or ecpri; if omitted vxlan, with the error messages of rx_vxlan_port. Errors: -ENODEV
 * no such port; the driver's error. Thread: control.
 */
int port_tunnel_udp(struct ports *ps, const struct args *a, struct err *e);
