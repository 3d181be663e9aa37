/* Command line options: a table of rows, and every setting that has an option name. */
#include "options.h"

#include <rte_lcore.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base.h"
#include "choice.h"
#include "engine.h"
#include "err.h"
#include "option_values.h"
#include "setting.h"

struct row {
	const char *name;
	const char *value; /* its name in the usage; NULL: takes none */
	const char *help;
	int (*apply)(struct options *o, struct app *app, const char *value, struct err *e);
};

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
help(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->help = true;
	return 0;
}

static int
cmdline_file(struct options *o, struct app *app, const char *value, struct err *e)
{
	if (o->n_scripts == OPTIONS_SCRIPTS_MAX)
		return err_set(e, E2BIG, "--cmdline-file %s: at most %u files", value, OPTIONS_SCRIPTS_MAX);
	o->scripts[o->n_scripts++] = value;
	out_say(app->out, "CLI commands to be read from %s\n", value);
	return 0;
}

static int
keep_going(struct options *o, struct app *app, const char *value, struct err *e)
{
	o->keep_going = true;
	return 0;
}

static int
prompt(struct options *o, struct app *app, const char *value, struct err *e)
{
	if (value[0] == '\0' || strlen(value) > 32)
		return err_set(e, EINVAL, "--prompt \"%s\": want a word of 1..32 bytes", value);
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
		return err_set(e, EINVAL, "--output \"%s\": want text or json", value);
	out_format_set(app->out, strcmp(value, "json") == 0 ? OUT_JSON : OUT_TEXT);
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
	int ret = option_values_number("stats-period", value, 1, UINT32_MAX, &n, e);

	o->stats_period_s = (unsigned int)n;
	return ret;
}

/* testpmd updates on a forwarding lcore; here a thread of its own does, so the number is only checked. */
static int
any_lcore(const char *option, const char *value, struct err *e)
{
	uint64_t lcore;
	int ret = option_values_number(option, value, 0, RTE_MAX_LCORE - 1, &lcore, e);

	if (ret == 0 && !rte_lcore_is_enabled((unsigned int)lcore))
		return err_set(e, ENODEV, "--%s %s: lcore %s not enabled", option, value, value);
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
		return option_values_engine_err(&app->run, value, e);
	app->run.engine = engine;
	out_say(app->out, "Set %s packet forwarding mode\n", value);
	return 0;
}

static int
nb_cores(struct options *o, struct app *app, const char *value, struct err *e)
{
	return option_values_count("nb-cores", value, app->run.choice.n_lcores, "forwarding lcores",
		&app->run.choice.use_lcores, e);
}

static int
nb_ports(struct options *o, struct app *app, const char *value, struct err *e)
{
	return option_values_count("nb-ports", value, app->run.choice.n_ports, "ports", &app->run.choice.use_ports, e);
}

static int
coremask(struct options *o, struct app *app, const char *value, struct err *e)
{
	uint64_t mask;
	int ret = option_values_mask("coremask", value, &mask, e);

	return ret != 0 ? ret : choice_coremask(&app->run, mask, e);
}

static int
portmask(struct options *o, struct app *app, const char *value, struct err *e)
{
	uint64_t mask;
	int ret = option_values_mask("portmask", value, &mask, e);

	return ret != 0 ? ret : choice_portmask(&app->run, mask, e);
}

static int
portlist(struct options *o, struct app *app, const char *value, struct err *e)
{
	uint16_t list[RTE_MAX_ETHPORTS];
	unsigned int n;
	int ret = option_values_list("portlist", value, list, ARRAY_SIZE(list), &n, e);

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
	return option_values_peer(&app->ports, value, e);
}

static int
eth_peers_configfile(struct options *o, struct app *app, const char *value, struct err *e)
{
	return option_values_peers_file(&app->ports, value, e);
}

/* An option that gives a setting one fixed value. */
struct fixed {
	const char *name, *setting, *word, *help;
};

