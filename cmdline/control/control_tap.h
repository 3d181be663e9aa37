/* zcfwd tap: packets of a running program's port, as pcapng. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct interrupt;
struct out;

/* What to tap, and where to. Words as they were typed; NULL: left out. */
struct control_tap_plan {
	const char *name; /* of the program, see control_connect() */
	const char *port;
	const char *ways; /* rx, tx or both */
	const char *snaplen;
	const char *filter;          /* libpcap's language */
	int to;                      /* a descriptor, never a terminal */
	struct interrupt *interrupt; /* ends it; opened by the caller */
};

/*
 * argv[0..argc) is [NAME] PORT [rx|tx|both] [snaplen N] [filter WORDS]: write the port's packets to
 * stdout until a signal, until their reader closes, until the port is closed or the program ends. Then
 * print the figures to out's failures. Returns 0, or -errno with e filled: EINVAL the arguments, or stdout is a
 * terminal; those of control_tap_run(). Thread: main, for all of this file.
 */
int control_tap(int argc, char **argv, struct out *out, struct err *e);

/*
 * Do that for a plan. Errors: those of control_connect() and of mkdtemp(3); EPROTO the program refuses,
 * with its message; EPIPE the program ended; those of write(2), but not
 * EPIPE.
 */
int control_tap_run(const struct control_tap_plan *plan, struct out *out, struct err *e);

/* Ask whether a filter is right. Errors: as control_tap_run(). */
int control_tap_check(const struct control_tap_plan *plan, struct err *e);
