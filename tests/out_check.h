/* For tests of the output layer: one that prints into memory, and a strict judge of JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct out_check {
	char *results, *failures;
	size_t results_n, failures_n;
	FILE *results_file, *failures_file;
	struct out *out;
};

/* cmocka's setup and teardown: *state is a struct out_check. */
int out_check_setup(void **state);
int out_check_teardown(void **state);

/* What was printed so far is exactly this, and valid when the format is JSON. */
void out_check_printed(struct out_check *f, const char *results, const char *failures);

/* True when each line of text is one JSON object without repeated keys, and the last one ends with a newline. */
bool out_check_json(const char *text);
