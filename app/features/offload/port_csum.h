/* What the csum engine does for each port: checksums in hardware, TSO, GRO, GSO (csum set, tso set,
 * set port N gro). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Checksums of what ("ip", "udp", "tcp", "sctp", "outer-ip", "outer-udp") in hardware. Shows them
 * all. Port stopped.
 */
int port_csum_set(struct ports *ps, uint16_t id, const char *what, bool hw, struct err *e);
int port_csum_show(struct ports *ps, uint16_t id, struct err *e);

/* Look into tunnels (shows checksums, too); swap MAC addresses: settings of the csum engine. */
int port_csum_tunnel(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_mac_swap(struct ports *ps, uint16_t id, bool on, struct err *e);

/*
 * Segments of n bytes, 0: no TSO, of plain or tunnelled packets. Says what holds then. Port
 * stopped.
 */
int port_csum_tso(struct ports *ps, uint16_t id, uint64_t n, bool tunnel, struct err *e);
int port_csum_tso_show(struct ports *ps, uint16_t id, bool tunnel, struct err *e);

/* Merge received packets (GRO), cut sent ones (GSO); not while forwarding. */
int port_csum_gro(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_gso(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_gro_flush(struct ports *ps, uint64_t cycles, struct err *e);
int port_csum_gso_size(struct ports *ps, uint64_t bytes, struct err *e);
int port_csum_gro_show(struct ports *ps, uint16_t id, struct err *e);
int port_csum_gso_show(struct ports *ps, uint16_t id, struct err *e);
