/* The output of a tap: pcapng blocks in a pipe whose reader may be slow, or go. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * librte_pcapng is not used: it needs an mbuf pool for its copies, and waits when a pipe is full.
 * Here a block is made of a copy in the tap's ring and written as far as the pipe takes it. While it
 * takes nothing copies stay in their rings, and what comes then is dropped there and counted.
 */
#pragma once

#include "features/capture/capture_tap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* Packets of a capture: seen == filtered + dropped + written after its end. */
struct capture_stats {
	uint64_t seen, filtered, dropped, written;
};

/* What the head of the stream tells. Strings may be NULL. */
struct capture_pipe_head {
	const char *program;      /* that writes it */
	const char *name;         /* of the interface */
	const char *device;       /* its description */
	const char *filter;       /* libpcap's language */
	uint32_t snaplen;         /* bytes kept of a packet */
	struct capture_clock now; /* when the capture began */
};

struct capture_pipe {
	struct capture_clock clock;
	int fd;
	int error; /* errno of the first failure: EPIPE the reader has gone; ETIME it was too slow at the end */
	uint8_t *bytes;        /* blocks, n bytes, of which the first sent were written */
	size_t n, sent, whole; /* whole: bytes of the blocks that were written to their end */
	uint64_t written;      /* packets whose block was written to its end */
};

/*
 * Open a FIFO that has a reader, without waiting for one, and begin with the head. Errors: EINVAL no
 * FIFO; ENXIO no reader; EBUSY another tap writes to it; ENOMEM; those of open(2). Thread: control.
 */
int capture_pipe_open(struct capture_pipe *p, const char *path,
	const struct capture_pipe_head *head, struct err *e);

/*
 * Add a packet of a tap. False: there is no room until more was written. After a failure all are
 * discarded. Thread: writer, until it has ended; the rest of this file.
 */
bool capture_pipe_add(struct capture_pipe *p, const struct capture_tap *tap,
	const struct capture_copy *copy);

/* Write what the pipe takes now. Returns 0 or the errno of the first failure. */
int capture_pipe_flush(struct capture_pipe *p);

/* Wait until the pipe takes more, ms milliseconds at most; for that time if nothing is to be written. */
void capture_pipe_wait(const struct capture_pipe *p, int ms);

/*
 * Write the statistics and close the pipe, waiting for a slow reader ms milliseconds at most. Returns
 * 0 or the errno of the first failure. Thread: control, when there is no writer.
 */
int capture_pipe_close(struct capture_pipe *p, const struct capture_stats *f, int ms);
