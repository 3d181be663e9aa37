/* What doctor found: a list of findings, each with its source and how to change it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

enum {
	DOCTOR_TEXT = 240,
	DOCTOR_SOURCE = 128,
};

enum doctor_verdict {
	DOCTOR_OK,
	DOCTOR_SPOILS,
	DOCTOR_UNKNOWN, /* this host does not tell */
	DOCTOR_FAILS,   /* a port cannot be opened, or cannot forward */
	DOCTOR_WARNING, /* nothing is wrong, but it may be unexpected */
};

struct doctor_finding {
	const char *check;
	enum doctor_verdict verdict;
	char found[DOCTOR_TEXT];
	char change[DOCTOR_TEXT];   /* how to change it; empty: nothing to change */
	char source[DOCTOR_SOURCE]; /* file or function that shows it; empty: that of the check */
};

/* All zero: empty. Free list. */
struct doctor_findings {
	struct doctor_finding *list;
	unsigned int n, room;
	unsigned int n_checks; /* with one finding or several each */
	const char *check;     /* of the findings that are added */
	bool cut;              /* out of memory: findings are missing */
	struct doctor_finding spare;
};

/*
 * Add a finding of the current check. Returns it, valid until the next one is added; without memory
 * one that is not in the list. Thread: the list's owner, all of this file.
 */
struct doctor_finding *doctor_finding_add(struct doctor_findings *list, enum doctor_verdict verdict,
	const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Set how to change it. */
void doctor_finding_change(struct doctor_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Set the file or the function that shows it. */
void doctor_finding_source(struct doctor_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The word of a verdict: "ok", "spoils", "unknown", "fails" or "warning". */
const char *doctor_finding_word(enum doctor_verdict verdict);
