/* Functions of net_ice and net_iavf beyond ethdev: dumps to files, LLDP mark, reset of a VF. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Write to a file, for a port of net_ice: the active DDP package, or only its switch part; the Tx
 * scheduling configuration (DPDK 23.11). Errors: -ENODEV; -ENOTSUP another driver's port, or not
 * supported; errors of the file; the driver's error. Thread: control, for all of this file.
 */
int port_ice_profile(struct ports *ps, uint16_t id, bool switch_only, const char *path,
	struct err *e);
int port_ice_schedule(struct ports *ps, uint16_t id, bool detail, const char *path, struct err *e);

/*
 * Register the dynamic mbuf field that marks LLDP frames, which net_iavf looks up when a port
 * starts, and print its offset. Errors: -ENOSYS before DPDK 24.03; those of
 * rte_mbuf_dynfield_register().
 */
int port_ice_vf_lldp(struct ports *ps, struct err *e);

/* Ask the PF to reset a port of net_iavf; its configuration is restored (DPDK 26.07). */
int port_ice_vf_reinit(struct ports *ps, uint16_t id, struct err *e);
