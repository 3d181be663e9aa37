/* Samples of one quantity: quantiles, and the ratio of two quantities that were sampled in turn. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* All zero: empty. */
struct spread {
	double *value;
	size_t n, room;
};

/* Take one more sample. false: no memory, nothing changed. */
bool spread_add(struct spread *s, double value);

/* Forget the samples, keep the memory; give the memory back. */
void spread_clear(struct spread *s);
void spread_free(struct spread *s);

/* The quantile q, 0..1, between the closest ranks; 0 without samples. Sorts them. */
double spread_quantile(struct spread *s, double q);

/* 0 without samples. */
double spread_mean(const struct spread *s);

/* A ratio and its quartiles over the pairs; pairs 0: all are 0. */
struct spread_ratio {
	double median, low, high;
	size_t pairs;
};

/* over[i] / under[i] of n pairs, those that lack a side (0) left out. false: no memory. */
bool spread_ratio(const double *over, const double *under, size_t n, struct spread_ratio *ratio);
