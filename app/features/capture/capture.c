/* Captures: packets of a port go to a pcap file, or to the pipe of a tap, during forwarding, through a
 * libpcap filter. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "features/capture/capture_tap.h"
#include "features/capture/capture_writer.h"
#include "port/port.h"
#include "port/port_feature.h"

#include <rte_common.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What `capture start` or `tap start` asks for. */
struct capture_plan {
	uint16_t port;
	const char *path;
	bool piped;     /* path is that of a pipe */
	bool overwrite; /* also if the file is not empty */
	bool rx, tx;
	const char *filter; /* libpcap's language; NULL: every packet */
	uint64_t max;       /* packets after which the capture ends; 0: none */
	uint32_t snaplen;   /* bytes kept of each packet, 1..65535 */
};

extern const struct port_feature port_feature_capture;

#define TAPS_KEPT 64        /* that have ended and were not asked for */
#define OPTIMISED_MOST 4096 /* instructions of a filter, optimised in about 0.1 s */

/* clang-format off */
static const struct setting setting_rows[] = {
	{ .name = "capture-buffer", .option = SETTING_NONE, .unit = "bytes",
		.min = CAPTURE_QUEUE_MIN, .max = UINT64_C(1) << 32, .value = 1 << 20,
		.when = SETTING_NOW,
		.help = "buffer for packets not yet written to disk, per captured queue, rounded up to a power of two; applies to the next capture" },
};
/* clang-format on */
const struct setting_table capture_settings = SETTING_TABLE("Captures", setting_rows);

struct capture {
	struct capture *next; /* of the taps */
	uint16_t port;
	bool rx, tx;
	char *path, *expression; /* of the filter, NULL: none */
	size_t buffer;
	struct capture_filter filter;
	struct capture_writer writer;
	bool live;                  /* taps and thread exist */
	bool ended_itself;          /* ended early, not reported by capture stop yet */
	int error;                  /* errno that ended the capture; 0: none */
	struct capture_stats total; /* valid after the end */
};

/* What all ports share. */
struct captures {
	struct capture *of[RTE_MAX_ETHPORTS]; /* current or last capture of each port */
	struct capture *taps;         /* to pipes, newest first: live, or not asked for since */
	struct capture_tap *retired;  /* a worker may still enter their callback */
	struct capture_tap *stranded; /* ethdev may call them until EAL ends */
};

static struct captures *
captures_of(const struct ports *ps)
{
	return port_feature_shared(ps, &port_feature_capture);
}

static struct capture_stats
stats_of(const struct capture *k)
{
	unsigned int n = atomic_load_explicit(&k->writer.n_taps, memory_order_relaxed);
	struct capture_stats f = k->total;

	if (!k->live)
		return f;
	/*
	 * Read in reverse order, so that packets counted meanwhile make seen too large, not the
	 * others; packets not yet written have the same effect.
	 */
	f.written = counter_read(&k->writer.written);
	for (unsigned int i = 0; i < n; i++) {
		f.dropped += counter_read(&k->writer.taps[i]->dropped);
		f.filtered += counter_read(&k->writer.taps[i]->filtered);
		f.seen += counter_read(&k->writer.taps[i]->seen);
	}
	return f;
}

static void
list_free(struct capture_tap **list)
{
	struct capture_tap *t;

	while ((t = *list) != NULL) {
		*list = t->next;
		capture_tap_free(t);
	}
}

static void
capture_free(struct capture *k)
{
	if (k == NULL)
		return;
	pcap_freecode(&k->filter.program);
	free(k->path);
	free(k->expression);
	free(k);
}

