/* The Rx or Tx callback on one queue of a captured port; private to capture. */
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

/* What all taps of a capture share. */
struct capture_want {
	struct bpf_program filter; /* every packet passes an empty one */
	bool filtered;
	bool limited;
	uint32_t snaplen;    /* bytes kept of a packet, 1..CAPTURE_BYTES_MAX */
	atomic_llong left;   /* packets that may still be copied when limited; by every worker */
	atomic_bool stopped; /* nothing more is wanted; by the writer */
};

struct capture_tap {
	/* Fixed while open; the worker reads. */
	uint16_t port, queue;
	bool rx;
	struct capture_want *want;
	struct capture_queue ring;
	/* CAPTURE_BYTES_MAX, for a packet in several segments that the filter has to see */
	uint8_t *whole;
	const struct rte_eth_rxtx_callback *callback;

	atomic_bool open;   /* by control: the worker may look at the above */
	atomic_bool inside; /* by the worker: it does */

	alignas(CACHE_PAIR) counter seen; /* by the worker: seen == filtered + dropped + copied */
	counter filtered;                 /* the filter did not want them */
	counter dropped;                  /* the ring was full */
	counter copied;

	struct capture_tap *next; /* of those that wait to be freed */
};

/*
 * Tap a queue: from here on its bursts are copied, until capture_tap_close(). bytes: of the ring, a
 * power of two. want stays the caller's. Returns NULL with e filled: ENOMEM, ENOTSUP (DPDK without
 * callbacks). Thread: control.
 */
struct capture_tap *capture_tap_open(uint16_t port, uint16_t queue, bool rx, size_t bytes,
	struct capture_want *want, struct err *e);

/*
 * See no more bursts, and wait until the worker, if it is just looking at one, is done. What was
 * copied stays in the ring. The port must still be there. Returns false when ethdev keeps the
 * callback, since the port has fewer queues by now: then the tap must stay as long as EAL. Thread:
 * control, and so the rest of this file.
 */
bool capture_tap_close(struct capture_tap *t);

/*
 * Free the ring; the tap itself stays, since a worker may still be on its way into the callback.
 * Closed.
 */
void capture_tap_empty(struct capture_tap *t);

/* Free the tap: no worker runs. */
void capture_tap_free(struct capture_tap *t);
