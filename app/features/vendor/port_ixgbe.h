/* What net_ixgbe has beyond ethdev: MACsec and bypass. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Encrypt what a stopped port sends and check what it receives, or no longer. replay_protect: drop
 * packets that come a second time. Errors of all: -ENODEV; -EBUSY the port is started; -ENOTSUP
 * another driver's port; what the driver returned. Thread: control, all of this file.
 */
int port_ixgbe_macsec_on(struct ports *ps, uint16_t id, bool encrypt, bool replay_protect,
	struct err *e);
int port_ixgbe_macsec_off(struct ports *ps, uint16_t id, struct err *e);

/* The secure channel of packets sent, or of those received; number: its port, of the latter. */
int port_ixgbe_macsec_channel(struct ports *ps, uint16_t id, bool tx,
	const struct rte_ether_addr *mac, uint16_t number, struct err *e);

#define PORT_IXGBE_KEY_BYTES 16

struct port_ixgbe_association {
	uint8_t index, number; /* 0 or 1; 0..3 */
	uint32_t packet;       /* number of the next one */
	uint8_t key[PORT_IXGBE_KEY_BYTES];
};

/* A secure association of packets sent, or of those received. */
int port_ixgbe_macsec_association(struct ports *ps, uint16_t id, bool tx,
	const struct port_ixgbe_association *with, struct err *e);

/* Make bypass ready on a stopped port. */
int port_ixgbe_bypass(struct ports *ps, uint16_t id, struct err *e);

/* mode: 0 normal, 1 bypass, 2 isolate. */
int port_ixgbe_bypass_mode(struct ports *ps, uint16_t id, uint32_t mode, struct err *e);

/*
 * The mode that an event leads to. event: 0 none, 1 OS on, 2 power on, 3 OS off, 4 power off, 5
 * timeout, which then is that of port_ixgbe_bypass_timeout().
 */
int port_ixgbe_bypass_event(struct ports *ps, uint16_t id, uint32_t event, uint32_t mode,
	struct err *e);

/* Of the watchdog, for the next event: 0 off, 1: 1.5 s, 2, 3, 4, 8, 16, 7: 32 s. */
void port_ixgbe_bypass_timeout(struct ports *ps, uint32_t timeout);

/* JSON: {"port", "mode", "timeout", "events": [{"event", "mode"}]}. */
int port_ixgbe_bypass_show(struct ports *ps, uint16_t id, struct err *e);
