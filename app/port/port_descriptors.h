/* Choose the number of descriptors of a queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct port;
struct ports;
struct rte_eth_desc_lim;
struct settings;

/* The bytes that a CPU reads of the buffers of an Rx ring and a Tx ring with n descriptors each. */
uint64_t port_descriptors_bytes(uint16_t n);

/*
 * Return the number of descriptors for "auto": the largest power of two from 256 to 1024 with which
 * the buffers of an Rx ring and a Tx ring fit in half of the L2 cache.
 * Returns usual, the driver's default, if that is not larger, if the size of the cache is unknown
 * (0), or if the limits are none (net_null) or exclude the number. Pure.
 */
uint16_t port_descriptors_by_cache(uint64_t l2_bytes, uint16_t usual,
	const struct rte_eth_desc_lim *limits);

/* Return the number of the setting rxd or txd; 0: the driver's default, or "auto". */
uint16_t port_descriptors_set(const struct settings *settings, bool rx);

/* Return whether the setting rxd or txd is "auto". */
bool port_descriptors_auto(const struct settings *settings, bool rx);

/*
 * Return the number of descriptors that "auto" chooses for a port's queues, whatever the setting
 * is: that of port_descriptors_by_cache(), or the driver's default if a threshold of the user may
 * need a larger ring.
 */
uint16_t port_descriptors_fitting(const struct port *p, bool rx);

/*
 * Return the number of descriptors to request from the driver for a queue; 0: the driver's or
 * ethdev's default.
 */
uint16_t port_descriptors_asked(const struct port *p, bool rx, uint16_t queue);

/* Return the number of descriptors of a queue by the present settings and the defaults. */
uint16_t port_descriptors_of(const struct port *p, bool rx, uint16_t queue);

/*
 * Return the number of descriptors of the port's first queue if the user did not set it; 0: set, or
 * the driver has no ring.
 */
uint16_t port_descriptors_default(const struct port *p, bool rx);

/* The rings of a port's first queues, and what the L2 cache suggests. */
struct port_rings {
	uint16_t rxd, txd;           /* descriptors; 0: the driver has no ring */
	uint16_t rxd_auto, txd_auto; /* those that "auto" chooses */
	uint64_t kib, l2_kib;        /* of the buffers; of a CPU's L2 cache, 0: unknown */
	bool large;                  /* buffers exceed half of L2, and "auto" chooses fewer */
};

/* Return the rings of a port by the present settings. */
struct port_rings port_rings_of(const struct port *p);

#define PORT_RINGS_ADVICE 64

/* Write "--rxd=auto --txd=auto chooses 1024 and 512" about the rings for which "auto" chooses less. */
void port_rings_advise(const struct port_rings *r, char advice[PORT_RINGS_ADVICE]);

/*
 * Return the number of Rx and Tx descriptors of all queues of all ports by the present settings:
 * the pools must have at least that many buffers.
 */
uint64_t port_descriptors(const struct ports *ps);
