/* Show and write the EEPROM of a port, and show that of its plug-in module. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Show the EEPROM of the port, or of its module. JSON: {"port", "length", "eeprom": "00FF..."}.
 * Errors: -ENODEV no such port; -ENOMEM; the driver's error. Thread: control, for all of this file.
 */
int port_eeprom_show(struct ports *ps, uint16_t id, bool module, struct err *e);

/*
 * Write bytes, hex with two digits each, at offset (in bytes). magic: the number that the driver
 * requires as a protection against accidental writes. Errors: -ENODEV; -EINVAL not hexadecimal;
 * -ERANGE beyond the end; the driver's error.
 */
int port_eeprom_set(struct ports *ps, uint16_t id, uint32_t magic, const char *hex, uint32_t offset,
	struct err *e);
