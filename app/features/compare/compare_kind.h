/* Kinds of lists of compare: how their values are checked, offered and used. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct err;
struct offers;
struct run;
struct setting;

/* A list that is no setting, such as engines=io,mac, or all lists of settings of one kind. */
struct compare_kind {
	const char *word; /* in the command; NULL: the setting's name */
	const char *name; /* in tables and recordings */
	const char *help;
	bool ports;  /* ports are stopped while it is changed */
	bool number; /* its values are numbers; settings know theirs */
	/* Check a value. NULL: it is one of those that offer() offers, or nothing is offered. */
	int (*check)(const struct run *r, const struct setting *s, const char *value,
		struct err *e);
	/* Offer the values, each with before in front. NULL: any number. */
	void (*offer)(const struct run *r, const struct setting *s, struct offers *o,
		const char *before);
	/* Whether the value is in use already. */
	bool (*is)(const struct run *r, const struct setting *s, const char *value);
	/* Use a value from the next run on. choice: that before the comparison. */
	int (*use)(struct run *r, const struct setting *s, const struct plan_choice *choice,
		const char *value, struct err *e);
};

/*
 * Find what a list of that name varies, and the setting; *setting is NULL for lists that are none.
 * Returns NULL if there is no such list, with why if the setting exists. Thread: control, all of this
 * file.
 */
const struct compare_kind *compare_kind_find(const struct run *r, const char *name,
	const struct setting **setting, const char **why);

/* Offer the names of all lists, each followed by end. */
void compare_kind_names(const struct run *r, struct offers *o, const char *end);

enum { COMPARE_KIND_SETTINGS = 2 /* that one list changes, at most */ };

/* Store the names of the settings that a list changes. Returns their number, 0 if there are none. */
size_t compare_kind_settings(const struct compare_kind *kind, const struct setting *s,
	const char *names[COMPARE_KIND_SETTINGS]);

/* Return whether a setting has the value of a word. */
bool compare_kind_is_set(const struct run *r, const char *setting, const char *word);
