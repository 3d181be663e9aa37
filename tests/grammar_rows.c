/* Commands and types for the tests of the grammar, its fuzzer and the shell: as odd as rows can be. */
#include "grammar_rows.h"

#include "base.h"
#include "err.h"

#include <errno.h>
#include <string.h>

static int
port_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	if (strcmp(word, "0") == 0 || strcmp(word, "1") == 0)
		a->number = (uint64_t)(word[0] - '0');
	else if (strcmp(word, "all") == 0)
		a->number = UINT16_MAX;
	else
		return err_set(e, ENODEV, "\"%.64s\" is no port", word);
	return 0;
}

static void
port_offer(const struct app *app, const char *params, const char *prefix, struct offers *o)
{
	offer(o, "0", "net_null0", true);
	offer(o, "1", "net_null1", true);
	offer(o, "all", "every port", true);
}

static int
engine_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	static const char *const names[] = { "io", "mac", "macswap" };

	for (a->number = 0; a->number < ARRAY_SIZE(names); a->number++)
		if (strcmp(word, names[a->number]) == 0)
			return 0;
	return err_set(e, EINVAL, "\"%.64s\" is no engine", word);
}

static void
engine_offer(const struct app *app, const char *params, const char *prefix, struct offers *o)
{
	offer(o, "io", "as it is", true);
	offer(o, "mac", "addresses of the ports", true);
	offer(o, "macswap", "addresses exchanged", true);
}

/* A type that fails without a word. */
static int
mute_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	return strcmp(word, "ok") == 0 ? 0 : -EINVAL;
}

const struct arg_type grammar_rows_types[] = {
	{ "port", "a port", port_parse, port_offer },
	{ "engine", "an engine", engine_parse, engine_offer },
	{ "mute", "ok", mute_parse, NULL },
};
const size_t grammar_rows_types_n = ARRAY_SIZE(grammar_rows_types);

static int
nothing(struct app *app, const struct args *args, struct err *e)
{
	return 0;
}

#define ROW(name, syntax) \
	{ \
		syntax, nothing, "help of " name, NULL, name \
	}

static const struct cmd_row rows[] = {
	ROW("show", "show port (info|stats|summary) <port:port>"),
	ROW("macs", "show port <port:port> macs"),
	ROW("led", "show port <port:port> led"),
	ROW("config", "show config (fwd|rxtx|cores)"),
	ROW("start", "start [tx_first] [<n:uint>]"),
	ROW("stop", "stop"),
	ROW("burst", "set burst <n:uint 1..512>"),
	ROW("delay", "set burst tx delay <us:uint> retry <n:uint>"),
	ROW("fwd", "set fwd <engine:engine> [retry]"),
	ROW("promisc", "set promisc <port:port> <on:word on|off>"),
	ROW("port", "set port <port:port> led <on:word on|off>"),
	ROW("portlist", "set portlist <ports:list 0..31>"),
	ROW("lists", "set lists <a:list> <b:list>"),
	ROW("mask", "set portmask <mask:hex>"),
	ROW("peer", "set eth-peer <port:port> <mac:mac>"),
	ROW("echo", "echo <words:text>"),
	ROW("all", "port config all (rxq|txq) <n:uint 1..1024>"),
	ROW("one", "port config <port:port> speed <speed:str>"),
	ROW("retry", "retry [retry <retry:uint>] [quick]"),
	ROW("device", "device <name:str>"),
	ROW("every", "device all"),
	ROW("load", "load <file:file>"),
	ROW("mute", "mute <m:mute>"),
	ROW("narrow", "range <n:uint 10..20>"),
	ROW("wide", "range <n:uint 100..200> <m:uint>"),
	ROW("twin1", "twin <a:uint>"),
	ROW("twin2", "twin <b:uint>"),
	ROW("quit", "quit"),
	ROW("quitter", "quitter <n:uint>"),
};
const struct cmd_table grammar_rows = { "test", "rows for tests", rows, ARRAY_SIZE(rows) };

struct grammar *
grammar_rows_new(struct err *e)
{
	static const struct cmd_table *const tables[] = { &grammar_rows };

	return grammar_new(tables, ARRAY_SIZE(tables), grammar_rows_types, grammar_rows_types_n,
		NULL, e);
}
