/* Functions of net_ixgbe beyond ethdev: MACsec and bypass. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Turn MACsec on or off: encrypt transmitted packets and check received ones. replay_protect: drop
 * replayed packets. Errors of all functions: -ENODEV; -EBUSY the port is started; -ENOTSUP another
 * driver's port; the driver's error. Thread: control, for all of this file.
 */
int port_ixgbe_macsec_on(struct ports *ps, uint16_t id, bool encrypt, bool replay_protect,
	struct err *e);
int port_ixgbe_macsec_off(struct ports *ps, uint16_t id, struct err *e);

/* Set the secure channel for transmitted (tx) or received packets; number: its port, only for
 * rx. */
int port_ixgbe_macsec_channel(struct ports *ps, uint16_t id, bool tx,
	const struct rte_ether_addr *mac, uint16_t number, struct err *e);

#define PORT_IXGBE_KEY_BYTES 16

struct port_ixgbe_association {
	uint8_t index, number; /* 0 or 1; 0..3 */
	uint32_t packet;       /* next packet number */
	uint8_t key[PORT_IXGBE_KEY_BYTES];
};

/* Set a secure association for transmitted (tx) or received packets. */
int port_ixgbe_macsec_association(struct ports *ps, uint16_t id, bool tx,
	const struct port_ixgbe_association *with, struct err *e);

/* Initialize bypass on a stopped port. */
int port_ixgbe_bypass(struct ports *ps, uint16_t id, struct err *e);

/* Set the bypass mode: 0 normal, 1 bypass, 2 isolate. */
int port_ixgbe_bypass_mode(struct ports *ps, uint16_t id, uint32_t mode, struct err *e);

/*
 * Set the mode that an event selects. event: 0 none, 1 OS on, 2 power on, 3 OS off, 4 power off, 5
 * timeout. For 5 the watchdog gets the value of port_ixgbe_bypass_timeout().
 */
int port_ixgbe_bypass_event(struct ports *ps, uint16_t id, uint32_t event, uint32_t mode,
	struct err *e);

/* Set the watchdog timeout for the next event: 0: off, 1..7: 1.5, 2, 3, 4, 8, 16, 32 s. */
void port_ixgbe_bypass_timeout(struct ports *ps, uint32_t timeout);

/* Show bypass. JSON: {"port", "mode", "timeout", "events": [{"event", "mode"}]}. */
int port_ixgbe_bypass_show(struct ports *ps, uint16_t id, struct err *e);
