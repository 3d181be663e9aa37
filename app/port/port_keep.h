/* Memory that a port's driver may read until the port is closed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

struct err;
struct port;

/*
 * Return a copy of data (NULL: zeroes), bytes long, that is valid until the port closes: some
 * drivers keep pointers to their arguments. Returns NULL with ENOMEM in e. Thread: control, all of
 * this file.
 */
void *port_keep(struct port *p, const void *data, size_t bytes, struct err *e);

/* Free all copies of a closed port. */
void port_keep_free(struct port *p);
