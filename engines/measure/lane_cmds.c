/* The commands of named generate streams: set, clear, show. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/lane_cmds.h"

#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/offers.h"
#include "cmdline/grammar/words.h"
#include "engines/measure/lane_show.h"
#include "engines/measure/lanes.h"

#include <errno.h>
#include <string.h>

/* Point an error that names no word of the description at its begin. */
static int
at_words(const struct args *a, int ret, struct err *e)
{
	if (ret != 0 && e->column < 0) {
		const struct err why = *e;

		return arg_err(a, "words", e, why.code, "%s", why.text);
	}
	return ret;
}

static int
set_line(void *config, const struct args *a, struct out *out, struct err *e)
{
	const struct arg *words = arg_find(a, "words");
	struct lanes *lanes = config;
	struct words r;
	int ret;

	err_clear(e);
	if (lanes_name_check(arg_str(a, "name", ""), e) != 0)
		return arg_err(a, "name", e, EINVAL, "%s", e->text);
	words_open(&r, words->text, (size_t)words->column, NULL);
	ret = lanes_set(lanes, arg_str(a, "name", ""), &r, e);
	words_close(&r);
	return at_words(a, ret, e);
}

/* What can be said of a line without ports and other streams. */
static int
set_check(struct app *app, const struct args *a, struct err *e)
{
	const struct arg *words = arg_find(a, "words");
	struct lane lane = { 0 };
	struct lane_change change;
	struct words r;
	int ret;

	if (lanes_name_check(arg_str(a, "name", ""), e) != 0)
		return -e->code;
	words_open(&r, words->text, (size_t)words->column, NULL);
	ret = lanes_read(&lane, &r, &change, e);
	words_close(&r);
	lanes_clear(&lane);
	return ret;
}

static int
clear_line(void *config, const struct args *a, struct out *out, struct err *e)
{
	return lanes_delete(config, arg_str(a, "name", ""), e);
}

static int
show_line(void *config, const struct args *a, struct out *out, struct err *e)
{
	const struct lanes *lanes = config;

	if (lanes->n == 0)
		return err_set(e, ENOENT,
			"no generate streams: use \"set generate stream NAME port N ...\"; without any, ports send what \"set generate\" describes");
	lane_show(lanes, out);
	return 0;
}

/* Offer the words that may follow in the description of a stream. */
static void
words_offer(const struct app *app, const char *params, const char *before, struct offers *o)
{
	struct lane lane = { 0 };
	struct lane_change change;
	struct words r;
	struct err e;

	err_clear(&e);
	words_open(&r, before, 0, NULL);
	o->complete = lanes_read(&lane, &r, &change, &e) == 0;
	arg_rest_offer(&r, o);
	words_close(&r);
	lanes_clear(&lane);
}

static const struct arg_type types[] = {
	{ "lane", "words of a stream, such as port 0 rate 1Mpps size 64", arg_rest_parse, NULL,
		words_offer },
};
const struct arg_table types_lane_cmds = { types, ARRAY_SIZE(types) };

extern const struct engine engine_measure;

#define ON_LINE(function) \
	&(const struct arg_config_call) \
	{ \
		.engine = &engine_measure, .line = function \
	}

static const struct cmd_row rows[] = {
	{ "set generate stream <name:str> <words:lane>", arg_on_config,
		"add a stream that generate and measure send in place of set generate, or change words of it, also while it runs",
		"set generate stream a port 0 rate 1Mpps size 64", ON_LINE(set_line), set_check,
		.by_state = true },
	{ "clear generate stream <name:str>", arg_on_config,
		"delete a generate stream, or all of them with all", "clear generate stream all",
		ON_LINE(clear_line), .by_state = true },
	{ "show generate streams", arg_on_config,
		"show each generate stream: its state, asked and reached rate, packets, loss and latency",
		NULL, ON_LINE(show_line), .shows = true },
};
const struct cmd_table lane_cmds_table = { "generate", "named streams of generate and measure",
	rows, ARRAY_SIZE(rows), CMD_ENGINES };
