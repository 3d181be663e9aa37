/* Settings (--burst=64, set burst 64): a row defines the option, command, bounds, default and help
 * of each; one store holds the values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct text;
struct words;

enum setting_kind {
	SETTING_UINT,   /* min..max in unit */
	SETTING_BOOL,   /* off 0, on 1 */
	SETTING_CHOICE, /* one of choices, stored as its index */
	SETTING_TEXT,   /* any text that check() accepts */
};

enum setting_when {
	SETTING_START,     /* takes effect at the next start */
	SETTING_NOW,       /* takes effect at once, also while forwarding */
	SETTING_CONFIGURE, /* takes effect when ports are configured; needs stopped ports */
};

/*
 * Initialise the choices of a row: SETTING_CHOICES("wait", "drop"), or SETTING_CHOICES([MODE_IO] =
 * "io", ...).
 */
#define SETTING_CHOICES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* As words or option of a row: there is no such command or option. */
#define SETTING_NONE ""

/*
 * The definition of a setting; omitted members are 0 or NULL, the usual case.
 *   { .name = "extbuf-touch", .unit = "bytes", .max = UINT16_MAX, .help = "..." }
 * defines --extbuf-touch=N and `set extbuf-touch N`: a number from 0 (the default) to 65535, which
 * takes effect at the next start.
 */
struct setting {
	const char *name; /* "pipeline-mode": in show settings, recordings, telemetry; unique */
	/*
	 * "pipeline mode" of `set pipeline mode VALUE`; NULL: the name; SETTING_NONE: there is no
	 * such command, or a separate one that takes more arguments or prints more.
	 */
	const char *words;
	const char *option;         /* "burst" of --burst=VALUE; NULL: the name; or SETTING_NONE */
	const char *unit;           /* "packets"; NULL: none */
	const char *help;           /* one line */
	const char *const *choices; /* SETTING_CHOICE only: words, then NULL */
	const char *text;           /* default of SETTING_TEXT; NULL: "" */
	/*
	 * Whose limit max is, and what helps: "RTE_MAX_... of this DPDK; ..."; ends errors of values
	 * above it. NULL: the setting's own.
	 */
	const char *limit;
	const char *bare;    /* value of an option without "="; NULL: one is required */
	const char *example; /* a value for the manual and its test; NULL: the default */
	/*
	 * Checks a SETTING_TEXT, or a SETTING_UINT within its bounds, as it was typed (0x10 or 16).
	 * Returns 0, or -errno with e filled. NULL: no further check.
	 */
	int (*check)(const char *text, struct err *e);
	/*
	 * Checks what a value needs that may come later, such as a file: the command takes the value,
	 * and prints e. NULL: nothing is needed.
	 */
	int (*look)(const char *text, struct err *e);
	/*
	 * SETTING_TEXT only: reads the text word by word, so that the command takes the rest of the
	 * line, completes its words and points at a bad one. It refuses what check() refuses. NULL:
	 * the value of the command is one word.
	 */
	int (*read)(struct words *words, struct err *e);
	uint64_t min, max, value; /* bounds and default */
	enum setting_kind kind;
	enum setting_when when;
};

/* The settings of a room, a feature or an engine. */
struct setting_table {
	const char *heading; /* above them in the usage: "Packet pools" */
	const struct setting *rows;
	size_t n;
};
#define SETTING_TABLE(heading, rows) \
	{ \
		heading, rows, ARRAY_SIZE(rows) \
	}

/* Return the words of `set WORDS VALUE` and the name of the option --NAME; NULL: there is none. */
const char *setting_words(const struct setting *row);
const char *setting_option(const struct setting *row);

struct settings;

/*
 * Call changed after a setting got a value, also an equal one. NULL: stop calling. There is only
 * one watcher; a new one replaces it.
 */
void settings_watch(struct settings *s, void (*changed)(void *ctx, const char *name), void *ctx);

/* Return whether a new value takes effect only at the next start of forwarding. name must exist. */
bool setting_waits(const struct settings *s, const char *name);

/*
 * Store all values as those of a run: setting_of_run() returns them until the next call. Thread:
 * control.
 */
void settings_keep(struct settings *s);

