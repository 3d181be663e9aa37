/* Argument types of the program: which words they accept and which they offer at TAB. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "args.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "base/text.h"
#include "cmdline/grammar/offers.h"
#include "cmdline/grammar/words.h"
#include "compat.h"
#include "engines/engine.h"
#include "port/port_conf.h"
#include "run/run_engines.h"
#include "run/timed.h"

#include <rte_ethdev.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIAL_SETTINGS 4 /* of a row at most */

static int
port_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	char *end;

	errno = 0;
	a->number = strtoull(word, &end, 0);
	if (word[0] < '0' || word[0] > '9' || *end != '\0')
		return err_set(e, EINVAL, "\"%s\" is not a port number", word);
	if (errno != 0 || a->number >= UINT16_MAX)
		return err_set(e, ERANGE, "%s is above %u", word, UINT16_MAX - 1);
	return 0;
}

static void
port_offer(const struct app *app, const char *params, const char *prefix, struct offers *o)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(&app->ports, ids);
	char word[8], name[RTE_ETH_NAME_MAX_LEN];

	for (i = 0; i < n; i++) {
		snprintf(word, sizeof(word), "%u", ids[i]);
		if (compat_port_name(ids[i], name) != 0)
			name[0] = '\0';
		offer(o, word, name, true);
	}
}

static int
ports_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	if (strcmp(word, "all") == 0) {
		a->number = PORT_ALL;
		return 0;
	}
	return port_parse(app, params, word, a, e);
}

static void
ports_offer(const struct app *app, const char *params, const char *prefix, struct offers *o)
{
	port_offer(app, params, prefix, o);
	offer(o, "all", "every port", true);
}

static int
engine_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	unsigned int i;

	for (i = 0; app->run.engines[i] != NULL; i++) {
		if (strcmp(app->run.engines[i]->name, word) == 0) {
			a->number = i;
			return 0;
		}
	}
	return err_set(e, EINVAL, "unknown engine \"%s\"", word);
}

static void
engine_offer(const struct app *app, const char *params, const char *prefix, struct offers *o)
{
	unsigned int i;

	for (i = 0; app->run.engines[i] != NULL; i++)
		offer(o, app->run.engines[i]->name, app->run.engines[i]->help, true);
}

static int
amount_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	const char *unit;
	double number;

	if (text_amount_check(word, &number, &unit, e) != 0)
		return -e->code;
	a->number = (uint64_t)number;
	return 0;
}

/* A size in bytes; K, M and G are powers of 1024. */
static int
bytes_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	static const char suffixes[] = "KMG";
	unsigned int shift = 0;
	char *end;

	errno = 0;
	a->number = strtoull(word, &end, 0);
	if (*end != '\0' && strchr(suffixes, *end) != NULL)
		shift = 10 * (unsigned int)(strchr(suffixes, *end++) - suffixes + 1);
	if (word[0] < '0' || word[0] > '9' || *end != '\0')
		return err_set(e, EINVAL, "\"%s\" is not a size in bytes", word);
	if (errno != 0 || a->number > UINT64_MAX >> shift)
		return err_set(e, ERANGE, "%s exceeds the address space", word);
	a->number <<= shift;
	return 0;
}

/* A number of 32 bits; a negative one means none, UINT32_MAX. */
static int
id_parse(const struct app *app, const char *params, const char *word, struct arg *a, struct err *e)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(word, &end, 0);
	if ((word[0] != '-' && (word[0] < '0' || word[0] > '9')) || *end != '\0' || end == word)
		return err_set(e, EINVAL, "\"%s\" is not a number", word);
	if (errno != 0 || n > UINT32_MAX || n < INT32_MIN)
		return err_set(e, ERANGE, "%s is out of range", word);
	a->number = n < 0 ? UINT32_MAX : (uint64_t)n;
	return 0;
}

static int
offload_parse(const char *(*name_of)(uint64_t), const char *word, struct arg *a, struct err *e)
{
	unsigned int bit;

	if (strcmp(word, "all") == 0) {
		a->number = PORT_CONF_OFFLOADS;
		return 0;
	}
	for (bit = 0; bit < 64; bit++) {
		if (strcasecmp(name_of(UINT64_C(1) << bit), word) == 0 &&
			strcmp(word, "UNKNOWN") != 0) {
			a->number = UINT64_C(1) << bit;
			return 0;
		}
	}
	return err_set(e, EINVAL, "unknown offload \"%s\"", word);
}

