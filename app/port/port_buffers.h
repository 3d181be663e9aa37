/* Buffers that receive rings take from their pools when ports start. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct port;
struct ports;

/*
 * Warn about each pool that is too small for the present rings of all ports and the lcore caches,
 * with the number of missing buffers and how to add them. Thread: control.
 */
void port_buffers_warn(const struct ports *ps);

/*
 * Return -ENOMEM if the rings of the started ports and of the configured port p need more buffers
 * than a pool has. Checked before the start, because drivers leak buffers when a start fails.
 * Thread: control.
 */
int port_buffers_check(const struct ports *ps, const struct port *p, struct err *e);
