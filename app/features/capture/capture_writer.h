/* The writer of a capture: a thread that moves copies from the taps' rings to a pcap file with
 * nanosecond timestamps, which ends with a complete packet even if the disk is full, or to a pipe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "features/capture/capture_pipe.h"
#include "features/capture/capture_tap.h"

#include <rte_config.h>

#include <pcap/pcap.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

#define CAPTURE_WAIT_MS 200
#define CAPTURE_TAPS_MAX (2 * RTE_MAX_QUEUES_PER_PORT) /* receive and transmit queues of a port */

struct capture_file {
	pcap_t *shape; /* link type, snaplen and precision, for libpcap */
	pcap_dumper_t *dumper;
	int fd;           /* of the same file, for length and lock */
	uint64_t bytes;   /* passed to libpcap */
	uint64_t safe;    /* bytes flushed */
	uint64_t copies;  /* packets passed to libpcap */
	uint64_t written; /* packets flushed */
	int error;        /* errno of the first failure; 0: none */
	struct capture_clock clock;
};

struct capture_writer {
	struct capture_filter *filter;
	bool piped; /* to pipe, else to file */
	struct capture_file file;
	struct capture_pipe pipe;
	uint64_t max; /* packets; 0: no limit */
	struct capture_tap *taps[CAPTURE_TAPS_MAX];
	atomic_uint n_taps; /* by control: taps[0..n_taps) are valid */
	pthread_t thread;
	atomic_bool closing;  /* by control: all taps are closed */
	atomic_bool finished; /* by the writer: max is reached, or writing failed */
	counter written;      /* by the writer: packets written to the file */
	uint64_t taken;       /* packets removed from the rings; used by the writer while it runs */
};

/*
 * Create the file; overwrite: truncate a file that is not empty. snaplen: bytes kept of a packet.
 * tsc_hz: of struct ports. Errors: EEXIST the file is not empty; EBUSY another capture or a recording writes it; ENODEV not a
 * regular file; errors of open(2). Thread: control.
 */
int capture_file_open(struct capture_file *f, const char *path, bool overwrite, uint32_t snaplen,
	double tsc_hz, struct err *e);

/*
 * Flush and close. After a failure the file is truncated after the last complete packet. Returns 0,
 * or the errno of the first failure. Thread: control, when there is no writer.
 */
int capture_file_close(struct capture_file *f);

/*
 * Start the thread. file or pipe, and filter must be ready; there are no taps yet. Errors: of
 * pthread_create(3). Thread: control.
 */
int capture_writer_open(struct capture_writer *w, struct err *e);

/* Add a tap. Returns false if there are already CAPTURE_TAPS_MAX. Thread: control. */
bool capture_writer_add(struct capture_writer *w, struct capture_tap *tap);

/*
 * Write the remaining copies of the taps, which must be closed, and end the thread; a pipe whose reader
 * is slow gets no more after CAPTURE_WAIT_MS. w->written and w->taken are final then. Thread: control.
 */
void capture_writer_end(struct capture_writer *w);

/*
 * Close the file, or the pipe with figures f. Returns 0 or the errno of the first failure. Thread:
 * control, after capture_writer_end().
 */
int capture_writer_close(struct capture_writer *w, const struct capture_stats *f);
