/* The writer thread of a capture: merge the taps' copies by time and write them to the file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture_writer.h"

#include "base/err.h"

#include <errno.h>
#include <string.h>
#include <time.h>

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

int
capture_writer_close(struct capture_writer *w)
{
	atomic_store(&w->closing, true);
	pthread_join(w->thread, NULL);
	return capture_file_close(&w->file);
}