/*
 * Store all values as those at program start, after its options, for setting_begun(). Thread:
 * control.
 */
void settings_begin(struct settings *s);

/*
 * Return whether the value equals the one that settings_begin() stored; false if it could not store
 * it. name must exist.
 */
bool setting_begun(const struct settings *s, const char *name);

/*
 * From now on call apply(ctx, e) to apply a new value of that setting, before setting_parse() or
 * setting_set() returns; apply reads the value from the store. If it fails, they return its error
 * and restore the value. name must exist. Thread: the one that sets the value.
 */
void setting_apply_by(struct settings *s, const char *name, int (*apply)(void *ctx, struct err *e),
	void *ctx);

/*
 * Create an empty store; free it with settings_free(). Returns NULL without memory. Thread:
 * control, as for every function of this file that names no other.
 */
struct settings *settings_new(void);

/* Free the store and its values; s may be NULL. */
void settings_free(struct settings *s);

/* Add the rows of a table with their defaults; they stay the caller's. EEXIST: a name is taken; ENOMEM. */
int settings_add(struct settings *s, const struct setting_table *t, struct err *e);

/* Return the row of that name; NULL if there is none. */
const struct setting *setting_find(const struct settings *s, const char *name);

/*
 * Return the word of choice number which, independent of the current value. name must exist and be
 * a SETTING_CHOICE. The word is valid as long as the row.
 */
const char *setting_choice(const struct settings *s, const char *name, uint64_t which);

/* Append the choices of a row to a text: "off|on|rand". */
void setting_choices_add(struct text *t, const struct setting *row);

/* Return row number i, in the order of addition; NULL past the end. */
const struct setting *setting_at(const struct settings *s, size_t i);

/* Return the heading of the table that row number i, which exists, is in. */
const char *setting_heading(const struct settings *s, size_t i);

/*
 * Set a value from a word. ERANGE: out of bounds; EINVAL: not a value; ENOENT: unknown name; or the
 * error of setting_apply_by()'s function. After an error the value is unchanged.
 */
int setting_parse(struct settings *s, const char *name, const char *word, struct err *e);

/* Set a numeric value. Errors: as setting_parse(). */
int setting_set(struct settings *s, const char *name, uint64_t value, struct err *e);

/* Check a word as setting_parse() does, without setting the value. */
int setting_check(const struct settings *s, const char *name, const char *word, struct err *e);

/* Return the value; name must exist and be of that kind (asserted). */
uint64_t setting_u64(const struct settings *s, const char *name);
bool setting_on(const struct settings *s, const char *name);
const char *setting_text(const struct settings *s, const char *name);

/*
 * Return the value as the word that setting_parse() takes. buf: at least 32 bytes, used for a
 * SETTING_UINT. A text is valid until the value changes.
 */
const char *setting_word(const struct settings *s, const char *name, char *buf, size_t bytes);

/*
 * Copy the words of n settings to words[], for settings_restore(). ENOMEM: nothing is copied.
 * Thread: control.
 */
int settings_save(const struct settings *s, const char *const *names, size_t n, char **words,
	struct err *e);

/*
 * Set n settings to saved words, and free these. Returns 0, or the error of the last one that could
 * not be restored; the others are. Thread: control.
 */
int settings_restore(struct settings *s, const char *const *names, size_t n, char **words,
	struct err *e);

/*
 * Copy the number and word of setting i; a text is truncated to bytes. Returns its row, NULL past
 * the end. Thread: any, once all rows are added.
 */
const struct setting *setting_copy(struct settings *s, size_t i, uint64_t *number, char *word,
	size_t bytes);

/*
 * As setting_copy(), for the value that the current or last run uses: the one that settings_keep()
 * stored, or the current one for SETTING_NOW and before the first run.
 */
const struct setting *setting_of_run(struct settings *s, size_t i, uint64_t *number, char *word,
	size_t bytes);

/* Return whether the value is the default. name must exist. */
bool setting_is_default(const struct settings *s, const char *name);

/*
 * Return whether number and text, from setting_copy() or setting_of_run(), are the row's default.
 */
bool setting_defaults_to(const struct setting *row, uint64_t number, const char *text);
