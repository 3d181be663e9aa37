/* VLAN offloads of ports: strip, filter and insert tags in hardware. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/* VLAN offloads of receive, at once; what: "strip", "filter", "extend", "qinq_strip". */
int port_vlan_offload(struct ports *ps, uint16_t id, const char *what, bool on, struct err *e);
/* VLAN strip of one queue, at once. */
int port_vlan_stripq(struct ports *ps, uint16_t id, uint16_t queue, bool on, struct err *e);
/* Let frames with this tag (0..4095) pass the VLAN filter, or no longer. */
int port_vlan_filter(struct ports *ps, uint16_t id, uint64_t vlan, bool on, struct err *e);
int port_vlan_filter_all(struct ports *ps, uint16_t id, bool on, struct err *e);
/*
 * Tags that the hardware puts into sent frames, 0..65535: the VLAN in the lower twelve bits, above
 * them its priority; outer NULL: one tag only. Port stopped.
 */
int port_vlan_insert(struct ports *ps, uint16_t id, uint64_t vlan, const uint64_t *outer,
	struct err *e);
int port_vlan_insert_off(struct ports *ps, uint16_t id, struct err *e);

/* The EtherType (0..65535) that says "a tag follows", of inner or outer tags, at once. */
int port_vlan_tpid(struct ports *ps, uint16_t id, bool inner, uint16_t tpid, struct err *e);
/* Put a tag, priority in its upper four bits, into what a port sends; on or off, at once. */
int port_vlan_pvid(struct ports *ps, uint16_t id, uint16_t tag, bool on, struct err *e);
