/* What net_ice and net_iavf have beyond ethdev: dumps into files, a VF that is reset. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Of a port of net_ice: its profile as it is used now, of its switch alone; how transmission is
 * scheduled (DPDK 23.11). Errors: -ENODEV; -ENOTSUP another driver's port, or it has none; of the
 * file; what the driver returned. Thread: control, all of this file.
 */
int port_ice_profile(struct ports *ps, uint16_t id, bool switch_only, const char *path,
	struct err *e);
int port_ice_schedule(struct ports *ps, uint16_t id, bool detail, const char *path, struct err *e);

/*
 * Give mbufs room for the mark of an LLDP frame, which net_iavf looks for when a port starts, and say
 * where. Errors: -ENOSYS before DPDK 24.03; of rte_mbuf_dynfield_register().
 */
int port_ice_vf_lldp(struct ports *ps, struct err *e);

/* Ask the PF to reset a port of net_iavf, which comes back as it was (DPDK 26.07). */
int port_ice_vf_reinit(struct ports *ps, uint16_t id, struct err *e);
