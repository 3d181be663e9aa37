/* Argument types of the program: ports, engines, amounts, sizes, offload names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out;
struct ports;
struct run;
struct stream;

/*
 * port: a port's number (whether it is there, the handler says); ports: the same or all, number
 * PORT_ALL; engine: an engine's name, number its place in run.engines; amount: "10s", "1.5s",
 * "500ms", "1000packets" or a bare number; rx_offload, tx_offload: an offload's name, number its
 * bit. Offers come from what is there now.
 */
extern const struct arg_type types_app[];
extern const size_t types_app_n;

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
 * ARG_ON_ENGINE(name, function); function gets all streams, NULL: each is printed by the engine's
 * show().
 */
struct arg_engine_call {
	const char *engine;
	void (*show)(struct out *out, struct stream *const *streams, unsigned int n, bool running);
};
#define ARG_ON_ENGINE(name, function) \
	&(const struct arg_engine_call) \
	{ \
		name, function \
	}
int arg_on_engine(struct app *app, const struct args *a, struct err *e);
