/* Receive side scaling (RSS): hash types by name, hash key and redirection table; shown and
 * set. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;
struct ports;

/* The name of exactly these RTE_ETH_RSS_* bits as testpmd spells it ("ipv4-tcp", "ip"), or NULL. */
const char *port_rss_name(uint64_t types);

/* The bits of that name into *types. Returns false when there is no such name. */
bool port_rss_find(const char *name, uint64_t *types);

/* The n-th name, NULL past the last: for completion. */
const char *port_rss_name_at(unsigned int n);

/*
 * One name per bit of types, in lines of 64 characters at most; in JSON an array. Bits without a
 * name: user-defined-N.
 */
void port_rss_bits_show(struct out *o, const char *key, uint64_t types);

/*
 * Answer show port P rss-hash [key]. JSON: {"port", "rss_types": [...], "rss_key": "6D5A..."}, no
 * types: RSS is disabled. Errors: -ENODEV; -ENOTSUP the driver has no hash key; what the driver
 * returned. Thread: control.
 */
int port_rss_hash_show(struct ports *ps, uint16_t id, bool key, struct err *e);

/*
 * Answer show port P rss-hash algorithm. JSON: {"port", "rss_algorithm"}. Errors: as above; -ENOSYS
 * before DPDK 23.11.
 */
int port_rss_algorithm_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * The hash function, at once: "default", "simple_xor", "toeplitz", "symmetric_toeplitz" or
 * "symmetric_toeplitz_sort". Errors: as above; -EINVAL name; -ENOSYS before DPDK 24.03.
 */
int port_rss_algorithm_set(struct ports *ps, uint16_t id, const char *name, struct err *e);

/*
 * Answer show port P rss reta SIZE (MASK,...): one 64-bit mask per 64 entries says which of the
 * entries to show. size: 1 to the port's table size, at most 512. JSON: {"port", "reta":
 * [{"hash_index", "queue"}]}. Errors as above; -ERANGE size; -EINVAL masks.
 */
int port_rss_reta_show(struct ports *ps, uint16_t id, uint16_t size, const char *masks,
	struct err *e);

/*
 * Hash types of RSS by name, by number 1..63, "none", "default" or "level-inner"; acts at once on
 * every port.
 */
int port_rss_conf(struct ports *ps, const char *name, struct err *e);

/*
 * Change entries of the redirection table, at once: "(HASH,QUEUE)[,(HASH,QUEUE)]...". Says the
 * table's size first, as testpmd. Errors: -ENODEV; -ENOTSUP the driver has no table; -EINVAL text;
 * -ERANGE an index or queue beyond the table's and the port's; what the driver returned.
 */
int port_rss_reta_set(struct ports *ps, uint16_t id, const char *text, struct err *e);

/*
 * A new hash key, at once, in as many hexadecimal digits as the driver's key has. type: a name of
 * one hash type, for drivers with a key per type. Errors: -ENODEV; -ENOTSUP no key; -EINVAL type or
 * digits; what the driver returned.
 */
int port_rss_key_set(struct ports *ps, uint16_t id, const char *type, const char *hex,
	struct err *e);