/* Close the taps, end the writer, sum up; the taps are kept until no worker can use them. */
static void
end(struct ports *ps, struct capture *k)
{
	struct captures *c = captures_of(ps);
	struct capture_writer *w = &k->writer;
	unsigned int n = atomic_load_explicit(&w->n_taps, memory_order_relaxed);
	bool removed[CAPTURE_TAPS_MAX];
	struct capture_stats f;

	for (unsigned int i = 0; i < n; i++)
		removed[i] = capture_tap_close(w->taps[i]);
	capture_writer_end(w);
	f = stats_of(k);
	f.dropped += w->taken - f.written;
	k->error = capture_writer_close(w, &f);
	k->total = f;
	k->live = false;
	for (unsigned int i = 0; i < n; i++) {
		struct capture_tap **list = removed[i] ? &c->retired : &c->stranded;

		capture_tap_empty(w->taps[i]);
		w->taps[i]->next = *list;
		*list = w->taps[i];
	}
	atomic_store(&w->n_taps, 0);
}

/* End a capture and print its result; this is its only message. */
static void
end_say(struct ports *ps, struct capture *k)
{
	const struct capture_stats *f = &k->total;
	const char *what = k->writer.piped ? "Tap" : "Capture";
	struct out *out = ps->out;

	end(ps, k);
	if (k->error != 0)
		out_warn(out,
			"%s of port %u ended early, %s: %s; %" PRIu64 " packets written, %" PRIu64
			" dropped\n",
			what, k->port, k->path, strerror(k->error), f->written, f->dropped);
	else
		out_say(out,
			"%s of port %u: %" PRIu64 " packets written to %s, %" PRIu64
			" filtered out, %" PRIu64 " dropped\n",
			what, k->port, f->written, k->path, f->filtered, f->dropped);
}

/* True if the capture has a tap on the queue. */
static bool
is_tapped(const struct capture *k, uint16_t queue, bool rx)
{
	unsigned int n = atomic_load_explicit(&k->writer.n_taps, memory_order_relaxed);

	for (unsigned int i = 0; i < n; i++)
		if (k->writer.taps[i]->rx == rx && k->writer.taps[i]->queue == queue)
			return true;
	return false;
}

static int
tap_queues(struct capture *k, bool rx, uint16_t n, struct err *e)
{
	for (uint16_t q = 0; q < n; q++) {
		struct capture_tap *t;

		if (is_tapped(k, q, rx))
			continue;
		t = capture_tap_open(k->port, q, rx, k->buffer, &k->filter, e);
		if (t == NULL)
			return -e->code;
		capture_writer_add(&k->writer, t);
	}
	return 0;
}

/* Tap all queues of the port. */
static int
tap_port(struct capture *k, struct err *e)
{
	struct rte_eth_dev_info info;
	int ret = rte_eth_dev_info_get(k->port, &info);

	if (ret != 0)
		return err_set(e, -ret, "port %u: %s", k->port, strerror(-ret));
	if (info.nb_rx_queues + info.nb_tx_queues == 0)
		return err_set(e, ENETDOWN,
			"port %u has no queues yet; use \"port start %u\" first", k->port, k->port);
	if (k->rx)
		ret = tap_queues(k, true, RTE_MIN(info.nb_rx_queues, PORT_QUEUES_MAX), e);
	if (k->tx && ret == 0)
		ret = tap_queues(k, false, RTE_MIN(info.nb_tx_queues, PORT_QUEUES_MAX), e);
	return ret;
}

/*
 * Compile a filter in tcpdump's syntax. The time of libpcap's optimiser grows with the cube of the
 * program's length (many seconds for a long list of ports), so long programs are not optimised.
 */
static int
compile(pcap_t *shape, struct bpf_program *program, const char *filter)
{
	int ret = pcap_compile(shape, program, filter, 0, PCAP_NETMASK_UNKNOWN);

	if (ret != 0 || program->bf_len > OPTIMISED_MOST)
		return ret;
	pcap_freecode(program);
	return pcap_compile(shape, program, filter, 1, PCAP_NETMASK_UNKNOWN);
}

