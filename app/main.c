/* zcfwd: start EAL and ports, run scripts and the shell, and clean up; the only file that depends
 * on all others. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "base/setting.h"
#include "cmdline/commands/cmds_setting.h"
#include "cmdline/control/control.h"
#include "cmdline/control/control_attach.h"
#include "cmdline/control/control_exec.h"
#include "cmdline/control/control_extcap.h"
#include "cmdline/control/control_tap.h"
#include "cmdline/control/daemon.h"
#include "cmdline/shell/check.h"
#include "cmdline/shell/histfile.h"
#include "cmdline/shell/shell.h"
#include "engines/engine.h"
#include "memory/memory_lock.h"
#include "memory/numa.h"
#include "memory/pool_check.h"
#include "memory/pool_history.h"
#include "pmd_shims/close_faults.h"
#include "port/device.h"
#include "port/port_attach.h"
#include "port/port_events.h"
#include "port/port_feature.h"
#include "port/port_info.h"
#include "port/port_life.h"
#include "port/port_setup.h"
#include "port/port_stats.h"
#include "record/record.h"
#include "route/routes.h"
#include "run/packets/run_rx_pool.h"
#include "run/run_engines.h"
#include "run/run_mirror.h"
#include "run/run_settings.h"
#include "run/run_start.h"
#include "run/timed.h"
#include "show/metrics.h"
#include "show/telemetry.h"
#include "start/eal.h"
#include "start/lists.h"
#include "start/manual.h"
#include "start/memory_limit.h"
#include "start/model_plugin.h"
#include "start/option.h"
#include "start/option_sides.h"
#include "stream/tsc.h"

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_version.h>

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROMPT_BYTES 40
#define EXIT_CHECK 3 /* ZCFWD_CHECK=1 found lost or duplicated packets or buffers */

struct program {
	struct app app;
	struct options options;
	struct option_sides sides;
	struct cmd_table *setting_rows;
	const struct cmd_table **tables;
	struct arg_type *types;
	struct shell_config shell;
	struct control *control; /* NULL: none */
	char prompt[PROMPT_BYTES];
	char history[4096];
	unsigned int bad_pools; /* at the end */
	int ready;              /* for daemon_ready(); -1: no parent waits */
};

/* Return the prompt: if started under the name testpmd, that of testpmd. */
static const char *
prompt_word(const char *argv0)
{
	const char *base = strrchr(argv0, '/');

	base = base != NULL ? base + 1 : argv0;
	return strcmp(base, "testpmd") == 0 || strcmp(base, "dpdk-testpmd") == 0 ? "testpmd"
										 : "zcfwd";
}

static bool
program_done(const struct app *app)
{
	return app->quit || out_gone(app->out) || interrupt_pending(&app->interrupt);
}

static bool
program_quits(const struct app *app)
{
	return app->quit;
}

static bool
program_pages(const struct app *app)
{
	return setting_u64(app->settings, "pager") != 0;
}

/*
 * Print events of ports, and release those whose device was removed. Forwarding between the others
 * goes on until "stop", unless --hot-plug asks for a release now: the kernel waits for it.
 */
static void
before_prompt(struct app *app)
{
	struct err e;

	err_clear(&e);
	port_features_prompt(&app->ports);
	if (port_handle_events(&app->ports) > 0 &&
		(setting_on(app->settings, "hot-plug") || !run_ports_remain(&app->run)) &&
		run_stop_show(&app->run, &e) == 0)
		port_handle_events(&app->ports);
	if (!app->run.running)
		run_ports_changed(&app->run);
}

/* Register the settings of the core and of every engine. */
static int
settings_open(struct app *app, struct err *e)
{
	unsigned int i;
	int ret = 0;

	app->settings = settings_new();
	if (app->settings == NULL)
		return err_set(e, ENOMEM, "no memory for the settings");
	for (i = 0; ret == 0 && setting_list[i] != NULL; i++)
		ret = settings_add(app->settings, setting_list[i], e);
	for (i = 0; ret == 0 && engine_list[i] != NULL; i++)
		ret = settings_add(app->settings, &engine_list[i]->settings, e);
	return ret;
}

/* Put a table behind those of its section and of sections before it, tables[0..n). */
static void
table_insert(const struct cmd_table **tables, size_t n, const struct cmd_table *table)
{
	for (; n > 0 && tables[n - 1]->section > table->section; n--)
		tables[n] = tables[n - 1];
	tables[n] = table;
}

