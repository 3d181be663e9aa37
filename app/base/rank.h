/* The median of a few measurements and its confidence interval, from their ranks alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* All members are 0 without values. */
struct rank_median {
	double median, low, high;
	/*
	 * Confidence level of low..high: the probability that it contains the median of the values'
	 * distribution, whatever that is; 0 for one value.
	 */
	double cover;
	unsigned int n; /* number of values */
};

/*
 * Sort value[0..n) (no NaN) and return the narrowest interval, symmetric in ranks, that contains
 * the median with at least probability want, 0..1. The interval of the k-th value from each end has
 * probability 1 - 2 P(B < k) for B heads of n fair coins. If n is too small (five values for 0.95),
 * the interval is minimum to maximum and cover is its actual probability. Thread: any.
 */
struct rank_median rank_median(double *value, unsigned int n, double want);