static int
filter_compile(struct capture *k, struct err *e)
{
	pcap_t *shape = pcap_open_dead(DLT_EN10MB, CAPTURE_BYTES_MAX);
	int ret = 0;

	if (shape == NULL)
		return err_set(e, ENOMEM, "capture: no memory for a filter");
	k->filter.filtered = k->expression != NULL;
	if (k->expression != NULL && compile(shape, &k->filter.program, k->expression) != 0)
		ret = err_set(e, EINVAL, "filter \"%s\": %s", k->expression, pcap_geterr(shape));
	pcap_close(shape);
	return ret;
}

static struct capture *
capture_new(const struct ports *ps, const struct capture_plan *plan, struct err *e)
{
	struct capture *k = aligned_alloc(CACHE_PAIR, RTE_ALIGN_CEIL(sizeof(*k), CACHE_PAIR));

	if (k != NULL) {
		memset(k, 0, sizeof(*k));
		k->path = strdup(plan->path);
		k->expression = plan->filter != NULL ? strdup(plan->filter) : NULL;
	}
	if (k == NULL || k->path == NULL || (plan->filter != NULL && k->expression == NULL)) {
		capture_free(k);
		err_set(e, ENOMEM, "capture: no memory");
		return NULL;
	}
	k->port = plan->port;
	k->rx = plan->rx;
	k->tx = plan->tx;
	k->buffer = rte_align64pow2(setting_u64(ps->settings, "capture-buffer"));
	k->filter.snaplen = plan->snaplen;
	k->filter.limited = plan->max > 0;
	atomic_init(&k->filter.left, (long long)plan->max);
	k->writer.piped = plan->piped;
	k->writer.filter = &k->filter;
	k->writer.max = plan->max;
	return k;
}

/* Open the pipe of a tap. */
static int
pipe_open(const struct ports *ps, struct capture *k, const char *version, struct err *e)
{
	char program[64], name[16], device[RTE_ETH_NAME_MAX_LEN];
	const struct capture_pipe_head head = { .program = program,
		.name = name,
		.device = rte_eth_dev_get_name_by_port(k->port, device) == 0 ? device : NULL,
		.filter = k->expression,
		.snaplen = k->filter.snaplen,
		.now = capture_clock_read(ps->tsc_hz) };

	snprintf(program, sizeof(program), "zcfwd %s", version);
	snprintf(name, sizeof(name), "port %u", k->port);
	return capture_pipe_open(&k->writer.pipe, k->path, &head, e);
}

/* Create file, thread and taps; on failure undo all. */
static int
begin(struct ports *ps, struct capture *k, bool overwrite, const char *version, struct err *e)
{
	static const struct capture_stats none;
	int ret = filter_compile(k, e);

	if (ret == 0 && k->writer.piped)
		ret = pipe_open(ps, k, version, e);
	else if (ret == 0)
		ret = capture_file_open(&k->writer.file, k->path, overwrite, k->filter.snaplen,
			ps->tsc_hz, e);
	if (ret != 0)
		return ret;
	ret = capture_writer_open(&k->writer, e);
	if (ret != 0) {
		capture_writer_close(&k->writer, &none);
		return ret;
	}
	k->live = true;
	ret = tap_port(k, e);
	if (ret != 0)
		end(ps, k);
	return ret;
}

/*
 * Errors: ENODEV no such port; ENETDOWN the port has no queues yet; EBUSY the port is already
 * captured, or another capture writes the file; EINVAL wrong filter, with libpcap's message; ENOMEM;
 * errors of creating the file.
 */