/* Join the argument types of all features. Returns their number; 0: no memory. */
static size_t
types_join(struct arg_type **types)
{
	size_t n = 0;

	for (size_t i = 0; type_list[i] != NULL; i++)
		n += type_list[i]->n;
	*types = calloc(n, sizeof(**types));
	if (*types == NULL)
		return 0;
	n = 0;
	for (size_t i = 0; type_list[i] != NULL; n += type_list[i++]->n)
		memcpy(*types + n, type_list[i]->types, type_list[i]->n * sizeof(**types));
	return n;
}

static int
grammar_open(struct program *p, struct err *e)
{
	size_t n_types = types_join(&p->types), n = 0, n_engines = 0, i;

	while (cmd_list[n] != NULL)
		n++;
	while (engine_list[n_engines] != NULL)
		n_engines++;
	p->setting_rows = cmds_setting_new(p->app.settings);
	p->tables = calloc(n + n_engines + 1, sizeof(struct cmd_table *));
	if (p->setting_rows == NULL || p->tables == NULL || n_types == 0)
		return err_set(e, ENOMEM, "no memory for the commands");
	for (i = 0; i < n; i++)
		table_insert(p->tables, i, cmd_list[i]);
	for (i = 0; i < n_engines; i++)
		if (engine_list[i]->commands != NULL)
			table_insert(p->tables, n++, engine_list[i]->commands);
	p->tables[n++] = p->setting_rows;
	p->app.grammar = grammar_new(p->tables, n, p->types, n_types, &p->app, e);
	return p->app.grammar != NULL ? 0 : -e->code;
}

/* Connect ports and runs with all that they use. */
static int
rooms_open(struct app *app, struct err *e)
{
	const char *check = getenv("ZCFWD_CHECK");

	app->ports.settings = app->settings;
	app->ports.out = app->out;
	app->ports.pools = &app->pools;
	app->ports.l2_bytes = numa_cache_bytes(2);
	app->ports.extmems = &app->extmems;
	app->extmems.interrupt = &app->interrupt;
	pthread_mutex_init(&app->ports.reading, NULL);
	port_stats_settings_apply(&app->ports);
	if (port_features_open(&app->ports, port_feature_list, e) != 0)
		return -e->code;
	app->run = (struct run){ .engines = engine_list,
		.settings = app->settings,
		.out = app->out,
		.ports = &app->ports,
		.pools = &app->pools,
		.extmems = &app->extmems,
		.routes = &app->routes,
		.check = check != NULL && strcmp(check, "1") == 0 };
	pthread_mutex_init(&app->run.lock, NULL);
	run_settings_apply(&app->run);
	run_pools_apply(&app->run);
	app->record = record_new(&app->run, program_version, e);
	return app->record != NULL ? 0 : -e->code;
}

/* Initialise everything that does not need EAL. */
static int
program_open(struct program *p, char *argv0, struct err *e)
{
	int ret;

	p->options = (struct options){ .prompt = prompt_word(argv0), .mlockall = true };
	p->ready = -1;
	p->app.version = program_version;
	p->app.option_at = options_at;
	ret = settings_open(&p->app, e);
	if (ret == 0)
		ret = rooms_open(&p->app, e);
	return ret == 0 ? grammar_open(p, e) : ret;
}

/* Lock all memory, unless that would exceed the control group's limit: the kernel would kill us. */
static void
memory_lock(const struct app *app)
{
	const uint64_t may = memory_limit("/proc/self/cgroup", "/sys/fs/cgroup"),
		       has = memory_mapped("/proc/self/smaps");
	struct err e;

	err_clear(&e);
	if (has > may)
		out_warn(app->out,
			"zcfwd: memory is not locked: this process has mapped %" PRIu64
			" MiB, and its control group allows %" PRIu64
			"; use a smaller -m, a higher limit or --no-mlockall\n",
			has >> 20, may >> 20);
	else if (memory_lock_all(&e) != 0)
		out_warn(app->out,
			"zcfwd: memory is not locked: %s; --no-mlockall omits this line\n", e.text);
}

