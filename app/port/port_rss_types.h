/* The types of packets that RSS tells apart, by testpmd's names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct out;

/* The name of exactly these RTE_ETH_RSS_* bits as testpmd spells it ("ipv4-tcp", "ip"), or NULL. */
const char *port_rss_name(uint64_t types);

/* Store the bits of a name in *types. Returns false if the name is unknown. */
bool port_rss_find(const char *name, uint64_t *types);

/* The n-th name, or NULL after the last, for completion. */
const char *port_rss_name_at(unsigned int n);

/*
 * Show one name per bit of types, in lines of at most 64 characters; in JSON an array. Bits without
 * a name: user-defined-N.
 */
void port_rss_bits_show(struct out *o, const char *key, uint64_t types);

/*
 * Show every name, including groups, whose bits are all in types. As in testpmd these lines may be
 * one character longer.
 */
void port_rss_groups_show(struct out *o, const char *key, uint64_t types);
