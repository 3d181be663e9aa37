/* Settings (--burst=64, set burst 64): one row gives option, command, bounds, default and manual
 * text; one store holds the values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct text;

enum setting_kind {
	SETTING_UINT,   /* min..max in unit */
	SETTING_BOOL,   /* off 0, on 1 */
	SETTING_CHOICE, /* one of choices, stored as its index */
	SETTING_TEXT,   /* anything that check() lets pass */
};

enum setting_when {
	SETTING_START,     /* taken at the next start */
	SETTING_NOW,       /* acts at once, also while forwarding */
	SETTING_CONFIGURE, /* taken when ports are configured; ports must be stopped to change it */
};

/*
 * The choices of a row: SETTING_CHOICES("wait", "drop"), or SETTING_CHOICES([MODE_IO] = "io", ...).
 */
#define SETTING_CHOICES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* In place of words or option: there is none. */
#define SETTING_NONE ""

/*
 * All that there is to say of a setting; what a row leaves out is 0 or NULL, which is the usual.
 *   { .name = "extbuf-touch", .unit = "bytes", .max = UINT16_MAX, .help = "..." }
 * is --extbuf-touch=N, `set extbuf-touch N`, a number from 0, which is the default, to 65535, taken
 * at the next start.
 */
struct setting {
	const char *name; /* "pipeline-mode": in show settings, recordings, telemetry; unique */
	/*
	 * "pipeline mode" of `set pipeline mode VALUE`; NULL: the name; SETTING_NONE: there is no
	 * such command, or one of its own, as it takes or says more.
	 */
	const char *words;
	const char *option;   /* "burst" of --burst=VALUE; NULL: the name; or SETTING_NONE */
	const char *formerly; /* a name it had: option and command still take it; NULL: none */
	const char *unit;     /* "packets"; NULL: none */
	const char *help;     /* one line */
	const char *const *choices; /* SETTING_CHOICE only: words, then NULL */
	const char *text;           /* default of SETTING_TEXT; NULL: "" */
	const char *bare;           /* value of an option without one; NULL: it must have one */
	const char *example;        /* a value for the manual and its test; NULL: the default */
	/*
	 * Of SETTING_TEXT, and of a SETTING_UINT that is within its bounds, 0x10 or 16 as it was
	 * typed: 0, or -errno with e filled; NULL: all is fine.
	 */
	int (*check)(const char *text, struct err *e);
	uint64_t min, max, value; /* bounds and default */
	enum setting_kind kind;
	enum setting_when when;
};

/* What makes the command `set WORDS VALUE` and the option --NAME of a row; NULL: there is none. */
const char *setting_words(const struct setting *row);
const char *setting_option(const struct setting *row);

struct settings;

/*
 * Call changed with ctx whenever a setting gets a value, the same one too, by its name and after
 * the fact; NULL: no longer. One at a time.
 */
void settings_watch(struct settings *s, void (*changed)(void *ctx, const char *name), void *ctx);

/*
 * Whether a new value of that setting waits for the next start of forwarding. name must exist.
 */
bool setting_waits(const struct settings *s, const char *name);

/*
 * Keep all values as what a run goes by: setting_of_run() gives them until the next call. Thread:
 * control.
 */
void settings_keep(struct settings *s);

/*
 * Keep all values as those that the program begins with, its options included, for setting_begun().
 * Thread: control.
 */
void settings_begin(struct settings *s);

/*
 * Whether the value is the one that settings_begin() kept; false if memory was short then. name must
 * exist.
 */
bool setting_begun(const struct settings *s, const char *name);

/*
 * From now on apply(ctx, e) makes a new value of that setting act, before setting_parse() and its
 * like return; it reads the value itself. Where it fails, they fail with what it says and the value
 * is what it was. name must exist. Thread: that of who sets.
 */
void setting_apply_by(struct settings *s, const char *name, int (*apply)(void *ctx, struct err *e),
	void *ctx);

/*
 * An empty store; NULL when memory is short. Free with settings_free(). Thread: control, all of
 * this file.
 */
struct settings *settings_new(void);

/* Free the store and its values; NULL is fine. */
void settings_free(struct settings *s);

/*
 * Add rows with their defaults; rows stay the caller's. Fails with EEXIST when a name is taken,
 * ENOMEM.
 */
int settings_add(struct settings *s, const struct setting *rows, size_t n, struct err *e);

/* The row of that name; NULL when there is none. */
const struct setting *setting_find(const struct settings *s, const char *name);

/*
 * The word of choice number which, whatever the value is: for those who keep the number that they
 * began with. name must exist and be a SETTING_CHOICE. It lives as long as the row.
 */
const char *setting_choice(const struct settings *s, const char *name, uint64_t which);

/* Add the choices of a row to a text: "off|on|rand". */
void setting_choices_add(struct text *t, const struct setting *row);

/* Row by number, in the order added; NULL past the end. */
const struct setting *setting_at(const struct settings *s, size_t i);

/*
 * Give a setting the value that word spells. ERANGE with the bounds and unit, EINVAL for words that
 * are no value, ENOENT for an unknown name, what setting_apply_by()'s function says; then the value
 * stays as it was.
 */
int setting_parse(struct settings *s, const char *name, const char *word, struct err *e);

/* Give a number; bounds as above. */
int setting_set(struct settings *s, const char *name, uint64_t value, struct err *e);

/* Check only: what setting_parse() would say of the word. */
int setting_check(const struct settings *s, const char *name, const char *word, struct err *e);

/* The value; name must exist and be of that kind (a bug otherwise). */
uint64_t setting_u64(const struct settings *s, const char *name);
bool setting_on(const struct settings *s, const char *name);
const char *setting_text(const struct settings *s, const char *name);

/*
 * The value as word, as setting_parse() takes it. buf: at least 32 bytes, for SETTING_UINT.
 * Returns buf or the word, which lives until the next value.
 */
const char *setting_word(const struct settings *s, const char *name, char *buf, size_t bytes);

/*
 * Number and word of setting i at this moment; a text is cut to bytes. Returns its row, NULL past
 * the end. Thread: any, once all rows are added.
 */
const struct setting *setting_copy(struct settings *s, size_t i, uint64_t *number, char *word,
	size_t bytes);

/*
 * As setting_copy(), of the value that the current or last run goes by: what settings_keep() kept,
 * or what it is now, for settings that act at once and before the first run.
 */
const struct setting *setting_of_run(struct settings *s, size_t i, uint64_t *number, char *word,
	size_t bytes);

/* True when the value is the default. name must exist. */
bool setting_is_default(const struct settings *s, const char *name);

/* Whether these, as setting_copy() and setting_of_run() give them, are the default of a row. */
bool setting_defaults_to(const struct setting *row, uint64_t number, const char *text);

/* Back to the default. */
void setting_reset(struct settings *s, const char *name);