/* After the options are parsed: create pools, then start ports, in testpmd's order. */
static int
ports_open(struct program *p, struct err *e)
{
	struct app *app = &p->app;
	const struct pool_need need = run_pool_need(&app->run);
	int ret;

	if (app->run.choice.n_ports == 0)
		out_warn(app->out, "zcfwd: No probed ethernet devices\n");
	if (p->options.mlockall)
		memory_lock(app);
	ret = pool_create_all(&app->pools, app->settings, &need, app->out, e);
	if (ret == 0)
		ret = port_events_hotplug_begin(&app->ports, e);
	if (ret != 0)
		return ret;
	run_odd_warn(&app->run);
	ret = run_rx_pool_begin(&app->run, p->options.interactive, e);
	/*
	 * An unsupported setting ends the program; a port that does not start can be repaired in
	 * the shell.
	 */
	if (ret == -ERANGE || (ret != 0 && !p->options.interactive))
		return ret;
	if (ret != 0)
		out_warn(app->out, "%s\nStart ports failed\n", e->text);
	err_clear(e);
	app->pool_history = pool_history_new(&app->pools, &app->ports.rx_pool, &app->run.lock, e);
	if (app->pool_history == NULL)
		return -e->code;
	app->metrics = metrics_open(&p->options.metrics, &app->ports, e);
	return e->code == 0 ? telemetry_open(app, e) : -e->code;
}

static int
shell_prepare(struct program *p, struct err *e)
{
	const struct options *o = &p->options;

	/* A prompt that ends with a space is complete. */
	snprintf(p->prompt, sizeof(p->prompt), "%s%s", o->prompt,
		o->prompt[strlen(o->prompt) - 1] == ' ' ? "" : "> ");
	if (o->history_file != NULL)
		snprintf(p->history, sizeof(p->history), "%s", o->history_file);
	else
		histfile_default(p->history, sizeof(p->history));
	p->shell = (struct shell_config){
		.prompt = p->prompt,
		.history_file = p->history[0] != '\0' ? p->history : NULL,
		.keep_going = o->keep_going,
		.strict = o->strict,
		.interrupt = &p->app.interrupt,
		.done = program_done,
		.before_prompt = before_prompt,
		.interrupt_key = interrupt_key,
		.pages = program_pages,
	};
	settings_begin(p->app.settings);
	p->app.begun.engine = p->app.run.engine;
	p->app.begun.retry = p->app.run.retry;
	p->app.shell = shell_open(&p->app, p->app.grammar, p->app.out, &p->shell, e);
	return p->app.shell != NULL ? 0 : -e->code;
}

static int
control_prepare(struct program *p, struct err *e)
{
	const struct control_config config = { .app = &p->app,
		.shell = p->app.shell,
		.out = p->app.out,
		.interrupt = &p->app.interrupt,
		.quits = program_quits,
		.before = before_prompt };

	if (p->options.control == NULL)
		return 0;
	p->control = control_open(&config, p->options.control, e);
	return p->control != NULL ? 0 : -e->code;
}

/* Print, to a person at a terminal, what there is and what to type next. */
static void
greet(const struct app *app)
{
	char drivers[128];
	unsigned int n;

	if (!out_on_terminal(app->out) || isatty(STDIN_FILENO) == 0)
		return;
	n = port_info_drivers(&app->ports, drivers, sizeof(drivers));
	if (n == 0)
		out_text(app->out,
			"No ports: \"help cards\" explains how to bind a NIC; --vdev=net_null0 is a port without one.\n");
	else
		out_text(app->out, "%u port%s (%s), engine %s. Try: start, top, stop, help.\n", n,
			n == 1 ? "" : "s", drivers, app->run.engine->name);
}

/* Start forwarding as --auto-start does. No request is served: it is no command, which others would see. */
static void
start_alone(struct app *app)
{
	const int requests = app->interrupt.requests;
	struct err e;

	err_clear(&e);
	app->interrupt.requests = -1;
	out_say(app->out, "Start automatic packet forwarding\n");
	if (run_start(&app->run, 0, true, &e) != 0)
		out_warn(app->out, "%s\n", e.text);
	app->interrupt.requests = requests;
}