static const struct fixed fixed[] = {
	{ "no-flush-rx", "flush_rx", "off", "keep packets that wait in the receive queues at start" },
	{ "disable-link-check", "link-check", "off", "do not wait for links at start" },
	{ "no-numa", "numa", "off", "one pool for all sockets" },
	{ "mp-anon", "mp-alloc", "anon", "the same as --mp-alloc=anon" },
};

static const struct row rows[] = {
	{ "interactive", NULL, "read commands from the shell (-i)", interactive },
	{ "auto-start", NULL, "start forwarding at once, with -i (-a)", auto_start },
	{ "help", NULL, "this list (-h)", help },
	{ "cmdline-file", "FILE", "run the commands in FILE first; may be given 16 times", cmdline_file },
	{ "keep-going", NULL, "a command file goes on after a failing line", keep_going },
	{ "prompt", "WORD", "prompt of the shell", prompt },
	{ "history-file", "FILE", "where the shell keeps its history; empty: nowhere", history_file },
	{ "output", "text|json", "how answers are written", output },
	{ "tx-first", NULL, "send one burst per stream before forwarding; not with -i", tx_first },
	{ "stats-period", "SECONDS", "show port statistics every so often; without -i", stats_period },
	{ "latencystats", "LCORE", "measure how long packets stay, for show metrics; any lcore will do", latencystats },
	{ "bitrate-stats", "LCORE", "measure bits per second of ports, for show metrics; any lcore will do", bitrate_stats },
	{ "mlockall", NULL, "lock all memory (default)", mlockall_on },
	{ "no-mlockall", NULL, "do not lock memory", mlockall_off },
	{ "forward-mode", "ENGINE", "forwarding engine", forward_mode },
	{ "nb-cores", "N", "forwarding lcores to use", nb_cores },
	{ "nb-ports", "N", "forwarding ports to use", nb_ports },
	{ "coremask", "HEX", "forwarding lcores by mask", coremask },
	{ "portmask", "HEX", "forwarding ports by mask", portmask },
	{ "portlist", "LIST", "forwarding ports in order: 0,2-4", portlist },
	{ "port-topology", "paired|chained|loop", "which port forwards to which", port_topology },
	{ "eth-peer", "PORT,MAC", "address that frames sent from PORT go to", eth_peer },
	{ "eth-peers-configfile", "FILE", "one peer address per line, for port 0, 1, ...", eth_peers_configfile },
};

/* The option table of getopt_long: rows, then fixed values, then settings; val is the place in that order. */
static struct option *
table_new(const struct settings *settings)
{
	size_t i, n = ARRAY_SIZE(rows) + ARRAY_SIZE(fixed), n_settings = 0, at = 0;
	struct option *table;

	while (setting_at(settings, n_settings) != NULL)
		n_settings++;
	table = calloc(n + n_settings + 1, sizeof(*table));
	if (table == NULL)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		table[at++] = (struct option){ rows[i].name, rows[i].value != NULL ? required_argument : no_argument,
			NULL, (int)i };
	for (i = 0; i < ARRAY_SIZE(fixed); i++)
		table[at++] = (struct option){ fixed[i].name, no_argument, NULL, (int)(ARRAY_SIZE(rows) + i) };
	for (i = 0; i < n_settings; i++) {
		const struct setting *s = setting_at(settings, i);

		if (s->option != NULL)
			table[at++] = (struct option){ s->option,
				s->kind == SETTING_BOOL ? no_argument : required_argument, NULL, (int)(n + i) };
	}
	return table;
}

/* Apply option number which of the table's order. */
static int
apply(struct options *o, struct app *app, size_t which, const char *value, struct err *e)
{
	const struct setting *s;
	int ret;

	if (which < ARRAY_SIZE(rows))
		return rows[which].apply(o, app, value, e);
	which -= ARRAY_SIZE(rows);
	if (which < ARRAY_SIZE(fixed))
		return setting_parse(app->settings, fixed[which].setting, fixed[which].word, e);
	s = setting_at(app->settings, which - ARRAY_SIZE(fixed));
	if (strcmp(s->option, "burst") == 0 && strcmp(value, "0") == 0)
		return option_values_burst_of_driver(app, e);
	ret = setting_parse(app->settings, s->name, s->kind == SETTING_BOOL ? "on" : value, e);
	return ret != 0 ? err_context(e, "--%s", s->option) : 0;
}

