/* Multiple Loss Ratio search (RFC 9971): which trial to run next, and what the trials say about each
 * goal. Pure functions of the trials so far; libc only. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trial offers a load for a time and has a loss ratio. A goal says which loss ratio is acceptable,
 * in which share of the time it may be exceeded, and how long trials have to be. Trials at one load
 * classify it for a goal: a lower bound (the system carries that load), an upper bound (it does not),
 * or undecided. The search ends when the relevant bounds of each goal are as close as its width.
 *
 * The relevant upper bound is the lowest upper bound; the relevant lower bound is the highest lower
 * bound below it. The rate that is reported for a goal is the conditional throughput at the relevant
 * lower bound.
 */
#pragma once

#include <stdbool.h>

struct mlr_goal {
	double loss;      /* acceptable ratio of lost packets, 0..1 */
	double exceed;    /* share of the time in which more may be lost, 0..1, below 1 */
	double width;     /* (upper bound - lower bound) / upper bound at the end of the search */
	double initial_s; /* duration of the first trials */
	double final_s;   /* duration of full-length trials; shorter ones count less */
	double sum_s;     /* sum of durations that decides about a load */
};

struct mlr_trial {
	double load;        /* packets per second that were asked for */
	double duration_s;  /* for which the load was offered */
	double effective_s; /* with the waiting before and after: the trial effective duration */
	double loss;        /* ratio of packets that were not sent, or lost */
	double unsent;      /* the part of loss that was not sent; for reports only */
};

enum mlr_class { MLR_UNDECIDED, MLR_LOWER, MLR_UPPER };

enum { MLR_GOALS_MAX = 4 };

/* A search. Zero it, set goals and loads, then alternate mlr_next() and mlr_add(). */
struct mlr {
	struct mlr_goal goal[MLR_GOALS_MAX];
	unsigned int n_goals;
	double min_load, max_load; /* packets per second, min_load above 0 */
	struct mlr_trial *trials;  /* sorted by load; freed by mlr_free() */
	unsigned int n, room;
	unsigned int steps[MLR_GOALS_MAX]; /* of the search for a bound that is missing */
	double current;                    /* load that is undecided; 0: none */
};

struct mlr_result {
	double lower, upper; /* relevant bounds; 0: there is none */
	double rate;         /* conditional throughput at the lower bound; 0 without one */
	bool done;           /* the bounds are close enough, or the lower one is the maximum load */
};

/* Classify a load for a goal. Source: RFC 9971, appendix "Load Classification Code". */
enum mlr_class mlr_classify(const struct mlr *m, const struct mlr_goal *g, double load);

/*
 * Return the conditional throughput at a load with trials. Source: RFC 9971, appendix "Conditional
 * Throughput Code".
 */
double mlr_conditional(const struct mlr *m, const struct mlr_goal *g, double load);

/* Return what is known about a goal. */
struct mlr_result mlr_result(const struct mlr *m, const struct mlr_goal *g);

/* The full-length trials at a load. */
struct mlr_evidence {
	unsigned int within, above; /* how many lost at most the goal's ratio, or more */
	/*
	 * Confidence, 0..1, that the system exceeds the goal's loss in less (at an upper bound: more)
	 * than the goal's share of the time: 1 minus the binomial probability of such trials if it
	 * did so in exactly that share, independently. NAN without trials, or if that share is 0.
	 */
	double confidence;
};

/* Return what the full-length trials at a load say. upper: it is the goal's upper bound. */
struct mlr_evidence mlr_evidence(const struct mlr *m, const struct mlr_goal *g, double load,
	bool upper);

/* Choose the next trial's load and duration. Returns false if every goal is reached. */
bool mlr_next(struct mlr *m, double *load, double *duration_s);

/* Add a finished trial. Returns false without memory. */
bool mlr_add(struct mlr *m, const struct mlr_trial *trial);

/*
 * Return about how many seconds the rest of the search takes, if each trial takes overhead_s beyond
 * its duration: the search goes on in a copy, on a system that carries what the trials so far
 * suggest. The more loads are decided, the nearer it is. NAN without memory, or after
 * MLR_LEFT_TRIALS trials, which would take long to go through.
 */
enum { MLR_LEFT_TRIALS = 300 };
double mlr_left(const struct mlr *m, double overhead_s);

/* Free the trials. */
void mlr_free(struct mlr *m);