/* Run scripts, then the shell, or forwarding without a shell. Returns the program's status. */
static int
work(struct program *p, struct err *e)
{
	struct app *app = &p->app;
	unsigned int i;
	int ret = 0, shell_ret;

	for (i = 0; i < p->options.n_scripts && !program_done(app); i++) {
		int script_ret = shell_script(app->shell, p->options.scripts[i], false, e);

		ret = ret == 0 ? script_ret : ret;
		if (script_ret != 0 && (!p->options.keep_going || e->code != 0))
			return ret;
	}
	if (program_done(app))
		return ret;
	if (!p->options.interactive && p->control == NULL) {
		int alone_ret = timed_alone(&app->run, &app->interrupt, p->options.stats_period_s,
			p->options.tx_first, e);

		return ret == 0 ? alone_ret : ret;
	}
	if (p->options.auto_start)
		start_alone(app);
	if (daemon_ready(p->ready) != 0)
		return err_set(e, ECANCELED,
			"what started this program in the background has ended");
	if (p->options.stats_period_s > 0)
		out_warn(app->out,
			"--stats-period is ignored with %s; use \"watch show port stats all every %u\"\n",
			p->options.interactive ? "-i" : "--control", p->options.stats_period_s);
	if (!p->options.interactive) {
		interrupt_wait(&app->interrupt, -1,
			-1); /* commands of the control socket are run */
		return ret;
	}
	greet(app);
	shell_ret = shell_run(app->shell);
	return ret == 0 && p->options.strict ? shell_ret : ret;
}

/*
 * Check that all buffers are in their pools; not if a secondary process has buffers in its caches.
 */
static void
pools_check(struct program *p)
{
	struct app *app = &p->app;
	const struct pool_known known = close_faults_known(app->ports.close_faults);

	if (app->run.check && !app->run.secondary && eal_secondaries() == 0)
		p->bad_pools = pool_check_all(&known, app->out);
}

/* Release all resources, and print testpmd's last line. */
static void
program_close(struct program *p, bool eal)
{
	struct app *app = &p->app;
	struct err e;

	err_clear(&e);
	if (eal)
		daemon_stopping();
	control_close(p->control);
	if (eal) {
		interrupt_leave(&app->interrupt);
		app->run.interrupt = NULL; /* from here on a signal ends the program */
		telemetry_close();
		if (app->run.running)
			run_stop_show(&app->run, &e);
	}
	record_free(app->record);
	if (eal) {
		pool_history_free(app->pool_history);
		run_end(&app->run);
	}
	port_features_end(&app->ports);
	if (eal) {
		metrics_close(app->metrics);
		port_quit(&app->ports);
		pools_check(p);
		run_mirror_close(&app->run);
		extmem_close(&app->extmems, app->out);
		pool_free_all(&app->pools);
		out_say(app->out, "\nBye...\n");
	}
	port_features_close(&app->ports);
	port_table_free(&app->ports);
	routes_clear(&app->routes);
	shell_close(app->shell);
	grammar_free(app->grammar);
	cmds_setting_free(p->setting_rows);
	free(p->types);
	free(p->tables);
	settings_free(app->settings);
	option_sides_free(&p->sides);
}

/* Check command files without running them. Returns -EINVAL after errors in lines were printed. */
static int
check_files(struct program *p, int n, char **files, struct err *e)
{
	unsigned int bad = 0;
	int ret = 0;

	for (int i = 0; ret == 0 && i < n; i++)
		ret = check_script(&p->app, p->app.grammar, p->app.out, files[i], &bad, e);
	return ret == 0 && bad > 0 ? -EINVAL : ret;
}

/*
 * Handle options that need neither EAL nor ports (--help, --check, ...). Returns true if there was
 * one.
 */
static bool
without_eal(struct program *p, int argc, char **argv, int *status, struct err *e)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv, struct out *out, struct err *e);
	} clients[] = { { "attach", control_attach }, { "exec", control_exec },
		{ "extcap", control_extcap }, { "tap", control_tap } };
	unsigned int i;

	if (argc == 3 && strcmp(argv[1], "--generate-docs") == 0) {
		*status = manual_write(&p->app, argv[2], e);
		return true;
	}
	if (argc == 2 && strcmp(argv[1], "--list-engines") == 0) {
		for (i = 0; engine_list[i] != NULL; i++)
			out_text(p->app.out, "%s\n", engine_list[i]->name);
		return true;
	}
	for (i = 0; argc > 1 && i < ARRAY_SIZE(clients); i++) {
		if (strcmp(argv[1], clients[i].name) != 0)
			continue;
		*status = clients[i].run(argc - 2, argv + 2, p->app.out, e);
		return true;
	}
	if (argc > 2 && strcmp(argv[1], "--check") == 0) {
		*status = check_files(p, argc - 2, argv + 2, e);
		return true;
	}
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		out_text(p->app.out, "zcfwd %s, %s\n", program_version, rte_version());
		return true;
	}
	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		options_usage(&p->app, p->app.out);
		return true;
	}
	return false;
}

