/* Lanes: the named generate streams, as they were described. Reads their words, and keeps them in a
 * table that outlives runs. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Users say "generate stream". In the code that would be confused with struct stream, a queue and its
 * lcore, so a described stream is a lane here: a description of traffic, a port that sends it, a rate,
 * and an end if it has one. The text of each word is kept as it was typed, and a change replaces single
 * words. So there is one reader for new, changed and restored lanes, and `save config` writes what was
 * typed.
 *
 * What a lane does in a run is in lane_run.h.
 */
#pragma once

#include "engines/common/pace.h"
#include "engines/measure/traffic/traffic_form.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct lanes_run;
struct out;
struct text;
struct words;

#define LANES_MAX 1024 /* of all ports */
#define LANE_NAME_BYTES 32
#define LANE_WORDS_MAX 48

/* A word of a lane and its value: "src" and "10.0.0.0/24 random". */
struct lane_word {
	const char *word; /* static */
	char *value;
};

struct lane {
	char name[LANE_NAME_BYTES];
	uint32_t serial; /* of this lane, never used again */
	struct lane_word words[LANE_WORDS_MAX];
	unsigned int n_words;
	bool has_port;
	uint16_t port; /* that sends it */
	struct pace_rate rate;
	struct pace_shape gaps;
	uint64_t count; /* packets; 0: no end */
	double seconds; /* 0: no end */
	double delay;   /* seconds from its begin to its first packet */
	bool on;        /* sends */
	bool latency;   /* percentiles of its latency are measured */
	struct traffic traffic;
};

/* What a line changes of a lane. */
struct lane_change {
	const char *fixed; /* its first word that cannot change during a run; NULL: all can */
	bool renews;       /* packets and time are counted anew */
	bool wakes;        /* a lane that has ended begins again */
};

/* All lanes, in the order in which they were added. Part of the configuration of generate and measure. */
struct lanes {
	struct lane *lane[LANES_MAX];
	unsigned int n;
	uint32_t serials;
	struct lanes_run *live; /* NULL: no run sends lanes now */
	struct lanes_run
		*last; /* of the current or last run that sent lanes; NULL: there is none */
	/* While live: let a lane of the run send as described in l. Errors: nothing has changed. */
	int (*change)(const struct lanes *all, const struct lane *l,
		const struct lane_change *change, struct err *e);
};

/*
 * Read words onto a lane, to the end of the text; a word that the lane has already gets the new value.
 * The traffic is not complete before lanes_set(). EINVAL, ERANGE: one line that names the bad word.
 * Thread: control, for all of this file.
 */
int lanes_read(struct lane *l, struct words *r, struct lane_change *change, struct err *e);

/* Forget the words of a lane that lanes_read() was called for. */
void lanes_clear(struct lane *l);

/*
 * Add a lane, or change the one of that name, also while a run sends it. After an error nothing has
 * changed. EINVAL, ERANGE: a word; ENODEV: no such port; ENOSPC: the table is full; EBUSY: not during a
 * run; ENOMEM.
 */
int lanes_set(struct lanes *all, const char *name, struct words *r, struct err *e);

/* Delete the lane of that name, or all with "all". ENOENT: there is none; EBUSY: a run sends lanes. */
int lanes_delete(struct lanes *all, const char *name, struct err *e);

/* Return the lane of that name; NULL: there is none. */
struct lane *lanes_find(const struct lanes *all, const char *name);

/* Check the name of a lane. EINVAL. */
int lanes_name_check(const char *name, struct err *e);

/* Append the words of a lane as `set generate stream NAME` takes them. */
void lanes_text(const struct lane *l, struct text *to);

/* Print the commands that restore all lanes. Returns how many. */
uint64_t lanes_save(const struct lanes *all, struct out *to);

/* Delete all lanes without a question, at the end of the program. */
void lanes_close(struct lanes *all);

/* Return whether runs of an engine send lanes. config: of the engine; NULL: it has none. */
static inline bool
lanes_chosen(const void *config)
{
	return config != NULL && ((const struct lanes *)config)->n > 0;
}

/*
 * Packets per second of a lane on a port with that line rate in bits per second, 0: unknown. Returns 0
 * for max, below 0 if it depends on an unknown line rate.
 */
static inline double
lane_pps(const struct lane *l, double line_bps)
{
	return pace_pps(&l->rate, l->traffic.size_mean, line_bps);
}