static int
capture_start(struct app *app, const struct args *a, struct err *e)
{
	const char *ways = arg_str(a, "ways", "both");
	const struct capture_plan plan = {
		.port = arg_port(a),
		.path = arg_str(a, "file", ""),
		.overwrite = arg_given(a, "replace"),
		.rx = strcmp(ways, "tx") != 0,
		.tx = strcmp(ways, "rx") != 0,
		.filter = arg_str(a, "expression", NULL),
		.max = arg_u64(a, "n", 0),
		.snaplen = (uint32_t)arg_u64(a, "bytes", 65535),
	};
	struct ports *ps = &app->ports;
	struct capture **of = captures_of(ps)->of, *k;
	int ret;

	if (port_find(ps, plan.port, e) == NULL)
		return -e->code;
	k = of[plan.port];
	if (k != NULL && k->live)
		return err_set(e, EBUSY, "port %u is captured to %s: capture stop %u first",
			plan.port, k->path, plan.port);
	k = capture_new(ps, &plan, e);
	if (k == NULL)
		return -e->code;
	ret = begin(ps, k, plan.overwrite, app->version, e);
	if (ret != 0) {
		capture_free(k);
		return ret;
	}
	capture_free(of[plan.port]);
	of[plan.port] = k;
	return 0;
}

/*
 * A capture that ended by itself (packet limit, full disk) is reported by its first stop, since the
 * user may not have noticed its end. Errors: ENOENT no such capture.
 */
static int
capture_stop(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	const struct captures *c = captures_of(ps);
	const uint16_t port = arg_port(a);
	unsigned int n = 0;

	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++) {
		if ((port != PORT_ALL && port != i) || c->of[i] == NULL || !c->of[i]->live)
			continue;
		end_say(ps, c->of[i]);
		n++;
	}
	for (unsigned int i = 0, live = n; i < RTE_MAX_ETHPORTS && live == 0; i++) {
		struct capture *k = c->of[i];

		if ((port != PORT_ALL && port != i) || k == NULL || !k->ended_itself)
			continue;
		k->ended_itself = false;
		out_say(ps->out,
			"Capture of port %u has ended already: %" PRIu64 " packets written to %s\n",
			i, k->total.written, k->path);
		n++;
	}
	if (n > 0)
		return 0;
	return port == PORT_ALL ? err_set(e, ENOENT, "no port is captured")
				: err_set(e, ENOENT, "port %u is not captured", port);
}

/* Print the members of an object that is open in JSON. */
static void
show_members(struct out *o, const struct capture *k)
{
	const struct capture_stats f = stats_of(k);
	const bool running = k->live && !atomic_load(&k->writer.finished);

	out_text(o, "%s of ", k->writer.piped ? "Tap" : "Capture");
	out_u64(o, "port", "port %" PRIu64, k->port);
	out_str(o, "ways", " (%s)", k->rx && k->tx ? "both" : k->rx ? "rx" : "tx");
	out_str(o, "file", " to %s", k->path);
	out_bool(o, "running", ": %s\n", running, "running", "ended");
	out_str(o, "filter", k->expression != NULL ? "  filter \"%s\"\n" : NULL, k->expression);
	out_u64(o, "max", k->writer.max > 0 ? "  ends after %" PRIu64 " packets\n" : NULL,
		k->writer.max);
	out_u64(o, "snaplen", NULL, k->filter.snaplen);
	out_str(o, "failure", k->error != 0 ? "  ended early: %s\n" : NULL,
		k->error != 0 ? strerror(k->error) : NULL);
	out_u64(o, "seen", "  %-20" PRIu64 " seen\n", f.seen);
	out_u64(o, "filtered", "  %-20" PRIu64 " filtered out\n", f.filtered);
	out_u64(o, "dropped", "  %-20" PRIu64, f.dropped);
	out_text(o, " dropped: %s\n",
		k->writer.piped ? "the reader was too slow" : "capture buffer or file full");
	out_u64(o, "written", "  %-20" PRIu64 " written\n", f.written);
}

static void
show_one(struct out *o, const struct capture *k)
{
	out_nest(o, NULL, OUT_OBJECT);
	show_members(o, k);
	out_unnest(o);
}

/*
 * After the end of a capture seen == filtered + dropped + written; before, packets not yet written
 * are only in seen.
 */
