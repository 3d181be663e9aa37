/* The writer thread of a capture: moves copies from the taps' rings to the file; private to
 * capture. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "record/capture_file.h"
#include "record/capture_tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CAPTURE_TAPS_MAX 512 /* receive and transmit queues of a port */

struct err;

struct capture_writer {
	struct capture_want *want;
	struct capture_file file;
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
 * Start the thread. file and want must be ready; there are no taps yet. Errors: of
 * pthread_create(3). Thread: control.
 */
int capture_writer_open(struct capture_writer *w, struct err *e);

/* Add a tap. Returns false if there are already CAPTURE_TAPS_MAX. Thread: control. */
bool capture_writer_add(struct capture_writer *w, struct capture_tap *tap);

/*
 * Write the remaining copies of the taps, which must be closed, end the thread and close the file.
 * Returns 0 or the errno of the file. Thread: control.
 */
int capture_writer_close(struct capture_writer *w);
