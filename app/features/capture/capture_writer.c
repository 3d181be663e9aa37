/* Write a capture's pcap file with libpcap: keep track of the bytes that are on disk, and merge the
 * taps' copies by time. Or write them to a pipe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/capture/capture_writer.h"

#include "base/err.h"
#include "base/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD_BYTES 24 /* of a pcap file */
#define COPY_BYTES 16 /* before each packet */
#define BUFFER_BYTES (256 * 1024)

static int capture_file_flush(struct capture_file *f);

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

int
capture_file_open(struct capture_file *f, const char *path, bool overwrite, uint32_t snaplen,
	double tsc_hz, struct err *e)
{
	FILE *stream = NULL;
	int fd = file_make(path, overwrite, e), own;

	if (fd < 0)
		return fd;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own >= 0)
		stream = fdopen(own, "w");
	*f = (struct capture_file){ .fd = fd,
		.bytes = HEAD_BYTES,
		.clock = capture_clock_read(tsc_hz),
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

static struct timeval
seen_at(const struct capture_file *f, uint64_t tsc)
{
	const uint64_t ns = capture_clock_ns(&f->clock, tsc);

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

int
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

/* The writer thread of a capture: merge the taps' copies by time and write them. */

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
	const int error = w->piped ? capture_pipe_flush(&w->pipe) : capture_file_flush(&w->file);
	const uint64_t written = w->piped ? w->pipe.written : w->file.written;

	if (error != 0)
		atomic_store(&w->filter->stopped, true);
	/* Set before written: a reader that sees the final count also sees finished. */
	if (error != 0 || (w->max > 0 && written == w->max))
		atomic_store(&w->finished, true);
	counter_add(&w->written, written - counter_read(&w->written));
}

/* Pass a copy on. False: a pipe takes no more now. */
static bool
pass(struct capture_writer *w, const struct capture_tap *tap, const struct capture_copy *copy)
{
	if (!w->piped) {
		capture_file_add(&w->file, copy);
		return true;
	}
	if (capture_pipe_add(&w->pipe, tap, copy))
		return true;
	flush(w);
	return capture_pipe_add(&w->pipe, tap, copy);
}

/* Write all waiting copies, as far as a pipe takes them. Returns the number of packets. */
static uint64_t
drain(struct capture_writer *w)
{
	const struct capture_copy *copy;
	struct capture_tap *tap;
	uint64_t n;

	for (n = 0; (tap = oldest(w, &copy)) != NULL; n++) {
		if (!pass(w, tap, copy))
			break;
		capture_queue_taken(&tap->ring, capture_queue_need(copy->kept));
		w->taken++;
		if (n % FLUSH_EVERY == FLUSH_EVERY - 1)
			flush(w);
	}
	return n;
}

/* Write what is left when the taps are closed. A pipe is not waited for forever. */
static void
finish(struct capture_writer *w)
{
	for (int ms = CAPTURE_WAIT_MS; w->piped && w->pipe.error == 0 && ms > 0;) {
		if (drain(w) == 0 && w->pipe.n == 0)
			return;
		flush(w);
		if (w->pipe.n > 0) {
			capture_pipe_wait(&w->pipe, 1);
			ms--;
		}
	}
	/* Then the copies that are left are taken and not written: they count as dropped. */
	if (w->piped && w->pipe.error == 0)
		w->pipe.error = ETIME;
	drain(w);
	flush(w);
}

static void *
write_all(void *arg)
{
	const struct timespec idle = { .tv_nsec = IDLE_NS };
	struct capture_writer *w = arg;

	while (!atomic_load(&w->closing)) {
		const bool idles = drain(w) == 0;

		if (idles && w->piped)
			capture_pipe_wait(&w->pipe, 1);
		else if (idles)
			nanosleep(&idle, NULL);
		flush(w);
	}
	finish(w);
	return NULL;
}

int
capture_writer_open(struct capture_writer *w, struct err *e)
{
	int ret = pthread_create(&w->thread, NULL, write_all, w);

	return ret == 0 ? 0 : err_set(e, ret, "capture: cannot start a thread: %s", strerror(ret));
}

bool
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

void
capture_writer_end(struct capture_writer *w)
{
	atomic_store(&w->closing, true);
	pthread_join(w->thread, NULL);
}

int
capture_writer_close(struct capture_writer *w, const struct capture_stats *f)
{
	return w->piped ? capture_pipe_close(&w->pipe, f, CAPTURE_WAIT_MS)
			: capture_file_close(&w->file);
}
