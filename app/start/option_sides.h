/* Split the command line into EAL's and zcfwd's options. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct settings;

/* Options of both sides, each starting with argv[0]; the strings belong to the caller's argv. */
struct option_sides {
	char **eal, **own;
	int n_eal, n_own;
};

/*
 * Split argv[0..argc): words after "--" are zcfwd's, words before it EAL's, except complete names
 * of options that only zcfwd has, with their values. Errors: EINVAL an unknown name before "--"
 * that is similar to one of zcfwd's; ENOMEM. Free with option_sides_free(). Thread: main.
 */
int option_sides_divide(const struct settings *settings, int argc, char **argv,
	struct option_sides *sides, struct err *e);
void option_sides_free(struct option_sides *sides);
