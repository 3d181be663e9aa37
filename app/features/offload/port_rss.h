/* Show and set receive side scaling (RSS): hash types, hash key, redirection table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "port/port_rss_types.h"

#include <stdint.h>

struct args;
struct err;
struct ports;

/*
 * Show the hash types of <port> and, if <key> was given, the key. JSON: {"port", "rss_types":
 * [...], "rss_key": "6D5A..."}; no types: RSS is disabled. Errors of all functions: -ENODEV;
 * -ENOTSUP the driver has no hash key; the driver's error. Thread: control, for all of this file.
 */
int port_rss_hash_show(struct ports *ps, const struct args *a, struct err *e);

/*
 * Show the hash function. JSON: {"port", "rss_algorithm"}. Further error: -ENOSYS before DPDK
 * 23.11.
 */
int port_rss_algorithm_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Set the hash function of <port> to <algorithm>: "default", "simple_xor", "toeplitz",
 * "symmetric_toeplitz" or "symmetric_toeplitz_sort". Further errors: -EINVAL name; -ENOSYS before
 * DPDK 24.03.
 */
int port_rss_algorithm_set(struct ports *ps, const struct args *a, struct err *e);

/*
 * Show entries of the redirection table of <port>: one 64-bit mask per 64 entries in <masks>,
 * "(MASK,...)", selects the entries. <size>: 1 to the port's table size, at most 512. JSON:
 * {"port", "reta": [{"hash_index", "queue"}]}. Further errors: -ERANGE size; -EINVAL masks.
 */
int port_rss_reta_show(struct ports *ps, const struct args *a, struct err *e);

/*
 * Set the hash types of all ports to <types>: a name, a number 1..63, "none", "default" or
 * "level-inner". Takes effect immediately.
 */
int port_rss_conf(struct ports *ps, const struct args *a, struct err *e);

/*
 * Change <entries> of the redirection table of <port>: "(HASH,QUEUE)[,(HASH,QUEUE)]...". Prints the
 * table's size first, as testpmd does. Errors: -ENODEV; -ENOTSUP the driver has no table; -EINVAL
 * text; -ERANGE index or queue; the driver's error.
 */
int port_rss_reta_set(struct ports *ps, const struct args *a, struct err *e);

/*
 * Set the hash <key> of <port>, in hexadecimal with the length of the driver's key. <type>: name of
 * a hash type, for drivers with a key per type. Errors: -ENODEV; -ENOTSUP no key; -EINVAL type or
 * digits; the driver's error.
 */
int port_rss_key_set(struct ports *ps, const struct args *a, struct err *e);
