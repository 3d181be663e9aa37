/* Forwarding for a while: a time, or a number of packets, with a progress line on a terminal. */
#pragma once

#include <stdint.h>

struct err;
struct run;

/*
 * Start, wait ms milliseconds, stop. A signal on interrupt_fd stops early; it stays waiting, so the caller ends.
 * Errors: as run_start(). Thread: control.
 */
int timed_ms(struct run *r, int interrupt_fd, uint64_t ms, struct err *e);

/*
 * The same until all streams together received n packets (sent, for an engine that makes them); looked at every
 * millisecond, so what comes within that goes beyond n. Without traffic it goes on until a signal.
 */
int timed_packets(struct run *r, int interrupt_fd, uint64_t n, struct err *e);
