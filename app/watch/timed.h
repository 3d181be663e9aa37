/* Forwarding for a while: a time, or a number of packets, with a progress line on a terminal. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;

/*
 * Start, wait ms milliseconds, stop. A signal on interrupt_fd stops early; it stays waiting, so the
 * caller ends. Errors: as forward_start(). Thread: control.
 */
int timed_ms(struct run *r, int interrupt_fd, uint64_t ms, struct err *e);

/*
 * The same until all streams together received n packets, and a burst per stream more at most; or
 * sent exactly n, for an engine that makes them. Without traffic it goes on until a signal.
 */
int timed_packets(struct run *r, int interrupt_fd, uint64_t n, struct err *e);

/*
 * Forward without a shell: until a key, the end of stdin, or a signal; with a period, show port
 * statistics every so many seconds until a signal. tx_first: each stream sends a burst before.
 * Errors: as forward_start() and port_stats_period().
 */
int timed_alone(struct run *r, int interrupt_fd, unsigned int period_s, bool tx_first,
	struct err *e);
