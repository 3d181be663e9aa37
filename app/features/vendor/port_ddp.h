/* Dynamic device personalization (DDP): profiles with which Intel cards recognize more packet
 * types. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct ports;

/* Check that net_i40e can read a DDP package without accessing memory outside it. */

/*
 * Load a profile from a file; backup: file for the data that undoes it, NULL: none. Errors of all
 * functions: -ENODEV; -EBUSY a port is started; -ENOTSUP another driver's port; errors of the
 * files; the driver's error. Thread: control, for all of this file.
 */
int port_ddp_add(struct ports *ps, uint16_t id, const char *path, const char *backup,
	struct err *e);

/* Unload a profile, using the backup file that was written when it was loaded. */
int port_ddp_del(struct ports *ps, uint16_t id, const char *path, struct err *e);

/* List the profiles of a port. JSON: {"profiles": [{"track_id", "version", "name"}]}. */
int port_ddp_list(struct ports *ps, uint16_t id, struct err *e);

/*
 * Show the contents of a profile's file. JSON: {"global": {...}, "profile": {...}, "notes",
 * "devices": [], "protocols": [], "pctypes": [], "ptypes": []}, without absent parts.
 */
int port_ddp_info(struct ports *ps, const char *path, struct err *e);
