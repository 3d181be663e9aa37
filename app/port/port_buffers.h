/* Buffers that receive rings take from their pools when ports start. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct port;
struct ports;

/*
 * Warn about each pool that is too small for the rings of all ports as they are set now, with lcores'
 * caches: how many buffers are missing, and how to get them. Thread: control.
 */
void port_buffers_warn(const struct ports *ps);

/*
 * ENOMEM if the rings of the started ports and of p, which is configured, need more buffers than a pool
 * has: drivers keep some of them when a start fails. Thread: control.
 */
int port_buffers_check(const struct ports *ps, const struct port *p, struct err *e);
