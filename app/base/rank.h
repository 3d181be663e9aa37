/* The median of a few measurements and an interval for it, from their ranks alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* All 0 without values. */
struct rank_median {
	double median, low, high;
	/*
	 * The probability that low..high holds the median of what the values were drawn from, whatever
	 * its distribution is; 0 for one value.
	 */
	double cover;
	unsigned int n; /* values */
};

/*
 * Sort value[0..n), numbers all, and take the narrowest pair of ranks, as many from either end, that
 * holds the median with at least the probability want, 0..1: by order statistics, 1 - 2 P(B < k) of
 * n coins for the k-th from either end. Where there is none, five values and want 0.95, it is least
 * and greatest, and cover says how much they hold. Thread: any.
 */
struct rank_median rank_median(double *value, unsigned int n, double want);
