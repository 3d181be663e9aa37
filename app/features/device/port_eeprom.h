/* A port's EEPROM and that of the module in its cage: shown, and written at the operator's own
 * risk. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Answer show port P eeprom, or module_eeprom (module). JSON: {"port", "length", "eeprom":
 * "00FF..."}. Errors: -ENODEV no such port; -ENOMEM; what the driver returned. Thread: control, all
 * of this file.
 */
int port_eeprom_show(struct ports *ps, uint16_t id, bool module, struct err *e);

/*
 * Write the bytes that hex has (two digits each) at offset, in bytes. magic: what the driver wants
 * to see, so that nobody writes by accident. Errors: -ENODEV; -EINVAL no such digits; -ERANGE
 * beyond the end; what the driver returned.
 */
int port_eeprom_set(struct ports *ps, uint16_t id, uint32_t magic, const char *hex, uint32_t offset,
	struct err *e);
