/* Mode storage: sends packets that point to a region which is never written; can verify received
 * packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct extbuf;
struct rte_mbuf;
struct stream;

/* Initialise mode storage for a stream. Errors: EINVAL, ERANGE, ENOMEM. Thread: control. */
int extbuf_storage_init(struct stream *s, struct err *e);

/*
 * Create up to max packets; with extbuf-verify first receive, verify and free packets. Thread: the
 * stream's worker. Returns how many packets there are to send.
 */
uint16_t extbuf_storage_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max);

/* Release the region. Thread: control, stopped. */
void extbuf_storage_end(struct extbuf *x);
