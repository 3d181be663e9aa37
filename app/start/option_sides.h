/* Which words of the command line are EAL's and which are zcfwd's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct settings;

/* Words of either side, argv[0] in front of both; what they point at is the caller's argv. */
struct option_sides {
	char **eal, **own;
	int n_eal, n_own;
};

/*
 * Divide argv[0..argc): what stands right of "--" is zcfwd's, what stands left of it EAL's, but for
 * whole names of options that zcfwd has and EAL has not: those are taken from either side, with their
 * values. Errors: EINVAL left of "--": a name that neither has and that is nearly one of zcfwd's;
 * ENOMEM. Free with option_sides_free(). Thread: main.
 */
int option_sides_divide(const struct settings *settings, int argc, char **argv,
	struct option_sides *sides, struct err *e);
void option_sides_free(struct option_sides *sides);