static void
offload_offer(const char *(*name_of)(uint64_t), struct offers *o)
{
	char name[64];
	unsigned int bit, i;

	for (bit = 0; bit < 64; bit++) {
		const char *known = name_of(UINT64_C(1) << bit);

		if (strcmp(known, "UNKNOWN") == 0)
			continue;
		for (i = 0; known[i] != '\0' && i + 1 < sizeof(name); i++)
			name[i] = known[i] >= 'A' && known[i] <= 'Z' ? (char)(known[i] - 'A' + 'a')
								     : known[i];
		name[i] = '\0';
		offer(o, name, "", true);
	}
	offer(o, "all", "every offload that a port supports", true);
}

static int
rx_offload_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	return offload_parse(rte_eth_dev_rx_offload_name, word, a, e);
}

static void
rx_offload_offer(const struct app *app, const char *params, const char *prefix, struct offers *o)
{
	offload_offer(rte_eth_dev_rx_offload_name, o);
}

static int
tx_offload_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	return offload_parse(rte_eth_dev_tx_offload_name, word, a, e);
}

static void
tx_offload_offer(const struct app *app, const char *params, const char *prefix, struct offers *o)
{
	offload_offer(rte_eth_dev_tx_offload_name, o);
}

/* An IPv4 or IPv6 address; the number becomes 4 or 6. */
static int
ip_parse(const struct app *app, const char *params, const char *word, struct arg *a, struct err *e)
{
	uint8_t bytes[16];

	a->number = inet_pton(AF_INET, word, bytes) == 1 ? 4
		: inet_pton(AF_INET6, word, bytes) == 1  ? 6
							 : 0;
	return a->number != 0 ? 0 : err_set(e, EINVAL, "\"%s\" is not an IP address", word);
}

/* Offer the words that may follow in the text of the setting that params names. */
static void
setting_offer(const struct app *app, const char *params, const char *before, struct offers *o)
{
	const struct setting *row = setting_find(app->settings, params);
	struct words r;
	struct err e;

	err_clear(&e);
	words_open(&r, before, 0, NULL);
	o->complete = row->read(&r, &e) == 0;
	arg_rest_offer(&r, o);
	words_close(&r);
}

static const struct arg_type types[] = {
	{ "port", "a port number", port_parse, port_offer },
	{ "ports", "a port number or all", ports_parse, ports_offer },
	{ "engine", "a forwarding engine", engine_parse, engine_offer },
	{ "amount", "an amount such as 10s, 500ms or 1000packets", amount_parse, NULL },
	{ "bytes", "a size such as 65536, 64K, 2M or 1G", bytes_parse, NULL },
	{ "rx_offload", "a receive offload", rx_offload_parse, rx_offload_offer },
	{ "tx_offload", "a transmit offload", tx_offload_parse, tx_offload_offer },
	{ "ip", "an IPv4 or IPv6 address", ip_parse, NULL },
	{ "id", "a number 0..4294967295, or -1: none", id_parse, NULL },
	{ "setting", "text to the end of the line", arg_rest_parse, NULL, setting_offer },
};
const struct arg_table types_app = { types, ARRAY_SIZE(types) };

int
arg_rest_parse(const struct app *app, const char *params, const char *word, struct arg *a,
	struct err *e)
{
	return 0;
}

void
arg_rest_offer(const struct words *r, struct offers *o)
{
	o->files = r->n == 0 && r->offers.files;
	for (size_t i = 0; r->n == 0 && i < r->offers.n; i++) {
		const struct offers_item *item = &r->offers.items[i];

		(item->hint ? offers_hint(o, item->word, item->help)
			    : offer(o, item->word, item->help, item->final));
	}
}

uint16_t
arg_port(const struct args *a)
{
	return (uint16_t)arg_u64(a, "port", 0);
}

void
arg_numbers(const struct args *a, uint64_t *n)
{
	for (unsigned int i = 0; i < a->n; i++)
		if (strcmp(a->arg[i].name, "port") != 0)
			*n++ = a->arg[i].number;
}

int
arg_on_port(struct app *app, const struct args *a, struct err *e)
{
	const struct arg_ports_call *row = a->data;

	return row->port(&app->ports, arg_port(a), e);
}

int
arg_on_queue(struct app *app, const struct args *a, struct err *e)
{
	const struct arg_ports_call *row = a->data;
	const bool rx = arg_is(a, "way", "rxq") || arg_is(a, "way", "rx");

	return row->queue(&app->ports, arg_port(a), arg_queue(a), rx, e);
}

int
arg_on_ports(struct app *app, const struct args *a, struct err *e)
{
	const struct arg_ports_call *row = a->data;

	return row->line(&app->ports, a, e);
}

