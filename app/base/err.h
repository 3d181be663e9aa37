/* A failure: errno, message, column in the command line. The failing function fills it, callers
 * pass it on, and the shell prints it once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err {
	int code;            /* positive errno value; 0: no failure */
	char text[512];      /* the whole message, without a newline */
	const char *verdict; /* testpmd's line, which scripts match ("Bad arguments"), or NULL */
	int column;          /* byte offset of the bad word in the line, from 0; -1: unknown */
	char word[64];       /* the bad word, truncated; empty: unknown */
	char expected[512];  /* what was expected instead; empty: unknown */
};

/* Clear any failure. Clear e before the first call that takes it. */
void err_clear(struct err *e);

/*
 * Store a failure, replacing an earlier one. code: a positive errno value. Returns -code, so that a
 * failing function can end with `return err_set(...)`. e may be NULL: a caller that needs no reason
 * passes NULL to a function whose result does not come from *e, such as setting_set(), extmem_find()
 * or record_stop(). A function with `return -e->code` does not accept NULL.
 */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Prefix the failure's message with "context: ". Returns -e->code; 0 if there is no failure. */
int err_context(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
