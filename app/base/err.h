/* A failure on its way to the operator: errno, text, column of the line. Filled where it happens,
 * passed on, printed once by the shell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err {
	int code;            /* positive errno value; 0: no failure */
	char text[512];      /* the whole message, no newline at the end */
	const char *verdict; /* literal that drivers of testpmd match ("Bad arguments"), or NULL */
	int column;          /* 0-based byte of the bad word in the line; -1: not known */
	char word[64];       /* the bad word, cut to fit; empty: not known */
	char expected[512];  /* what was expected in its place; empty: not known */
};

/* Forget any failure. Every chain of calls begins with a cleared err. */
void err_clear(struct err *e);

/*
 * Store a failure; the last one set wins. code: positive errno value.
 * Returns -code, so that a failing function can end with `return err_set(...)`.
 * e may be NULL: then only the return value matters.
 */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Put "context: " in front of a failure that is passed on. Returns -e->code. */
int err_context(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
