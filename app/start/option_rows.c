/* Options that are not settings: a row and a function each, and the parsers of their values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "start/option_rows.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "base/setting.h"
#include "base/text.h"
#include "cmdline/control/control_address.h"
#include "engines/engine.h"
#include "pmd_shims/recycle_err.h"
#include "port/port_events.h"
#include "port/port_hairpin.h"
#include "run/choice.h"

#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Parse a whole number lo..hi, decimal or 0x. Errors: EINVAL, ERANGE.
 */
static int
value_number(const char *option, const char *value, uint64_t lo, uint64_t hi, uint64_t *n,
	struct err *e)
{
	char *end;

	errno = 0;
	*n = strtoull(value, &end, 0);
	if (value[0] < '0' || value[0] > '9' || *end != '\0')
		return err_set(e, EINVAL,
			"--%s \"%s\": not a number, expected %" PRIu64 "..%" PRIu64, option, value,
			lo, hi);
	if (errno == ERANGE || *n < lo || *n > hi)
		return err_set(e, ERANGE, "--%s %s: expected %" PRIu64 "..%" PRIu64, option, value,
			lo, hi);
	return 0;
}

/* Parse a number 1..have of what ("ports"). Errors: ENODEV have is 0; as value_number(). */
static int
value_count(const char *option, const char *value, unsigned int have, const char *what,
	unsigned int *n, struct err *e)
{
	uint64_t number;
	int ret;

	if (have == 0)
		return err_set(e, ENODEV, "--%s %s: there are no %s", option, value, what);
	ret = value_number(option, value, 1, have, &number, e);
	if (ret == 0)
		*n = (unsigned int)number;
	return ret;
}

/* Parse a hexadecimal mask, with or without 0x. Errors: EINVAL. */
static int
value_mask(const char *option, const char *value, uint64_t *mask, struct err *e)
{
	char *end;

	errno = 0;
	*mask = strtoull(value, &end, 16);
	if (value[0] == '\0' || value[0] == '-' || value[0] == '+' || *end != '\0' || errno != 0)
		return err_set(e, EINVAL, "--%s \"%s\": expected a hexadecimal mask", option,
			value);
	return 0;
}

/* Parse "0,2-4" into list[0..max); *n: their number. Errors: as text_numbers(). */
static int
value_list(const char *option, const char *value, uint16_t *list, unsigned int max, unsigned int *n,
	struct err *e)
{
	char what[64];

	snprintf(what, sizeof(what), "--%s", option);
	return text_numbers(what, value, list, max, n, e);
}

/* Parse "PORT,MAC" and set the port's peer address. Errors: EINVAL, ENODEV. */
static int
value_peer(struct ports *ports, const char *value, struct err *e)
{
	struct rte_ether_addr mac;
	struct port *p;
	unsigned long id;
	char *end;

	id = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != ',' || id >= RTE_MAX_ETHPORTS ||
		rte_ether_unformat_addr(end + 1, &mac) != 0)
		return err_set(e, EINVAL,
			"--eth-peer \"%s\": expected PORT,MAC such as 0,02:00:00:00:00:01", value);
	p = port_at(ports, (uint16_t)id);
	if (p == NULL)
		return port_missing(ports, (uint16_t)id, e);
	p->peer = mac;
	return 0;
}

/*
 * Read peer addresses from a file with one MAC address per line, for port 0, 1, ...; # starts a
 * comment.
 */
static int
value_peers_file(struct ports *ports, const char *file, struct err *e)
{
	struct rte_ether_addr mac[RTE_MAX_ETHPORTS];
	FILE *f = plain_file_read(file, e);
	unsigned int n = 0, at = 0, i;
	char *line = NULL;
	size_t room = 0;
	ssize_t got;
	int ret = 0;

	if (f == NULL)
		return err_context(e, "--eth-peers-configfile");
	while (ret == 0 && (got = getline(&line, &room, f)) >= 0) {
		char *word = line + strspn(line, " \t");

		at++;
		if (strlen(line) < (size_t)got) {
			ret = err_set(e, EILSEQ, "%s:%u: the line contains a NUL byte", file, at);
			break;
		}
		word[strcspn(word, " \t\r\n#")] = '\0';
		if (word[0] == '\0')
			continue;
		if (n == RTE_MAX_ETHPORTS || rte_ether_unformat_addr(word, &mac[n++]) != 0)
			ret = err_set(e, EINVAL, "%s:%u: \"%s\": expected a MAC address", file, at,
				word);
	}
	free(line);
	fclose(f);
	for (i = 0; ret == 0 && i < n; i++)
		if (port_at(ports, (uint16_t)i) != NULL)
			port_at(ports, (uint16_t)i)->peer = mac[i];
	return ret;
}

