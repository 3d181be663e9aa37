/* Faults of drivers that lose buffers, or free them twice, when a port stops or closes: what can be
 * freed for them, and how many buffers the others may affect. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct pool_known;

#define CLOSE_FAULTS 4 /* faults that cannot be worked around */

/*
 * Free the packets that the driver of a stopped port would leak when the port is closed or removed:
 * their pools would lack them until the program ends. driver: its name; NULL: unknown. Thread:
 * control, for all of this file.
 */
void close_faults_free(uint16_t port, const char *driver);

/*
 * Add to counts, before a started port stops, the buffers that faults of its burst functions may
 * affect. rx, tx: descriptors of its queues.
 */
void close_faults_note(uint16_t port, const char *driver, uint64_t rx, uint64_t tx,
	uint64_t counts[CLOSE_FAULTS]);

/* Return how many buffers may be missing or freed twice by these counts, and why. */
struct pool_known close_faults_known(const uint64_t counts[CLOSE_FAULTS]);