uint16_t
arg_queue(const struct args *a)
{
	return (uint16_t)arg_u64(a, "queue", 0);
}

bool
arg_on(const struct args *a)
{
	return arg_is(a, "state", "on");
}

int
arg_explain(int ret, struct err *e, const char *theirs, const char *fmt, ...)
{
	const size_t n = strlen(e->text);
	char line[sizeof(e->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (ret < 0 && strncmp(e->text, theirs, strlen(theirs)) == 0)
		snprintf(e->text + n, sizeof(e->text) - n, "\n%s", line);
	return ret;
}

int
arg_check_readable(struct app *app, const struct args *a, struct err *e)
{
	const char *file = arg_str(a, "file", NULL);

	if (file == NULL || access(file, R_OK) == 0)
		return 0;
	return arg_err(a, "file", e, errno, "cannot read %s: %s", file, strerror(errno));
}

int
arg_check_folder(struct app *app, const struct args *a, struct err *e)
{
	const char *file = arg_str(a, "file", ""), *slash = strrchr(file, '/');
	char folder[LINE_BYTES];
	struct stat st;

	if (stat(file, &st) == 0 && S_ISDIR(st.st_mode))
		return arg_err(a, "file", e, EISDIR, "%s is a directory: expected a file", file);
	snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash + 1 - file) : 0, file);
	if (slash == NULL || (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	return arg_err(a, "file", e, ENOENT, "cannot write %s: no directory %s", file, folder);
}

int
arg_on_run(struct app *app, const struct args *a, struct err *e)
{
	const struct arg_run_call *row = a->data;

	if (row->line != NULL)
		return row->line(&app->run, a, e);
	if (row->plain != NULL)
		return row->plain(&app->run, e);
	row->show(&app->run);
	return 0;
}

int
arg_on_engine(struct app *app, const struct args *a, struct err *e)
{
	const struct arg_engine_call *row = a->data;
	const struct run *r = &app->run;

	if (row->show == NULL)
		return run_engines_show(r, row->engine, e);
	if (r->streams == NULL || r->engine_run != row->engine)
		return err_set(e, ENOENT, "no statistics yet: use \"set fwd %s\", then \"start\"",
			row->engine->name);
	row->show(app->out, r->streams, r->plan.n_streams, r->running);
	return 0;
}

int
arg_on_settings(struct app *app, const struct args *a, struct err *e)
{
	const struct arg_settings_call *row = a->data;

	return row->line(app->settings, a, e);
}

int
arg_on_config(struct app *app, const struct args *a, struct err *e)
{
	const struct arg_config_call *row = a->data;

	void *config = run_engines_config(&app->run, row->engine);

	if (row->line != NULL)
		return row->line(config, a, app->out, e);
	row->change(config);
	return 0;
}

/* Run an engine with the values given, and restore the present ones. */
static int
trial_run(struct app *app, const struct arg_trial_call *row, struct err *e)
{
	const struct timed_length length = { .n = row->length_ms };
	struct run *r = &app->run;
	const struct engine *engine = r->engine;
	char *before[TRIAL_SETTINGS];
	bool cut = false;
	int ret = 0;

	assert(row->n <= ARRAY_SIZE(before));
	if (settings_save(r->settings, row->names, row->n, before, e) != 0)
		return -e->code;
	for (size_t i = 0; i < row->n && ret == 0; i++)
		ret = setting_parse(r->settings, row->names[i], row->values[i], e);
	run_engine_choose(r, row->engine, r->retry);
	if (ret == 0)
		ret = timed_silent(r, &app->interrupt, &length, &cut, e);
	if (ret == 0 && cut)
		ret = err_set(e, EINTR, "stopped by a signal: nothing was measured");
	run_engine_choose(r, engine, r->retry);
	if (settings_restore(r->settings, row->names, row->n, before, e) != 0)
		ret = -e->code;
	return ret;
}

int
arg_on_trial(struct app *app, const struct args *a, struct err *e)
{
	const struct arg_trial_call *row = a->data;
	struct run *r = &app->run;

	if (r->secondary)
		return err_set(e, ENOTSUP, "%s measures only in the primary process",
			row->engine->name);
	if (run_busy(r))
		return err_set(e, EBUSY, "Please stop forwarding first");
	if (run_engine_trial(r, e) == NULL || trial_run(app, row, e) != 0)
		return -e->code;
	return row->look(app->out, run_engines_config(r, r->engine_run), r->streams,
		r->plan.n_streams, r->choice.ports, r->choice.use_ports, e);
}
