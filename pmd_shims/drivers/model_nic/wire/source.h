/* Packets that a port makes itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct traffic;

/*
 * Give packets of this port's generator or file to the driver, no faster than its rate. now_ns:
 * time of any monotonic clock, used only with a rate. Returns frames given.
 */
unsigned source_poll(struct traffic *t, uint64_t now_ns);

/* Mark the source as inactive, so that no packets become due meanwhile. */
void source_rest(struct traffic *t);

/* Give the packets of faults to the driver. Returns frames given. */
unsigned source_faults(struct traffic *t);
