/* Packets that a port makes itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct traffic;

/*
 * Let this port's own source, generator or file, give what it has, no faster than its rate. now_ns:
 * of any clock that goes on; only a rate wants it. Returns frames given.
 */
unsigned source_poll(struct traffic *t, uint64_t now_ns);

/* The source rests: time that passes earns nothing. */
void source_rest(struct traffic *t);

/* Give the packets that faults ask for. Returns frames given. */
unsigned source_faults(struct traffic *t);