/* Measure the only frequency of the TSC that the program uses. begin: a moment before EAL's start. */
static void
tsc_open(struct app *app, const struct tsc_moment *begin)
{
	struct err odd;

	err_clear(&odd);
	app->ports.tsc_hz = tsc_hz_since(begin, &odd);
	if (odd.code != 0)
		out_warn(app->out, "zcfwd: %s\n", odd.text);
}

/* --daemon: go on in a child process. */
static int
background(struct program *p, struct err *e)
{
	if (p->options.control == NULL)
		return err_set(e, EINVAL,
			"--daemon: expected --control too: nothing else could end it");
	p->ready = daemon_begin(p->options.control, e);
	return p->ready < 0 ? p->ready : 0;
}

/* Run all phases between open and close; *eal: EAL was initialised. */
static int
program_run(struct program *p, int argc, char **argv, bool *eal, struct err *e)
{
	struct app *app = &p->app;
	struct option_sides *sides = &p->sides;
	struct tsc_moment begin;
	int ret;

	app->run.interrupt = &app->interrupt;
	p->options.interactive = argc == 1 && isatty(STDIN_FILENO) != 0;
	ret = option_sides_divide(app->settings, argc, argv, sides, e);
	if (ret == 0)
		ret = options_early(&p->options, app, sides->n_own, sides->own, e);
	if (ret == 0 && p->options.daemon)
		ret = background(p, e);
	begin = tsc_moment_now();
	/* Creates a thread, which a child process would not have. */
	if (ret == 0)
		ret = interrupt_open(&app->interrupt, e);
	if (ret == 0)
		ret = model_plugin_open(p->options.models, p->options.n_models, e);
	if (ret == 0)
		ret = eal_open(sides->n_eal, sides->eal, &app->interrupt, app->run.eal_chosen,
			sizeof(app->run.eal_chosen), app->out, e);
	if (ret != 0)
		return ret;
	*eal = true;
	tsc_open(app, &begin);
	app->run.secondary = rte_eal_process_type() == RTE_PROC_SECONDARY;
	ret = run_engines_open(&app->run, program_version, e);
	if (ret != 0)
		return ret;
	port_probe(&app->ports);
	device_limit_warn(&app->ports);
	run_init(&app->run);
	ret = options_parse(&p->options, app, sides->n_own, sides->own, e);
	if (ret != 0)
		return ret;
	if (p->options.help) {
		options_usage(app, app->out);
		return 0;
	}
	ret = app->run.secondary ? 0 : ports_open(p, e);
	if (ret == 0)
		ret = shell_prepare(p, e);
	if (ret == 0)
		ret = control_prepare(p, e);
	if (ret == 0)
		ret = record_option(app->record, p->options.record, e);
	return ret != 0 ? ret : work(p, e);
}

int
main(int argc, char **argv)
{
	struct program *p = calloc(1, sizeof(*p)); /* too large for the stack */
	struct out *out = out_open(stdout, stderr);
	bool eal = false, unbalanced;
	int status = 0;
	struct err e;

	plain_file_standard();
	if (p == NULL || out == NULL)
		return EXIT_FAILURE;
	err_clear(&e);
	setlocale(LC_CTYPE, ""); /* the line editor reads characters, not bytes */
	p->app.out = out;
	out_stamp(out);
	if (program_open(p, argv[0], &e) == 0 && !without_eal(p, argc, argv, &status, &e))
		status = program_run(p, argc, argv, &eal, &e);
	if (e.code != 0)
		out_warn(out, "zcfwd: %s\n", e.text);
	program_close(p, eal);
	unbalanced = p->app.run.broken > 0 || p->bad_pools > 0;
	if (out_close(out) != 0)
		status = -EIO;
	free(p);
	if (eal)
		eal_close();
	if (unbalanced)
		return EXIT_CHECK;
	return status == 0 && e.code == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
