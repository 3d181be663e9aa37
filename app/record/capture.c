/* Captures: start, end and show them, and the thread that writes packets of a port to a pcap file during forwarding. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture.h"

#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "port/port.h"
#include "record/capture_tap.h"
#include "stream/tsc.h"

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Write a pcap file with libpcap, and keep track of the bytes that are on disk. */

#define HEAD_BYTES 24 /* of a pcap file */
#define COPY_BYTES 16 /* before each packet */
#define BUFFER_BYTES (256 * 1024)

static int capture_file_flush(struct capture_file *f);
static int capture_file_close(struct capture_file *f);

/* Create the file, locked and empty. Returns a descriptor or -errno. */
static int
file_make(const char *path, bool overwrite, struct err *e)
{
	mode_t type;
	int fd = plain_file_write(path, overwrite ? PLAIN_FILE_OVERWRITE : 0, &type, e);

	/* A slow reader of a pipe would block the writer. */
	if (fd >= 0 && type == S_IFIFO) {
		close(fd);
		return err_set(e, ENODEV, "cannot write %s: expected a regular file", path);
	}
	return fd;
}

/*
 * Create the file; overwrite: truncate a file that is not empty. Errors: EEXIST the file is not
 * empty; EBUSY another capture or a recording writes it; ENODEV not a regular file; errors of
 * open(2). Thread: control.
 */
static int
capture_file_open(struct capture_file *f, const char *path, bool overwrite, uint32_t snaplen,
	struct err *e)
{
	struct timespec now;
	FILE *stream = NULL;
	int fd = file_make(path, overwrite, e), own;

	if (fd < 0)
		return fd;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own >= 0)
		stream = fdopen(own, "w");
	clock_gettime(CLOCK_REALTIME, &now);
	*f = (struct capture_file){ .fd = fd,
		.bytes = HEAD_BYTES,
		.wall_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
		.tsc = rte_rdtsc(),
		.tsc_hz = (uint64_t)tsc_hz_measure(),
		.shape = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, (int)snaplen,
			PCAP_TSTAMP_PRECISION_NANO) };
	if (stream != NULL)
		setvbuf(stream, NULL, _IOFBF, BUFFER_BYTES);
	if (stream != NULL && f->shape != NULL)
		f->dumper = pcap_dump_fopen(f->shape, stream);
	if (f->dumper != NULL && capture_file_flush(f) == 0)
		return 0;
	if (f->dumper != NULL)
		return err_set(e, f->error, "cannot write %s: %s", path,
			strerror(capture_file_close(f)));
	if (stream != NULL)
		fclose(stream);
	else if (own >= 0)
		close(own);
	if (f->shape != NULL)
		pcap_close(f->shape);
	close(fd);
	return err_set(e, ENOMEM, "cannot write %s: no memory", path);
}

/*
 * Convert a copy's TSC to wall-clock time, relative to the start of the file: later steps of the
 * wall clock have no effect.
 */
static struct timeval
seen_at(const struct capture_file *f, uint64_t tsc)
{
	const uint64_t passed = tsc - f->tsc;
	const uint64_t ns = f->wall_ns + passed / f->tsc_hz * 1000000000 +
		passed % f->tsc_hz * 1000000000 / f->tsc_hz;

	/* With nanosecond precision, libpcap expects nanoseconds in tv_usec. */
	return (struct timeval){ .tv_sec = (time_t)(ns / 1000000000),
		.tv_usec = (suseconds_t)(ns % 1000000000) };
}

/* Add a packet; does nothing after a failure. Thread: writer, the rest of this file. */
static void
capture_file_add(struct capture_file *f, const struct capture_copy *copy)
{
	const struct pcap_pkthdr head = { .ts = seen_at(f, copy->tsc),
		.caplen = copy->kept,
		.len = copy->len };

	if (f->error != 0)
		return;
	errno = 0;
	pcap_dump((u_char *)f->dumper, &head, (const u_char *)(copy + 1));
	if (ferror(pcap_dump_file(f->dumper)) != 0) {
		f->error = errno != 0 ? errno : EIO;
		return;
	}
	f->bytes += COPY_BYTES + copy->kept;
	f->copies++;
}