/*
 * --burst=0: set the burst size to the recommendation of the first port's driver. Errors: ENODEV,
 * ENOTSUP.
 */
static int
value_burst_of_driver(struct app *app, struct err *e)
{
	const struct port *p =
		app->run.choice.n_ports > 0 ? port_at(&app->ports, app->run.choice.ports[0]) : NULL;

	if (p == NULL)
		return err_set(e, ENODEV,
			"--burst 0: no port whose driver could recommend a burst size");
	if (p->info.default_rxportconf.burst_size == 0)
		return err_set(e, ENOTSUP,
			"--burst 0: driver %s recommends no burst size; use 1..%u",
			p->info.driver_name, BURST_MAX);
	return setting_set(app->settings, "burst", p->info.default_rxportconf.burst_size, e);
}

/* Fill e for an unknown engine name, with the list of engines. Returns -EINVAL. */
static int
value_engine_err(const struct run *r, const char *name, struct err *e)
{
	char names[256] = "";
	size_t n = 0;
	unsigned int i;

	for (i = 0; r->engines[i] != NULL && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? "|" : "",
			r->engines[i]->name);
	return err_set(e, EINVAL, "--forward-mode \"%s\": expected %s", name, names);
}

static int
interactive(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->interactive = true;
	out_say(app->out, "Interactive-mode selected\n");
	return 0;
}

static int
auto_start(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->auto_start = true;
	out_say(app->out, "Auto-start selected\n");
	return 0;
}

static int
background(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->daemon = true;
	return 0;
}

static int
help(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->help = true;
	return 0;
}

static int
cmdline_file(struct options *o, struct app *app, const char *value, struct err *e)
{
	if (o->n_scripts == OPTIONS_SCRIPTS_MAX)
		return err_set(e, E2BIG, "--cmdline-file %s: given more than %u times", value,
			OPTIONS_SCRIPTS_MAX);
	o->scripts[o->n_scripts++] = value;
	out_say(app->out, "CLI commands to be read from %s\n", value);
	return 0;
}

/*
 * testpmd divides queues among several identical processes; zcfwd divides them among lcores.
 */
static int
one_process(const char *option, const char *value, uint64_t only, struct err *e)
{
	uint64_t n;
	int ret = value_number(option, value, 0, UINT32_MAX, &n, e);

	if (ret == 0 && n != only)
		return err_set(e, ENOTSUP,
			"--%s=%s: unsupported, queues are spread over lcores, not processes; use --nb-cores=N, or --pipeline-processes=N for workers in other processes",
			option, value);
	return ret;
}

static int
num_procs(struct options *o, struct app *app, const char *value, struct err *e)
{
	return one_process("num-procs", value, 1, e);
}

static int
proc_id(struct options *o, struct app *app, const char *value, struct err *e)
{
	return one_process("proc-id", value, 0, e);
}

static int
hairpin_map(struct options *o, struct app *app, const char *value, struct err *e)
{
	return port_hairpin_map(&app->ports, value, e);
}

static int
keep_going(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->keep_going = true;
	return 0;
}

static int
strict(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->strict = true;
	return 0;
}

static int
prompt(struct options *o, struct app *app, const char *value, struct err *e)
{
	if (value[0] == '\0' || strlen(value) > 32)
		return err_set(e, EINVAL, "--prompt \"%s\": expected 1..32 bytes", value);
	o->prompt = value;
	return 0;
}

static int
history_file(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->history_file = value;
	return 0;
}

static int
output(struct options *o, struct app *app, const char *value, struct err *e)
{
	if (strcmp(value, "json") != 0 && strcmp(value, "text") != 0)
		return err_set(e, EINVAL, "--output \"%s\": expected text or json", value);
	out_format_set(app->out, strcmp(value, "json") == 0 ? OUT_JSON : OUT_TEXT);
	return 0;
}

static int
model(struct options *o, struct app *app, const char *value, struct err *e)
{
	if (value[0] == '\0')
		return err_set(e, EINVAL,
			"--model \"\": expected devices such as xl710,flows=64*2");
	if (o->n_models == OPTIONS_MODELS_MAX)
		return err_set(e, E2BIG, "--model %s: given more than %u times", value,
			OPTIONS_MODELS_MAX);
	o->models[o->n_models++] = value;
	return 0;
}

