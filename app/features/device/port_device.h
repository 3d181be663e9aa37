/* The device behind a port: LED, loopback, speed lanes, EEPROM, representors, metadata and flags of sent packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct args;
struct err;
struct ports;

/*
 * Switch the LED of <port> on or off (<state>). Errors: -ENODEV no such port; the driver's error.
 * Thread: control, for all of this file.
 */
int port_link_led(struct ports *ps, const struct args *a, struct err *e);

/*
 * Set the loopback <mode> for the next start; 0: none, others are defined by the driver. <port>: a
 * port or PORT_ALL, stopped. Errors: -ENODEV; -EBUSY.
 */
int port_link_loopback(struct ports *ps, const struct args *a, struct err *e);

/* Show and write the EEPROM of a port, and show that of its plug-in module. */

/*
 * Show the EEPROM of <port>, or of its module (<what>: eeprom, module_eeprom). JSON: {"port",
 * "length", "eeprom": "00FF..."}. Errors: -ENODEV no such port; -ENOMEM; the driver's error.
 * Thread: control, for all of this file.
 */
int port_eeprom_show(struct ports *ps, const struct args *a, struct err *e);

/*
 * Write <value>, bytes in hex with two digits each, at <offset> (in bytes) of <port>. <magic>: the
 * number that the driver requires as a protection against accidental writes. Errors: -ENODEV;
 * -EINVAL not hexadecimal; -ERANGE beyond the end; the driver's error.
 */
int port_eeprom_set(struct ports *ps, const struct args *a, struct err *e);

/* Metadata (matched by flow rules) and dynamic mbuf flags of each transmitted packet. */

/*
 * Set the metadata of all packets that <port> transmits from now on to <value>, as matched by the
 * item META; 0: none. Errors: -ENODEV no such port; -ENOMEM; -ENOTSUP DPDK was built without
 * callbacks. Thread: control, for all of this file.
 */
int port_tx_mark_metadata(struct ports *ps, const struct args *a, struct err *e);

/* Show the metadata. JSON: {"port", "tx_metadata"}. Errors: -ENODEV. */
int port_tx_mark_metadata_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Set the dynamic mbuf <flag> in all packets that <port> transmits, or clear it (<what>). The
 * flag is registered if necessary. Errors: those of port_tx_mark_metadata(); -ENAMETOOLONG; -ENOSPC
 * no flag is free.
 */
int port_tx_mark_flag(struct ports *ps, const struct args *a, struct err *e);

/* Representors: the ports that a driver can create for functions of a device. */

/*
 * Show the driver's representor ranges. JSON: {"port", "controller", "pf", "ranges": [{"name",
 * "first", "last", "controller", "pf", "type", "function"}]}. Errors: -ENODEV no such port;
 * -ENOMEM; the driver's error. Thread: control.
 */
int port_representor_show(struct ports *ps, uint16_t id, struct err *e);
