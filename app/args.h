/* Argument types of the program: ports, engines, amounts, sizes, offload names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;
struct out;
struct ports;
struct run;
struct settings;
struct stream;
struct words;

/* Argument types; a feature exports its own as types_NAME, with types += in its meson.build. */
struct arg_table {
	const struct arg_type *types;
	size_t n;
};

/*
 * port: a port's number (whether it is there, the handler says); ports: the same or all, number
 * PORT_ALL; engine: an engine's name, number its place in run.engines; amount: "10s", "1.5s",
 * "500ms", "1000packets" or a bare number; rx_offload, tx_offload: an offload's name, number its
 * bit; setting NAME: the text of that setting, which has read(), to the end of the line. Offers come
 * from what is there now.
 */
extern const struct arg_table types_app;

/*
 * For types that take the rest of the line, in a language of their own: parse() accepts all of it,
 * and offer_rest() offers what a reader of words expected at its end.
 */
int arg_rest_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e);
void arg_rest_offer(const struct words *r, struct offers *o);

/* The sections of help, in their order: struct cmd_table. */
enum cmd_section {
	CMD_CONTROL,
	CMD_DISPLAY,
	CMD_FORWARDING,
	CMD_RECORDS,
	CMD_BUFFERS,
	CMD_ENGINES,
	CMD_DMA,
	CMD_PORTS,
	CMD_OFFLOADS,
	CMD_FLOW,
	CMD_QOS,
	CMD_DRIVERS,
	CMD_ABSENT,
	CMD_SETTINGS,
};

/* Arguments of many commands: <port>, <queue>, and whether <state> is "on". */
uint16_t arg_port(const struct args *a);
uint16_t arg_queue(const struct args *a);
bool arg_on(const struct args *a);

/*
 * Handlers of rows whose data names the function that does the work, because that function needs
 * nothing of struct app but the ports: with ARG_ON_PORT(function) it needs only the port of the
 * line, with ARG_ON_QUEUE(function) also <queue> and whether <way> is rxq or rx, and with
 * ARG_ON_PORTS(function) it reads the arguments itself.
 */
struct arg_ports_call {
	int (*port)(struct ports *ps, uint16_t port, struct err *e);
	int (*queue)(struct ports *ps, uint16_t port, uint16_t queue, bool rx, struct err *e);
	int (*line)(struct ports *ps, const struct args *a, struct err *e);
};
#define ARG_CALL(object, form, function) \
	&(const struct arg_##object##_call) \
	{ \
		.form = function \
	}
#define ARG_ON_PORT(function) ARG_CALL(ports, port, function)
#define ARG_ON_QUEUE(function) ARG_CALL(ports, queue, function)
#define ARG_ON_PORTS(function) ARG_CALL(ports, line, function)
int arg_on_port(struct app *app, const struct args *a, struct err *e);
int arg_on_queue(struct app *app, const struct args *a, struct err *e);
int arg_on_ports(struct app *app, const struct args *a, struct err *e);

/* Read the numbers of a line other than its port into n[0..ARGS_MAX), in the line's order. */
void arg_numbers(const struct args *a, uint64_t *n);

/*
 * Add a plain line below an error of testpmd's words that says little: where its text begins with
 * theirs. Returns ret.
 */
int arg_explain(int ret, struct err *e, const char *theirs, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * For check of struct cmd_row: the argument file names a file that can be read, or lies in a folder
 * that exists. True without the argument.
 */
int arg_check_readable(struct app *app, const struct args *a, struct err *e);
int arg_check_folder(struct app *app, const struct args *a, struct err *e);

/*
 * The handler of rows whose function needs only the run. Data of the row: ARG_ON_RUN(function),
 * ARG_ON_RUN_LINE(function) if it reads the arguments, ARG_ON_RUN_SHOW(function) if it only prints.
 */
struct arg_run_call {
	int (*plain)(struct run *r, struct err *e);
	int (*line)(struct run *r, const struct args *a, struct err *e);
	void (*show)(const struct run *r);
};
#define ARG_ON_RUN(function) ARG_CALL(run, plain, function)
#define ARG_ON_RUN_LINE(function) ARG_CALL(run, line, function)
#define ARG_ON_RUN_SHOW(function) ARG_CALL(run, show, function)
int arg_on_run(struct app *app, const struct args *a, struct err *e);

/*
 * The handler of an engine's rows that print what its last run did. Data of the row:
 * ARG_ON_ENGINE(engine, function); function gets all streams, NULL: each is printed by the engine's
 * show().
 */
struct arg_engine_call {
	const struct engine *engine;
	void (*show)(struct out *out, struct stream *const *streams, unsigned int n, bool running);
};
#define ARG_ON_ENGINE(engine, function) \
	&(const struct arg_engine_call) \
	{ \
		engine, function \
	}
int arg_on_engine(struct app *app, const struct args *a, struct err *e);

/* The handler of rows whose function needs only the settings. Data: ARG_ON_SETTINGS(function). */
struct arg_settings_call {
	int (*line)(struct settings *s, const struct args *a, struct err *e);
};
#define ARG_ON_SETTINGS(function) ARG_CALL(settings, line, function)
int arg_on_settings(struct app *app, const struct args *a, struct err *e);

/*
 * The handler of an engine's rows that change its configuration, or print what is in it, of which data
 * is the function: change() without arguments, or line().
 */
struct arg_config_call {
	const struct engine *engine;
	void (*change)(void *config);
	int (*line)(void *config, const struct args *a, struct out *out, struct err *e);
};
int arg_on_config(struct app *app, const struct args *a, struct err *e);

/*
 * The handler of an engine's rows that run it, silently, with some settings of their own, and look
 * at its streams. The chosen engine and the settings are restored, also after an error.
 */
struct arg_trial_call {
	const struct engine *engine;
	unsigned int length_ms;
	const char *const *names, *const *values; /* n settings */
	size_t n;
	/* After the run: ports[0..n_ports) forwarded, by streams[0..n). Returns 0 or -errno. */
	int (*look)(struct out *out, void *config, struct stream *const *streams, unsigned int n,
		const uint16_t *ports, unsigned int n_ports, struct err *e);
};
/*
 * Errors: ENOTSUP in a secondary process; EBUSY while forwarding; EINTR a signal; those of the
 * settings, of the run and of look().
 */
int arg_on_trial(struct app *app, const struct args *a, struct err *e);