static int
capture_show(struct app *app, const struct args *a, struct err *e)
{
	const struct captures *c = captures_of(&app->ports);

	out_nest(app->out, "captures", OUT_ARRAY);
	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++)
		if (c->of[i] != NULL)
			show_one(app->out, c->of[i]);
	out_unnest(app->out);
	out_nest(app->out, "taps", OUT_ARRAY);
	for (const struct capture *k = c->taps; k != NULL; k = k->next)
		show_one(app->out, k);
	out_unnest(app->out);
	return 0;
}

/*
 * Taps: captures into the pipe of a client, which asks for the figures when it has read all. A port may
 * have several.
 */

/* Forget the first of the list. */
static void
tap_drop(struct capture **at)
{
	struct capture *k = *at;

	*at = k->next;
	capture_free(k);
}

/*
 * End taps whose pipe has failed. Those without a reader are forgotten: no client is left to ask. So are
 * the oldest of many that have ended, whose clients were killed before they asked.
 */
static void
taps_sweep(struct ports *ps)
{
	struct captures *c = captures_of(ps);
	struct capture **at = &c->taps, *k;
	unsigned int n = 0;

	while ((k = *at) != NULL) {
		if (k->live && atomic_load(&k->writer.finished))
			end(ps, k);
		n += !k->live;
		if (!k->live && (k->error == EPIPE || n > TAPS_KEPT))
			tap_drop(at);
		else
			at = &k->next;
	}
}

/*
 * Errors: ENODEV no such port; ENETDOWN the port has no queues yet; EINVAL wrong filter, with libpcap's
 * message, or no FIFO; ENXIO it has no reader; EBUSY another tap writes to it; ENOMEM.
 */
static int
tap_start(struct app *app, const struct args *a, struct err *e)
{
	const char *ways = arg_str(a, "ways", "both");
	const struct capture_plan plan = {
		.port = arg_port(a),
		.path = arg_str(a, "pipe", ""),
		.piped = true,
		.rx = strcmp(ways, "tx") != 0,
		.tx = strcmp(ways, "rx") != 0,
		.filter = arg_str(a, "expression", NULL),
		.snaplen = (uint32_t)arg_u64(a, "bytes", CAPTURE_BYTES_MAX),
	};
	struct ports *ps = &app->ports;
	struct capture *k;
	int ret;

	taps_sweep(ps);
	if (port_find(ps, plan.port, e) == NULL)
		return -e->code;
	k = capture_new(ps, &plan, e);
	if (k == NULL)
		return -e->code;
	ret = begin(ps, k, false, app->version, e);
	if (ret != 0) {
		capture_free(k);
		return ret;
	}
	k->next = captures_of(ps)->taps;
	captures_of(ps)->taps = k;
	return 0;
}

/* Errors: ENOENT no tap writes to that pipe. */
static int
tap_stop(struct app *app, const struct args *a, struct err *e)
{
	const char *path = arg_str(a, "pipe", "");
	struct captures *c = captures_of(&app->ports);
	struct capture **at = &c->taps;

	while (*at != NULL && strcmp((*at)->path, path) != 0)
		at = &(*at)->next;
	if (*at == NULL)
		return err_set(e, ENOENT, "no tap writes to %s", path);
	if ((*at)->live)
		end(&app->ports, *at);
	show_members(app->out, *at);
	tap_drop(at);
	return 0;
}

/* Errors: EINVAL wrong filter, with libpcap's message. */
static int
tap_check(struct app *app, const struct args *a, struct err *e)
{
	struct capture k = { .expression = strdup(arg_str(a, "expression", "")) };
	int ret;

	if (k.expression == NULL)
		return err_set(e, ENOMEM, "tap: no memory");
	ret = filter_compile(&k, e);
	pcap_freecode(&k.filter.program);
	free(k.expression);
	return ret;
}

