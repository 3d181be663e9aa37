/* A tap: the Rx or Tx callback on one queue of a captured port; private to capture. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/capture_queue.h"

#include <rte_ethdev.h>

#include <pcap/pcap.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

/* Configuration and limits shared by all taps of a capture. */
struct capture_want {
	struct bpf_program filter; /* if filtered */
	bool filtered;
	bool limited;
	uint32_t snaplen;    /* bytes kept of a packet, 1..CAPTURE_BYTES_MAX */
	atomic_llong left;   /* if limited: packets still to be copied; by every worker */
	atomic_bool stopped; /* copy no more packets; by the writer */
};

struct capture_tap {
	/* Constant while open; read by the worker. */
	uint16_t port, queue;
	bool rx;
	struct capture_want *want;
	struct capture_queue ring;
	/* CAPTURE_BYTES_MAX bytes: a multi-segment packet is linearised here for the filter. */
	uint8_t *whole;
	const struct rte_eth_rxtx_callback *callback;

	atomic_bool open;   /* by control: the worker may use the members above */
	atomic_bool inside; /* by the worker: it is using them */

	alignas(CACHE_PAIR) counter seen; /* by the worker: seen == filtered + dropped + copied */
	counter filtered;                 /* rejected by the filter */
	counter dropped;                  /* the ring was full */
	counter copied;

	struct capture_tap *next; /* list of taps to be freed later */
};

/*
 * Copy the bursts of a queue until capture_tap_close(). bytes: ring size, a power of two. The
 * caller owns want. Returns NULL with e filled: ENOMEM, ENOTSUP (DPDK without callbacks). Thread:
 * control.
 */
struct capture_tap *capture_tap_open(uint16_t port, uint16_t queue, bool rx, size_t bytes,
	struct capture_want *want, struct err *e);

/*
 * Stop copying, and wait until the worker has left the callback. The copies remain in the ring. The
 * port must still exist. Returns false if ethdev keeps the callback, because the port has fewer
 * queues now: then the tap must not be freed before EAL ends. Thread: control, the rest of this
 * file.
 */
bool capture_tap_close(struct capture_tap *t);

/*
 * Free the ring of a closed tap, but not the tap: a worker may still be about to enter the
 * callback.
 */
void capture_tap_empty(struct capture_tap *t);

/* Free the tap. No worker may run. */
void capture_tap_free(struct capture_tap *t);
