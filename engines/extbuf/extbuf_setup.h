/* Initialises a stream of the engine extbuf from settings, and ends it after a run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct engine_ports;
struct err;
struct rte_mbuf;
struct rte_mempool;
struct stream;

/* Mode storage: sends packets that point to a region which is never written; can verify received
 * packets. */

/*
 * Create up to max packets; with extbuf-verify first receive, verify and free packets. Thread: the
 * stream's worker. Returns how many packets there are to send.
 */
uint16_t extbuf_storage_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max);

#define EXTBUF_SLICE_MOST \
	(UINT16_MAX / 64 * 64)       /* maximum bytes of an mbuf, in whole cache lines */
#define EXTBUF_BUFFER_MOST (2 << 20) /* maximum bytes of a buffer that packets share */

/*
 * init() of struct engine. Errors: EINVAL and ERANGE for settings that contradict each other or are
 * not supported by the stream's ports; ENOENT, EBUSY and ENOSPC for memory; ENOMEM.
 */
int extbuf_setup(struct stream *s, struct err *e);

/*
 * fini() of struct engine. Buffers that are still in use are released when their mbufs are freed.
 */
void extbuf_setup_end(struct stream *s);

/* forget() of struct engine. */
void extbuf_setup_forget(struct stream *s);

/* Mode pinned: the pool in external memory into which ports receive. */

/*
 * prepare() of struct engine: with mode pinned, a pool in the memory that is set, or in a region
 * that the engine creates, accessible by all ports. Errors: those of pinned_prepare().
 */
int extbuf_pinned_prepare(const void *config, const struct engine_ports *ports,
	struct rte_mempool **pool, struct err *e);