static int
tx_first(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->tx_first = true;
	out_say(app->out, "Ports to start sending a burst of packets first\n");
	return 0;
}

static int
stats_period(struct options *o, struct app *app, const char *value, struct err *e)
{
	uint64_t n;
	int ret = value_number("stats-period", value, 1, UINT32_MAX, &n, e);

	o->stats_period_s = (unsigned int)n;
	return ret;
}

static int
record(struct options *o, struct app *app, const char *value, struct err *e)
{
	if (value[0] == '\0')
		return err_set(e, EINVAL, "--record \"\": expected a file name");
	o->record = value;
	return 0;
}

static int
control(struct options *o, struct app *app, const char *value, struct err *e)
{
	struct sockaddr_un address;

	o->control = value;
	return control_address(value, &address, e);
}

static int
shim_layouts(struct options *o, struct app *app, const char *value, struct err *e)
{
	struct zcfwd_recycle_error reason;

	return zcfwd_recycle_layouts(value, &reason) == 0 ? 0 : recycle_err(e, &reason);
}

/*
 * testpmd updates the statistics on this forwarding lcore. zcfwd uses a separate thread, so the
 * number is only checked.
 */
static int
any_lcore(const char *option, const char *value, struct err *e)
{
	uint64_t lcore;
	int ret = value_number(option, value, 0, RTE_MAX_LCORE - 1, &lcore, e);

	if (ret == 0 && !rte_lcore_is_enabled((unsigned int)lcore))
		return err_set(e, ENODEV, "--%s %s: lcore %s is not enabled", option, value, value);
	return ret;
}

static int
latencystats(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->metrics.latency = true;
	return any_lcore("latencystats", value, e);
}

static int
bitrate_stats(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->metrics.bit_rate = true;
	return any_lcore("bitrate-stats", value, e);
}

static int
mlockall_on(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->mlockall = true;
	return 0;
}

static int
mlockall_off(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->mlockall = false;
	return 0;
}

static int
forward_mode(struct options *o, struct app *app, const char *value, struct err *e)
{
	const struct engine *engine = run_engine(&app->run, value);

	if (engine == NULL)
		return value_engine_err(&app->run, value, e);
	run_engine_choose(&app->run, engine, app->run.retry);
	out_say(app->out, "Set %s packet forwarding mode\n", value);
	return 0;
}

static int
nb_cores(struct options *o, struct app *app, const char *value, struct err *e)
{
	return value_count("nb-cores", value, app->run.choice.n_lcores, "forwarding lcores",
		&app->run.choice.use_lcores, e);
}

static int
nb_ports(struct options *o, struct app *app, const char *value, struct err *e)
{
	return value_count("nb-ports", value, app->run.choice.n_ports, "ports",
		&app->run.choice.use_ports, e);
}

static int
coremask(struct options *o, struct app *app, const char *value, struct err *e)
{
	uint64_t mask;
	int ret = value_mask("coremask", value, &mask, e);

	return ret != 0 ? ret : choice_coremask(&app->run, mask, e);
}

static int
portmask(struct options *o, struct app *app, const char *value, struct err *e)
{
	uint64_t mask;
	int ret = value_mask("portmask", value, &mask, e);

	return ret != 0 ? ret : choice_portmask(&app->run, mask, e);
}

static int
portlist(struct options *o, struct app *app, const char *value, struct err *e)
{
	uint16_t list[RTE_MAX_ETHPORTS];
	unsigned int n;
	int ret = value_list("portlist", value, list, ARRAY_SIZE(list), &n, e);

	return ret != 0 ? ret : choice_portlist(&app->run, list, n, e);
}

static int
port_topology(struct options *o, struct app *app, const char *value, struct err *e)
{
	return choice_topology(&app->run, value, e);
}

static int
eth_peer(struct options *o, struct app *app, const char *value, struct err *e)
{
	return value_peer(&app->ports, value, e);
}

static int
eth_peers_configfile(struct options *o, struct app *app, const char *value, struct err *e)
{
	return value_peers_file(&app->ports, value, e);
}

static int
print_event(struct options *o, struct app *app, const char *value, struct err *e)
{
	return port_events_tell(&app->ports, value, true, e) != 0 ? err_context(e, "--print-event")
								  : 0;
}

static int
mask_event(struct options *o, struct app *app, const char *value, struct err *e)
{
	return port_events_tell(&app->ports, value, false, e) != 0 ? err_context(e, "--mask-event")
								   : 0;
}

