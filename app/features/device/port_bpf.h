/* eBPF programs that filter what a queue receives or sends, out of ELF files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port_feature;
struct ports;

/*
 * Run section .text of an ELF file on each packet of a queue; packets for which it returns 0 are
 * dropped (received) or stay unsent. flags: J to compile it, M to hand it the mbuf rather than the
 * data, - for neither. Programs may call rte_pktmbuf_dump(stdout, mbuf, length). Errors: -ENODEV no
 * such port; -ERANGE queue; -EINVAL flags; what DPDK returned. Thread: control.
 */
int port_bpf_load(struct ports *ps, uint16_t id, uint16_t queue, bool rx, const char *flags,
	const char *file, struct err *e);

/* Take the program away from a queue, if it has one. Errors: -ENODEV; -ERANGE. */
int port_bpf_unload(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e);

/* Takes all programs away from a port before it is closed. */
extern const struct port_feature port_feature_bpf;
