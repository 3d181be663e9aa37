/* Forward for a duration or a number of packets, with a progress line on a terminal. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct interrupt;
struct run;

/* The length of a run: n milliseconds, or n packets; or until the engine has sent everything. */
struct timed_length {
	uint64_t n;
	bool packets;
	bool done; /* n is not used */
};

/*
 * Parse the length after "for": "2s", "500ms", "1000packets", or a number with a separate unit
 * (NULL: none); without any unit, seconds. EINVAL, ERANGE: *bad becomes the bad word.
 */
int timed_read(const char *word, const char *unit, struct timed_length *to, const char **bad,
	struct err *e);

/*
 * Start, wait, stop, and print as these commands do. A packet limit counts the received packets of
 * all streams, up to one burst per stream more; for an engine that creates packets it is the exact
 * number sent. Without traffic it waits for a signal. An engine with ENGINE_ENDS may end it before. A signal on interrupt stops early and
 * remains pending, so that the caller ends too. Errors: as run_start(); ENOTSUP: a packet limit
 * in a secondary process, or an engine that does not end. Thread: control, for all of this file.
 */
int timed_run(struct run *r, struct interrupt *interrupt, const struct timed_length *length,
	struct err *e);

/*
 * As timed_run(), without printing. *cut: a signal stopped it early, or it did not begin; set
 * before the observer's end(). Not in a secondary process.
 */
int timed_silent(struct run *r, struct interrupt *interrupt, const struct timed_length *length,
	bool *cut, struct err *e);

#define TIMED_LEFT_BYTES 40

/*
 * Write ", about 21 s left" for a line of progress, with minutes from 100 s and hours from 100 min on;
 * "" if seconds is NAN. Returns to. Pure.
 */
const char *timed_left(double seconds, char to[TIMED_LEFT_BYTES]);

/*
 * Forward without a shell until a key, the end of stdin, or a signal. With a period, print port
 * statistics every period_s seconds until a signal. tx_first: each stream sends a burst before.
 * Errors: as run_start() and port_stats_period().
 */
int timed_alone(struct run *r, struct interrupt *interrupt, unsigned int period_s, bool tx_first,
	struct err *e);