static size_t
row_of_letter(int letter)
{
	size_t i;

	for (i = 0; rows[i].name[0] != (char)letter || strlen(rows[i].name) < 4; i++)
		;
	return i;
}

/* getopt's own verdict in one line of ours. */
static int
refuse(int argc, char **argv, int at, struct err *e)
{
	const char *word = at > 0 && at <= argc ? argv[at - 1] : argv[0];

	if (optopt != 0 && optopt < 256 && strncmp(word, "--", 2) != 0)
		return err_set(e, EINVAL, "-%c: no such option; zcfwd -- --help lists them", optopt);
	if (optopt != 0)
		return err_set(e, EINVAL, "%s: a value is missing, or one is given where none belongs", word);
	return err_set(e, EINVAL, "%s: no such option, or short for several; zcfwd -- --help lists them", word);
}

/* Go through all options; first: apply those that settle how the others answer (--output), else all but those. */
static int
pass(struct options *o, struct app *app, int argc, char **argv, const struct option *table, bool first, struct err *e)
{
	int c, ret = 0;

	opterr = 0;
	optind = 0;
	while (ret == 0 && (c = getopt_long(argc, argv, "+iah", table, NULL)) != -1) {
		size_t which = c == 'i' || c == 'a' || c == 'h' ? row_of_letter(c) : (size_t)c;

		if (c == '?')
			ret = refuse(argc, argv, optind, e);
		else if (first == (which < ARRAY_SIZE(rows) && rows[which].apply == output))
			ret = apply(o, app, which, optarg, e);
	}
	return ret;
}

int
options_parse(struct options *o, struct app *app, int argc, char **argv, struct err *e)
{
	struct option *table = table_new(app->settings);
	int ret;

	if (table == NULL)
		return err_set(e, ENOMEM, "no memory for the options");
	ret = pass(o, app, argc, argv, table, true, e);
	if (ret == 0)
		ret = pass(o, app, argc, argv, table, false, e);
	free(table);
	if (ret != 0)
		return ret;
	if (optind < argc)
		return err_set(e, EINVAL, "\"%s\": want an option, beginning with --", argv[optind]);
	if (o->tx_first && o->interactive)
		return err_set(e, EINVAL, "--tx-first cannot be used on interactive mode.");
	if (setting_u64(app->settings, "rxq") + setting_u64(app->settings, "txq") == 0)
		return err_set(e, EINVAL, "--rxq=0 --txq=0: want at least one queue");
	return 0;
}

static void
usage_line(struct out *out, const char *name, const char *value, const char *text)
{
	char left[64];

	snprintf(left, sizeof(left), "--%s%s%s", name, value != NULL ? "=" : "", value != NULL ? value : "");
	out_text(out, "  %-34s %s", left, text);
}

void
options_usage(const struct app *app, struct out *out)
{
	const struct setting *s;
	char word[256];
	size_t i;

	out_text(out, "zcfwd [EAL options] -- [options]\n\n");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		usage_line(out, rows[i].name, rows[i].value, rows[i].help);
		out_text(out, "\n");
	}
	for (i = 0; i < ARRAY_SIZE(fixed); i++) {
		usage_line(out, fixed[i].name, NULL, fixed[i].help);
		out_text(out, "\n");
	}
	for (i = 0; (s = setting_at(app->settings, i)) != NULL; i++) {
		if (s->option == NULL)
			continue;
		usage_line(out, s->option,
			s->kind == SETTING_BOOL ? NULL : s->choices != NULL ? s->choices : s->unit != NULL ? s->unit : "VALUE",
			s->help);
		if (s->kind == SETTING_UINT)
			out_text(out, ", %" PRIu64 "..%" PRIu64, s->min, s->max);
		out_text(out, " [%s]\n", setting_word(app->settings, s->name, word, sizeof(word)));
	}
}
