/* eBPF programs from ELF files that filter the packets of a queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct app;
struct args;
struct err;
struct port_feature;
struct ports;

/*
 * Handler: run section .text of an ELF <file> on each packet of <queue> of <port>, where <way> is
 * rx or tx. If it returns 0, a received packet is dropped and a packet to transmit is not sent.
 * <flags>: J compiles it, M passes the mbuf instead of the data, - neither. Programs may call
 * rte_pktmbuf_dump(stdout, mbuf, length). Errors: -ENODEV no such port; -ERANGE queue; -EINVAL
 * flags; DPDK's error. Thread: control.
 */
int port_bpf_load(struct app *app, const struct args *a, struct err *e);

/* Remove the program of a queue, if it has one. Errors: -ENODEV; -ERANGE. */
int port_bpf_unload(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e);

/* Removes all programs of a port before it is closed. */
extern const struct port_feature port_feature_bpf;
