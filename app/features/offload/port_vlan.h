/* VLAN offloads of ports: strip, filter and insert tags in hardware. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/* Switch a receive VLAN offload; what: "strip", "filter", "extend", "qinq_strip". */
int port_vlan_offload(struct ports *ps, uint16_t id, const char *what, bool on, struct err *e);
/* Switch VLAN stripping of one queue. */
int port_vlan_stripq(struct ports *ps, uint16_t id, uint16_t queue, bool on, struct err *e);
/* Add a VLAN (0..4095) to the VLAN filter, or remove it. */
int port_vlan_filter(struct ports *ps, uint16_t id, uint64_t vlan, bool on, struct err *e);
int port_vlan_filter_all(struct ports *ps, uint16_t id, bool on, struct err *e);
/*
 * Set the tags that the hardware inserts into transmitted frames, 0..65535: the VLAN in the lower
 * twelve bits, the priority above; outer NULL: one tag only. The port must be stopped.
 */
int port_vlan_insert(struct ports *ps, uint16_t id, uint64_t vlan, const uint64_t *outer,
	struct err *e);
int port_vlan_insert_off(struct ports *ps, uint16_t id, struct err *e);

/* Set the EtherType (0..65535) of inner or outer tags. */
int port_vlan_tpid(struct ports *ps, uint16_t id, bool inner, uint16_t tpid, struct err *e);
/* Insert a tag (priority in its upper four bits) into all transmitted frames, or stop it. */
int port_vlan_pvid(struct ports *ps, uint16_t id, uint16_t tag, bool on, struct err *e);