/* Flush the added packets to the file. Returns 0, or the errno of the first failure. */
static int
capture_file_flush(struct capture_file *f)
{
	if (f->error != 0 || f->safe == f->bytes)
		return f->error;
	errno = 0;
	if (pcap_dump_flush(f->dumper) != 0 || ferror(pcap_dump_file(f->dumper)) != 0) {
		f->error = errno != 0 ? errno : EIO;
		return f->error;
	}
	f->safe = f->bytes;
	f->written = f->copies;
	return 0;
}

/*
 * Flush and close. After a failure the file is truncated after the last complete packet. Returns as
 * capture_file_flush().
 */
static int
capture_file_close(struct capture_file *f)
{
	int error = capture_file_flush(f);

	pcap_dump_close(f->dumper);
	pcap_close(f->shape);
	/* Remove data after the last flush: stdio may have written an incomplete packet. */
	if (error != 0 && ftruncate(f->fd, (off_t)f->safe) != 0)
		error = f->error;
	close(f->fd);
	return error;
}

/* The writer thread of a capture: merge the taps' copies by time and write them to the file. */

#define IDLE_NS 1000000
#define FLUSH_EVERY 1024 /* packets */

/* Return the tap with the oldest copy, or NULL if all are empty. */
static struct capture_tap *
oldest(struct capture_writer *w, const struct capture_copy **copy)
{
	/* Pairs with capture_writer_add(). */
	const unsigned int n = atomic_load_explicit(&w->n_taps, memory_order_acquire);
	struct capture_tap *found = NULL;

	for (unsigned int i = 0; i < n; i++) {
		const struct capture_copy *first = capture_queue_first(&w->taps[i]->ring);

		if (first != NULL && (found == NULL || first->tsc < (*copy)->tsc)) {
			found = w->taps[i];
			*copy = first;
		}
	}
	return found;
}

static void
flush(struct capture_writer *w)
{
	int error = capture_file_flush(&w->file);

	if (error != 0)
		atomic_store(&w->want->stopped, true);
	/* Set before written: a reader that sees the final count also sees finished. */
	if (error != 0 || (w->max > 0 && w->file.written == w->max))
		atomic_store(&w->finished, true);
	counter_add(&w->written, w->file.written - counter_read(&w->written));
}

/* Write all waiting copies. Returns the number of packets. */
static uint64_t
drain(struct capture_writer *w)
{
	const struct capture_copy *copy;
	struct capture_tap *tap;
	uint64_t n;

	for (n = 0; (tap = oldest(w, &copy)) != NULL; n++) {
		capture_file_add(&w->file, copy);
		capture_queue_taken(&tap->ring, capture_queue_need(copy->kept));
		w->taken++;
		if (n % FLUSH_EVERY == FLUSH_EVERY - 1)
			flush(w);
	}
	return n;
}

static void *
write_all(void *arg)
{
	const struct timespec idle = { .tv_nsec = IDLE_NS };
	struct capture_writer *w = arg;

	while (!atomic_load(&w->closing)) {
		if (drain(w) == 0)
			nanosleep(&idle, NULL);
		flush(w);
	}
	drain(w);
	flush(w);
	return NULL;
}

/*
 * Start the thread. file and want must be ready; there are no taps yet. Errors: of
 * pthread_create(3). Thread: control.
 */
static int
capture_writer_open(struct capture_writer *w, struct err *e)
{
	int ret = pthread_create(&w->thread, NULL, write_all, w);

	return ret == 0 ? 0 : err_set(e, ret, "capture: cannot start a thread: %s", strerror(ret));
}

/* Add a tap. Returns false if there are already CAPTURE_TAPS_MAX. Thread: control. */
static bool
capture_writer_add(struct capture_writer *w, struct capture_tap *tap)
{
	unsigned int n = atomic_load_explicit(&w->n_taps, memory_order_relaxed);

	if (n == CAPTURE_TAPS_MAX)
		return false;
	w->taps[n] = tap;
	/* Pairs with oldest(). */
	atomic_store_explicit(&w->n_taps, n + 1, memory_order_release);
	return true;
}

/*
 * Write the remaining copies of the taps, which must be closed, end the thread and close the file.
 * Returns 0 or the errno of the file. Thread: control.
 */
static int
capture_writer_close(struct capture_writer *w)
{
	atomic_store(&w->closing, true);
	pthread_join(w->thread, NULL);
	return capture_file_close(&w->file);
}

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
