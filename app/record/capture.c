/* Start, end and show captures: packets of a port written to a pcap file during forwarding. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture.h"

#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "record/capture_writer.h"

#include <rte_common.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPTIMISED_MOST 4096 /* instructions of a filter, optimised in about 0.1 s */

/* clang-format off */
const struct setting capture_settings[] = {
	{ .name = "capture-buffer", .option = SETTING_NONE, .unit = "bytes",
		.min = CAPTURE_QUEUE_MIN, .max = UINT64_C(1) << 32, .value = 1 << 20,
		.when = SETTING_NOW,
		.help = "buffer for packets not yet written to disk, per captured queue, rounded up to a power of two; applies to the next capture" },
};
/* clang-format on */
const size_t capture_settings_n = ARRAY_SIZE(capture_settings);

struct stats {
	uint64_t seen, filtered, dropped, written;
};

struct capture {
	uint16_t port;
	bool rx, tx;
	char *path, *filter; /* filter NULL: none */
	size_t buffer;
	struct capture_want want;
	struct capture_writer writer;
	bool live;          /* taps and thread exist */
	bool ended_itself;  /* ended early, not reported by capture stop yet */
	int error;          /* errno that ended the capture; 0: none */
	struct stats total; /* valid after the end */
};

struct captures {
	struct ports *ports;
	struct capture *of[RTE_MAX_ETHPORTS]; /* current or last capture of each port */
	struct capture_tap *retired;          /* a worker may still enter their callback */
	struct capture_tap *stranded;         /* ethdev may call them until EAL ends */
};

static struct stats
stats_of(const struct capture *k)
{
	unsigned int n = atomic_load_explicit(&k->writer.n_taps, memory_order_relaxed);
	struct stats f = k->total;

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
	pcap_freecode(&k->want.filter);
	free(k->path);
	free(k->filter);
	free(k);
}

/* Close the taps, end the writer, sum up; the taps are kept until no worker can use them. */
static void
end(struct captures *c, struct capture *k)
{
	struct capture_writer *w = &k->writer;
	unsigned int n = atomic_load_explicit(&w->n_taps, memory_order_relaxed);
	bool removed[CAPTURE_TAPS_MAX];
	struct stats f;

	for (unsigned int i = 0; i < n; i++)
		removed[i] = capture_tap_close(w->taps[i]);
	k->error = capture_writer_close(w);
	counter_add(&w->written, w->file.written - counter_read(&w->written));
	f = stats_of(k);
	f.dropped += w->taken - f.written;
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
end_say(struct captures *c, struct capture *k)
{
	const struct stats *f = &k->total;
	struct out *out = c->ports->out;

	end(c, k);
	if (k->error != 0)
		out_warn(out,
			"Capture of port %u ended early, %s: %s; %" PRIu64
			" packets written, %" PRIu64 " dropped\n",
			k->port, k->path, strerror(k->error), f->written, f->dropped);
	else
		out_say(out,
			"Capture of port %u: %" PRIu64 " packets written to %s, %" PRIu64
			" filtered out, %" PRIu64 " dropped\n",
			k->port, f->written, k->path, f->filtered, f->dropped);
}

/* A port is about to be closed or detached: end its capture. */
static void
port_leaves_end(void *context, uint16_t port)
{
	struct captures *c = context;

	if (c->of[port] != NULL && c->of[port]->live)
		end_say(c, c->of[port]);
}

struct captures *
captures_new(struct ports *ps)
{
	struct captures *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->ports = ps;
	ps->leaving = (struct port_leaving){ port_leaves_end, c };
	return c;
}

void
captures_free(struct captures *c)
{
	if (c == NULL)
		return;
	c->ports->leaving = (struct port_leaving){ NULL, NULL };
	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++) {
		if (c->of[i] != NULL && c->of[i]->live)
			end_say(c, c->of[i]);
		capture_free(c->of[i]);
	}
	list_free(&c->retired);
	list_free(&c->stranded);
	free(c);
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
		t = capture_tap_open(k->port, q, rx, k->buffer, &k->want, e);
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
	k->want.filtered = k->filter != NULL;
	if (k->filter != NULL && compile(shape, &k->want.filter, k->filter) != 0)
		ret = err_set(e, EINVAL, "filter \"%s\": %s", k->filter, pcap_geterr(shape));
	pcap_close(shape);
	return ret;
}

static struct capture *
capture_new(const struct captures *c, const struct capture_plan *plan, struct err *e)
{
	struct capture *k = aligned_alloc(CACHE_PAIR, RTE_ALIGN_CEIL(sizeof(*k), CACHE_PAIR));

	if (k != NULL) {
		memset(k, 0, sizeof(*k));
		k->path = strdup(plan->path);
		k->filter = plan->filter != NULL ? strdup(plan->filter) : NULL;
	}
	if (k == NULL || k->path == NULL || (plan->filter != NULL && k->filter == NULL)) {
		capture_free(k);
		err_set(e, ENOMEM, "capture: no memory");
		return NULL;
	}
	k->port = plan->port;
	k->rx = plan->rx;
	k->tx = plan->tx;
	k->buffer = rte_align64pow2(setting_u64(c->ports->settings, "capture-buffer"));
	k->want.snaplen = plan->snaplen;
	k->want.limited = plan->max > 0;
	atomic_init(&k->want.left, (long long)plan->max);
	k->writer.want = &k->want;
	k->writer.max = plan->max;
	return k;
}