const struct option_row option_rows[] = {
	{ "interactive", NULL, "read commands from the shell (-i)", interactive, .letter = 'i',
		.heading = "Shell and scripts" },
	{ "auto-start", NULL, "start forwarding immediately, with -i or --control (-a)", auto_start,
		.letter = 'a' },
	{ "help", NULL, "print this list (-h)", help, .letter = 'h' },
	{ "cmdline-file", "FILE", "run the commands in FILE first; repeatable, up to 16 times",
		cmdline_file },
	{ "cmdline-file-noecho", "FILE",
		"accepted for testpmd compatibility, like --cmdline-file (neither prints the commands)",
		cmdline_file },
	{ "keep-going", NULL, "continue a command file after a failing line", keep_going },
	{ "strict", NULL,
		"stop at the first failing command from a pipe, with exit status 1, as in a command file",
		strict },
	{ "prompt", "WORD", "prompt of the shell; \"> \" is appended unless it ends with a space",
		prompt },
	{ "history-file", "FILE", "file for the shell's history (empty: no file)", history_file },
	{ "control", "NAME|unix:PATH",
		"take commands at a local socket too; without -i nothing else gives commands (doc/control.md)",
		control, true },
	{ "daemon", NULL,
		"with --control: go on in the background when ready; the log is beside the socket",
		background, true },
	{ "output", "text|json", "output format of commands", output, true },
	{ "model", "DEVICES",
		"create software NICs for the drivers of real ones (xl710, 82599, x540), such as "
		"xl710,flows=64*2; repeatable",
		model, true, .heading = "Devices" },
	{ "tx-first", NULL, "send one burst per stream before forwarding; not with -i", tx_first,
		.heading = "Runs and measurements" },
	{ "stats-period", "SECONDS", "show port statistics periodically, without -i",
		stats_period },
	{ "record", "FILE",
		"record all runs to FILE (see --record-every, --record-polls, --record-size)",
		record },
	{ "shim-layouts", "FILE",
		"layouts of drivers' private queues for recycling and engine direct, made by devtools/layouts from the source of this DPDK; queues that do not match are refused",
		shim_layouts },
	{ "latencystats", "LCORE",
		"measure time from rx to tx (see \"show metrics\"); the lcore is only checked for testpmd compatibility",
		latencystats },
	{ "bitrate-stats", "LCORE",
		"measure bit rates of ports (see \"show metrics\"); the lcore is only checked for testpmd compatibility",
		bitrate_stats },
	{ "mlockall", NULL, "lock all memory (default)", mlockall_on,
		.heading = "Memory of the process" },
	{ "no-mlockall", NULL, "do not lock memory", mlockall_off },
	{ "forward-mode", "ENGINE", "forwarding engine", forward_mode,
		.heading = "Engine, lcores, ports" },
	{ "nb-cores", "N", "forwarding lcores to use", nb_cores },
	{ "nb-ports", "N", "forwarding ports to use", nb_ports },
	{ "coremask", "HEX", "forwarding lcores by mask", coremask },
	{ "portmask", "HEX", "forwarding ports by mask", portmask },
	{ "portlist", "LIST", "forwarding ports in order: 0,2-4", portlist },
	{ "port-topology", "paired|chained|loop", "how ports are connected for forwarding",
		port_topology },
	{ "eth-peer", "PORT,MAC", "destination MAC address of frames sent from PORT", eth_peer },
	{ "eth-peers-configfile", "FILE",
		"file with one destination MAC address per line, for port 0, 1, ...",
		eth_peers_configfile },
	{ "hairpin-map", "RXPORT:RXQ:TXPORT:TXQ:N",
		"connect N hairpin queues, starting with these; overrides the ports of --hairpin-mode; repeatable, up to 64 times",
		hairpin_map },
	{ "num-procs", "1",
		"accepted for testpmd compatibility, no effect (queues are spread over lcores)",
		num_procs },
	{ "proc-id", "0",
		"accepted for testpmd compatibility, no effect (queues are spread over lcores)",
		proc_id },
	{ "print-event", "EVENT", "print port events of this kind, or all; repeatable", print_event,
		.heading = "Port events" },
	{ "mask-event", "EVENT", "do not print port events of this kind, or all; repeatable",
		mask_event },
};
const size_t option_rows_n = ARRAY_SIZE(option_rows);

const struct option_special option_rows_specials[] = {
	{ "burst", "0", value_burst_of_driver },
	{ NULL, NULL, NULL },
};
