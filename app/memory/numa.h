/* The NUMA socket of a port, its rings and its buffers, as --socket-num, --port-numa-config and
 * --ring-numa-config say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct settings;

/*
 * For the settings socket-num ("1"), port-numa-config ("(0,1),(1,0)") and ring-numa-config
 * ("(0,3,1)"): 0, or EINVAL, ENODEV with the bad word and what was expected. Thread: control, all
 * of this file.
 */
int numa_socket_check(const char *text, struct err *e);
int numa_ports_check(const char *text, struct err *e);
int numa_rings_check(const char *text, struct err *e);

/* The socket of everything without NUMA; else the one asked for for port id, -1: none was. */
int numa_port(const struct settings *settings, uint16_t id);

/* The socket asked for for the Rx or Tx rings of port id, -1: none was, or there is no NUMA. */
int numa_ring(const struct settings *settings, uint16_t id, bool rx);

/*
 * The socket that a port's queues and buffers live on: as numa_port() says, else the device's, else
 * the first lcore's.
 */
int numa_socket(const struct settings *settings, uint16_t id);

/* The sockets named by port and ring, or the only one without NUMA: 1 << socket each. */
uint64_t numa_sockets(const struct settings *settings);
