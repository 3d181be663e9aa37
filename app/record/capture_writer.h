/* The writer thread of a capture: takes copies out of the taps' rings and writes them to the file;
 * private to capture. */
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
	atomic_uint n_taps; /* by control: those before are there */
	pthread_t thread;
	atomic_bool closing;  /* by control: nothing more comes */
	atomic_bool finished; /* by the writer: max is reached, or the file takes no more */
	counter written;      /* by the writer: packets that are in the file */
	uint64_t taken;       /* packets taken out of the rings; the writer's while it runs */
};

/*
 * Start the thread; file and want are ready, no tap is there yet. Errors: what pthread_create()
 * said. Thread: control.
 */
int capture_writer_open(struct capture_writer *w, struct err *e);

/* Let it see one more tap. Returns false when there are CAPTURE_TAPS_MAX. Thread: control. */
bool capture_writer_add(struct capture_writer *w, struct capture_tap *tap);

/*
 * Write what waits in the taps, which are closed, end the thread, close the file. Returns errno of
 * the file, or 0. Thread: control.
 */
int capture_writer_close(struct capture_writer *w);
