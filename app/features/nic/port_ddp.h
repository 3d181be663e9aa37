/* Dynamic device personalization (DDP): profiles with which Intel cards recognize more packet
 * types. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct app;
struct args;
struct err;
struct ports;

/*
 * Handler: load a profile from a file; FILE,BACKUP: also write the data that undoes it to the file
 * BACKUP. A package is first checked, so that net_i40e accesses no memory outside it. Errors of all
 * functions: -ENODEV; -EBUSY a port is started; -ENOTSUP another driver's port; errors of the
 * files; the driver's error. Thread: control, for all of this file.
 */
int port_ddp_add(struct app *app, const struct args *a, struct err *e);

/* Handler: unload a profile, using the backup file that was written when it was loaded. */
int port_ddp_del(struct app *app, const struct args *a, struct err *e);

/* List the profiles of a port. JSON: {"profiles": [{"track_id", "version", "name"}]}. */
int port_ddp_list(struct ports *ps, uint16_t id, struct err *e);

/*
 * Handler: show the contents of a profile's file. JSON: {"global": {...}, "profile": {...},
 * "notes", "devices": [], "protocols": [], "pctypes": [], "ptypes": []}, without absent parts.
 */
int port_ddp_info(struct app *app, const struct args *a, struct err *e);
