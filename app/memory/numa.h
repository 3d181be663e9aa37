/* The NUMA socket of a port, its rings and its buffers, from --socket-num, --port-numa-config and
 * --ring-numa-config; the sizes of the CPU's caches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct settings;

/*
 * Check a value of the settings socket-num ("1"), port-numa-config ("(0,1),(1,0)") and
 * ring-numa-config ("(0,3,1)"). EINVAL: syntax; ENODEV: no such port or socket. Thread: control,
 * for all of this file.
 */
int numa_socket_check(const char *text, struct err *e);
int numa_ports_check(const char *text, struct err *e);
int numa_rings_check(const char *text, struct err *e);

/* Return the configured socket of port id, -1: none; without NUMA, the only socket. */
int numa_port(const struct settings *settings, uint16_t id);

/* Return the configured socket of the Rx or Tx rings of port id, -1: none, or no NUMA. */
int numa_ring(const struct settings *settings, uint16_t id, bool rx);

/*
 * Return the socket of a port's queues and buffers: from numa_port(), else the device's, else the
 * first lcore's.
 */
int numa_socket(const struct settings *settings, uint16_t id);

/*
 * Return the configured sockets of ports and rings, or the only one without NUMA: 1 << socket each.
 */
uint64_t numa_sockets(const struct settings *settings);

/* Return the size of this CPU's cache of level 2 or 3 in bytes; 0: unknown. Thread: any. */
uint64_t numa_cache_bytes(unsigned int level);