/* Tap the queues that a captured port got since the start of its capture. */
static int
run(struct ports *ps, struct port *p, struct err *e)
{
	const struct captures *c = captures_of(ps);
	struct capture *k = c->of[p->id];
	int ret = k != NULL && k->live ? tap_port(k, e) : 0;

	for (k = c->taps; k != NULL && ret == 0; k = k->next)
		if (k->live && k->port == p->id)
			ret = tap_port(k, e);
	return ret;
}

static void
leaving(struct ports *ps, struct port *p)
{
	const struct captures *c = captures_of(ps);
	struct capture *k = c->of[p->id];

	if (k != NULL && k->live)
		end_say(ps, k);
	for (k = c->taps; k != NULL; k = k->next)
		if (k->live && k->port == p->id)
			end_say(ps, k);
}

/* Report the captures that have ended, and free what workers no longer use. */
static void
prompt(struct ports *ps)
{
	struct captures *c = captures_of(ps);

	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++) {
		struct capture *k = c->of[i];

		if (k != NULL && k->live && atomic_load(&k->writer.finished)) {
			end_say(ps, k);
			k->ended_itself = true;
		}
	}
	taps_sweep(ps);
	if (!ps->forwarding)
		list_free(&c->retired);
}

/* No worker runs any more. */
static void
finish(struct ports *ps)
{
	struct captures *c = captures_of(ps);

	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++) {
		if (c->of[i] != NULL && c->of[i]->live)
			end_say(ps, c->of[i]);
		capture_free(c->of[i]);
		c->of[i] = NULL;
	}
	while (c->taps != NULL) {
		if (c->taps->live)
			end_say(ps, c->taps);
		tap_drop(&c->taps);
	}
	list_free(&c->retired);
	list_free(&c->stranded);
}

const struct port_feature port_feature_capture = {
	.name = "capture",
	.shared_size = sizeof(struct captures),
	.run = run,
	.prompt = prompt,
	.end = finish,
	.at = { [PORT_LEAVING] = leaving },
};

static const struct cmd_row cmd_rows[] = {
	{ "capture start <port:port> file <file:file> {<replace:word overwrite>} {<ways:word rx|tx|both>} "
	  "{filter <expression:str>} {max <n:uint 1..9223372036854775807>} [snaplen <bytes:uint 1..65535>]",
		capture_start,
		"capture a port's traffic to a pcap file; in the middle of the line a filter of several words needs quotes: \"udp port 53\"",
		"capture start 1 file /dev/null rx filter \"arp or icmp\"", NULL,
		arg_check_folder },
	{ "capture start <port:port> file <file:file> {<replace:word overwrite>} {<ways:word rx|tx|both>} "
	  "{max <n:uint 1..9223372036854775807>} {snaplen <bytes:uint 1..65535>} filter <expression:text>",
		capture_start,
		"capture a port's traffic to a pcap file; a filter at the end needs no quotes",
		NULL, NULL, arg_check_folder },
	{ "capture stop <port:ports>", capture_stop, "end the capture of a port, or of all ports",
		NULL },
	{ "tap start <port:port> pipe <pipe:file> {<ways:word rx|tx|both>} {snaplen <bytes:uint 1..65535>} "
	  "[filter <expression:str>]",
		tap_start,
		"write a port's traffic as pcapng to a pipe that another program reads, see \"zcfwd tap\"",
		NULL, .beside = true },
	{ "tap stop <pipe:file>", tap_stop,
		"end the tap that writes to a pipe, and show its figures", NULL, .beside = true },
	{ "tap check <expression:str>", tap_check, "check a filter of captures and taps",
		"tap check \"udp port 53\"", .beside = true },
	{ "show capture", capture_show, "show running captures and the packets written so far",
		"show capture", .shows = true },
};

const struct cmd_table cmds_capture = { "capture", "captures of packets in pcap files", cmd_rows,
	ARRAY_SIZE(cmd_rows), CMD_RECORDS };