/* Create file, thread and taps; on failure undo all. */
static int
begin(struct captures *c, struct capture *k, bool overwrite, struct err *e)
{
	int ret = filter_compile(k, e);

	if (ret == 0)
		ret = capture_file_open(&k->writer.file, k->path, overwrite, k->want.snaplen, e);
	if (ret != 0)
		return ret;
	ret = capture_writer_open(&k->writer, e);
	if (ret != 0) {
		capture_file_close(&k->writer.file);
		return ret;
	}
	k->live = true;
	ret = tap_port(k, e);
	if (ret != 0)
		end(c, k);
	return ret;
}

int
capture_start(struct captures *c, const struct capture_plan *plan, struct err *e)
{
	struct capture *k;
	int ret;

	if (port_find(c->ports, plan->port, e) == NULL)
		return -e->code;
	k = c->of[plan->port];
	if (k != NULL && k->live)
		return err_set(e, EBUSY, "port %u is captured to %s: capture stop %u first",
			plan->port, k->path, plan->port);
	k = capture_new(c, plan, e);
	if (k == NULL)
		return -e->code;
	ret = begin(c, k, plan->overwrite, e);
	if (ret != 0) {
		capture_free(k);
		return ret;
	}
	capture_free(c->of[plan->port]);
	c->of[plan->port] = k;
	return 0;
}

int
capture_stop(struct captures *c, uint16_t port, struct err *e)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++) {
		if ((port != PORT_ALL && port != i) || c->of[i] == NULL || !c->of[i]->live)
			continue;
		end_say(c, c->of[i]);
		n++;
	}
	if (n > 0)
		return 0;
	/*
	 * The first stop of a capture that ended early is not an error: the user may not have
	 * noticed its end.
	 */
	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++) {
		struct capture *k = c->of[i];

		if ((port != PORT_ALL && port != i) || k == NULL || !k->ended_itself)
			continue;
		k->ended_itself = false;
		out_say(c->ports->out,
			"Capture of port %u has ended already: %" PRIu64 " packets written to %s\n",
			i, k->total.written, k->path);
		n++;
	}
	if (n > 0)
		return 0;
	return port == PORT_ALL ? err_set(e, ENOENT, "no port is captured")
				: err_set(e, ENOENT, "port %u is not captured", port);
}

static void
show_one(struct out *o, const struct capture *k)
{
	const struct stats f = stats_of(k);
	const bool running = k->live && !atomic_load(&k->writer.finished);

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "port", "Capture of port %" PRIu64, k->port);
	out_str(o, "ways", " (%s)", k->rx && k->tx ? "both" : k->rx ? "rx" : "tx");
	out_str(o, "file", " to %s", k->path);
	out_bool(o, "running", ": %s\n", running, "running", "ended");
	out_str(o, "filter", k->filter != NULL ? "  filter \"%s\"\n" : NULL, k->filter);
	out_u64(o, "max", k->writer.max > 0 ? "  ends after %" PRIu64 " packets\n" : NULL,
		k->writer.max);
	out_u64(o, "snaplen", NULL, k->want.snaplen);
	out_str(o, "failure", k->error != 0 ? "  ended early: %s\n" : NULL,
		k->error != 0 ? strerror(k->error) : NULL);
	out_u64(o, "seen", "  %-20" PRIu64 " seen\n", f.seen);
	out_u64(o, "filtered", "  %-20" PRIu64 " filtered out\n", f.filtered);
	out_u64(o, "dropped", "  %-20" PRIu64 " dropped: capture buffer or file full\n", f.dropped);
	out_u64(o, "written", "  %-20" PRIu64 " written\n", f.written);
	out_unnest(o);
}

void
capture_show(struct captures *c)
{
	struct out *o = c->ports->out;

	out_nest(o, "captures", OUT_ARRAY);
	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++)
		if (c->of[i] != NULL)
			show_one(o, c->of[i]);
	out_unnest(o);
}

int
capture_apply(struct captures *c, struct err *e)
{
	int ret = 0;

	for (unsigned int i = 0; c != NULL && i < RTE_MAX_ETHPORTS && ret == 0; i++)
		if (c->of[i] != NULL && c->of[i]->live)
			ret = tap_port(c->of[i], e);
	return ret;
}

void
capture_tidy(struct captures *c)
{
	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++) {
		struct capture *k = c->of[i];

		if (k != NULL && k->live && atomic_load(&k->writer.finished)) {
			end_say(c, k);
			k->ended_itself = true;
		}
	}
	if (!c->ports->forwarding)
		list_free(&c->retired);
}
