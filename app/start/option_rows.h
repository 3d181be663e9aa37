/* The options that are not settings: one row each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct app;
struct err;
struct options;

struct option_row {
	const char *name;
	const char *value; /* its name in the usage; NULL: takes none */
	const char *help;
	/*
	 * Take the value, which is NULL where none is taken. 0, or -errno with e filled. Thread:
	 * main.
	 */
	int (*apply)(struct options *o, struct app *app, const char *value, struct err *e);
	bool first; /* before all others: settles how they answer */
};

/* In the order of the usage; option_rows_n of them. */
extern const struct option_row option_rows[];
extern const size_t option_rows_n;
