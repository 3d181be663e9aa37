/* Per-port settings of the csum engine: checksums in hardware, TSO, GRO, GSO (csum set, tso set,
 * set port N gro). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Compute checksums of what ("ip", "udp", "tcp", "sctp", "outer-ip", "outer-udp") in hardware or
 * software, and show all. The port must be stopped.
 */
int port_csum_set(struct ports *ps, uint16_t id, const char *what, bool hw, struct err *e);
int port_csum_show(struct ports *ps, uint16_t id, struct err *e);

/* Make the csum engine parse tunnels (also shows the checksums), or swap MAC addresses. */
int port_csum_tunnel(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_mac_swap(struct ports *ps, uint16_t id, bool on, struct err *e);

/*
 * Set the TSO segment size in bytes (0: no TSO) of plain or tunnelled packets, and show it. The
 * port must be stopped.
 */
int port_csum_tso(struct ports *ps, uint16_t id, uint64_t n, bool tunnel, struct err *e);
int port_csum_tso_show(struct ports *ps, uint16_t id, bool tunnel, struct err *e);

/* Merge received packets (GRO); split transmitted ones (GSO). Not while forwarding. */
int port_csum_gro(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_gso(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_gro_flush(struct ports *ps, uint64_t cycles, struct err *e);
int port_csum_gso_size(struct ports *ps, uint64_t bytes, struct err *e);
int port_csum_gro_show(struct ports *ps, uint16_t id, struct err *e);
int port_csum_gso_show(struct ports *ps, uint16_t id, struct err *e);
