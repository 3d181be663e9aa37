/* Write a pcap file with libpcap, and keep track of the bytes that are on disk. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture_file.h"

#include "base/err.h"
#include "base/plain_file.h"
#include "record/capture_queue.h"

#include <rte_cycles.h>

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

/* Create the file, locked and empty. Returns a descriptor or -errno. */
static int
file_make(const char *path, bool overwrite, struct err *e)
{
	mode_t type;
	int fd = plain_file_write(path, overwrite, &type, e);

	/* A slow reader of a pipe would block the writer. */
	if (fd >= 0 && type == S_IFIFO) {
		close(fd);
		return err_set(e, ENODEV, "cannot write %s: expected a regular file", path);
	}
	return fd;
}

int
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
		.tsc_hz = rte_get_tsc_hz(),
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

void
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

int
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
