/* Memory that a port's driver may look at as long as the port is there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

struct err;
struct port;

/*
 * A copy of so many bytes, NULL: zeroes, that lasts until the port closes; some drivers keep the
 * pointers of what they were given. NULL with ENOMEM in e. Thread: control, all of this file.
 */
void *port_keep(struct port *p, const void *data, size_t bytes, struct err *e);

/* The port is closed: free all of it. */
void port_keep_free(struct port *p);
