/* The words of named generate streams: what is read is what `save config` writes, and bad words are named. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/lanes.h"

#include "base/err.h"
#include "base/text.h"
#include "cmdline/grammar/words.h"
#include "fixtures/cases.h"

#include <stdio.h>
#include <stdlib.h>

/* Read a line onto a lane that has some words already. */
static int
words_read_back(const char *line, char *to, size_t size, struct err *e)
{
	static const char before[] = "port 1 rate 1kpps src 10.0.0.0/24 random";
	struct lane lane = { .on = true };
	struct lane_change change;
	struct text text = { 0 };
	struct words r;
	int ret;

	words_open(&r, before, 0, NULL);
	ret = lanes_read(&lane, &r, &change, e);
	words_close(&r);
	if (ret == 0) {
		words_open(&r, line, 0, NULL);
		ret = lanes_read(&lane, &r, &change, e);
		words_close(&r);
	}
	lanes_text(&lane, &text);
	if (ret == 0)
		snprintf(to, size, "%s; %s%s%s%s", text.bytes, lane.on ? "on" : "off",
			change.fixed != NULL ? ", fixed by " : "",
			change.fixed != NULL ? change.fixed : "", change.renews ? ", renews" : "");
	free(text.bytes);
	lanes_clear(&lane);
	return ret;
}

CASES("engines/measure/lanes", { "words", words_read_back })

TESTS(NULL);
