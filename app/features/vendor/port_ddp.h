/* Profiles of dynamic device personalization, by which cards of Intel's know more packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Load a profile from a file; backup: what undoes it goes into that file, NULL: nowhere. Errors of
 * all: -ENODEV; -EBUSY while a port is started; -ENOTSUP another driver's port; of the files; what
 * the driver returned. Thread: control, all of this file.
 */
int port_ddp_add(struct ports *ps, uint16_t id, const char *path, const char *backup,
	struct err *e);

/* Take a profile away, by the file that was written when it was loaded. */
int port_ddp_del(struct ports *ps, uint16_t id, const char *path, struct err *e);

/* Profiles of a port. JSON: {"profiles": [{"track_id", "version", "name"}]}. */
int port_ddp_list(struct ports *ps, uint16_t id, struct err *e);

/*
 * What a profile's file is about. JSON: {"global": {...}, "profile": {...}, "notes", "devices": [],
 * "protocols": [], "pctypes": [], "ptypes": []}, what of it is there.
 */
int port_ddp_info(struct ports *ps, const char *path, struct err *e);
