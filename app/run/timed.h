/* Forwarding for a while: a time, or a number of packets, with a progress line on a terminal. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;

/* How long a run is: n milliseconds, or n packets. */
struct timed_length {
	uint64_t n;
	bool packets;
};

/*
 * What stands behind "for": "2s", "500ms", "1000packets", or a number whose unit stands apart, NULL
 * where none does; seconds, where there is no unit. EINVAL, ERANGE: *bad is the word at fault.
 */
int timed_read(const char *word, const char *unit, struct timed_length *to, const char **bad,
	struct err *e);

/*
 * Start, wait, stop, and show it all. Packets: until all streams together received so many, and a
 * burst per stream more at most; or sent exactly so many, for an engine that makes them. Without
 * traffic that goes on until a signal. A signal on interrupt_fd stops early; it stays waiting, so
 * the caller ends. Errors: as forward_start(); ENOTSUP for packets in a secondary process. Thread:
 * control, all of this file.
 */
int timed_run(struct run *r, int interrupt_fd, const struct timed_length *length, struct err *e);

/*
 * The same, and nothing is shown. *cut: a signal stopped it early, or it did not begin; known before
 * those who watch runs are told of its end. Not in a secondary process.
 */
int timed_silent(struct run *r, int interrupt_fd, const struct timed_length *length, bool *cut,
	struct err *e);

/*
 * Forward without a shell: until a key, the end of stdin, or a signal; with a period, show port
 * statistics every so many seconds until a signal. tx_first: each stream sends a burst before.
 * Errors: as forward_start() and port_stats_period().
 */
int timed_alone(struct run *r, int interrupt_fd, unsigned int period_s, bool tx_first,
	struct err *e);
