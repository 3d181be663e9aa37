/* Shared by the files of the engine extbuf: the state of a stream, its set-up, and the modes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "memory/extmem_buffers.h"
#include "stream/threshold_autotune.h"

#include <rte_memcpy.h>
#include <rte_tcp.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct engine_ports;
struct err;
struct extmem;
struct extmem_buffers;
struct extmems;
struct out;
struct rte_mbuf;
struct rte_mempool;
struct settings;
struct stream;

/* The choices of the setting extbuf-mode. */
enum extbuf_mode { EXTBUF_AUTO, EXTBUF_COPY, EXTBUF_ATTACH, EXTBUF_PINNED, EXTBUF_STORAGE };

/* The choices of the setting extbuf-shinfo. */
enum extbuf_shinfo { EXTBUF_PRIVATE, EXTBUF_SHARED, EXTBUF_TAIL };

/* Indexes in stream_count.named. */
enum {
	EXTBUF_COPIED,
	EXTBUF_ATTACHED,
	EXTBUF_NO_MBUF,
	EXTBUF_NO_BUFFER,
	EXTBUF_TOO_LONG,
	EXTBUF_VERIFIED,
	EXTBUF_CORRUPT,
	EXTBUF_NOT_MADE,
};

#define EXTBUF_HEAD 64 /* bytes of a packet in a separate mbuf with extbuf-split */

/* Mode storage: sending from a region that is never written. */
struct extbuf_storage {
	const uint8_t *from; /* the stream's first slice */
	uint64_t *sums;      /* of each slice; NULL: received packets are not verified */
	uint64_t *iovas;     /* of each slice */
	uint32_t n, next;    /* number of slices; the next one to send */
	uint32_t stride;     /* bytes from a slice to the next one */
	struct pool_blocks blocks;
	uint16_t bytes;      /* bytes of a slice that are sent */
	bool copy;           /* copy slices instead of attaching them */
	bool tcp, tso;       /* send slices as TCP segments; the port divides them into frames */
	struct pkt_udp head; /* headers before each slice with extbuf-split; tcp: without UDP */
	struct rte_tcp_hdr tcp_head;
	uint32_t offset;     /* tcp: of the first slice in the memory */
	uint32_t tcp_sum;    /* tcp without tso: of the pseudo header and tcp_head */
	uint64_t tx_offload; /* tso: lengths of the headers and payload bytes per frame */
	uint8_t *scratch;    /* to make a received packet contiguous */
};

/* State of a stream. */
struct extbuf {
	enum extbuf_mode mode;
	uint32_t copy_below; /* shorter packets are copied, others attached */
	/* mode auto with threshold 0; that of the lcore's first stream is used for all */
	struct threshold_autotune autotune;
	struct threshold_autotune *lengths; /* the one that samples packet lengths, or NULL */
	uint32_t touch;                     /* bytes of each payload to read */
	uint32_t slice; /* bytes reserved per packet in a shared buffer; 0: its length */
	uint16_t head;  /* bytes of a packet in a separate mbuf; 0: none */
	uint16_t room;  /* bytes that fit into an mbuf of the pool */
	bool shared;    /* one shinfo for all packets in a buffer */
	bool tail;      /* the shinfo is at the end of its buffer */
	bool fallback;  /* copies instead of attaching, because the Tx queue does not support it */
	uint64_t flags; /* Tx flags of packets */
	/* mark of read-only data; mode storage: of slices; mode pinned: kept; 0: none is marked */
	uint64_t readonly;
	struct extmem *memory;
	struct extmem_buffers *buffers;
	/* shared: the buffer that is being filled, on which the stream holds a reference */
	struct extmem_buffer *open;
	uint32_t at;      /* bytes used in it; mode storage: mbufs that were attached to it */
	uint16_t pending; /* mbufs that point to it and are not yet in its reference count */
	uint64_t read;    /* result of extbuf_touch(), so that it is not optimised away */
	struct extbuf_storage storage;
};

/* Read the first bytes of a payload as an application would, a word at a time. */
static __rte_always_inline void
extbuf_touch(struct extbuf *x, const uint8_t *at, uint32_t bytes)
{
	const uint32_t n = RTE_MIN(bytes, x->touch);
	uint64_t read = x->read, word;

	for (uint32_t i = 0; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, at + i, sizeof(word));
		read += word;
	}
	x->read = read;
}

/* Append the segment rest to m, which has the headers. */
static __rte_always_inline void
extbuf_join(struct rte_mbuf *m, struct rte_mbuf *rest)
{
	m->next = rest;
	m->nb_segs = 2;
	m->pkt_len = m->data_len + rest->data_len;
}

/* The configuration of extbuf that outlives runs: the program's settings and external memory. */

struct extbuf_config {
	const struct settings *settings;
	struct extmems *extmems; /* memory by name, including regions that the engine creates */
	struct out *out;
};

/* How the engine extbuf runs a stream, for `show extbuf` and statistics; kept after the run. */

struct extbuf_stats {
	unsigned int mode;  /* enum extbuf_mode */
	const char *word;   /* the mode as a choice of extbuf-mode */
	char memory[32];    /* name of the memory */
	uint32_t bytes, n;  /* size and number of buffers, or slices with mode storage */
	uint32_t slice;     /* bytes reserved per packet, 0: its length */
	const char *shinfo; /* the choice of extbuf-shinfo */
	bool split;
	_Atomic(uint32_t) copy_below; /* threshold; written by the worker if autotuned */
	bool autotuned;               /* no threshold is set */
	/*
	 * The buffers; NULL: mode pinned. Valid until all threads have been told that the run has
	 * stopped, although this struct is kept longer.
	 */
	const struct extmem_buffers *buffers;
};

/* Mode storage: sends packets that point to a region which is never written; can verify received
 * packets. */

/* Initialise mode storage for a stream. Errors: EINVAL, ERANGE, ENOMEM. Thread: control. */
int extbuf_storage_init(struct stream *s, struct err *e);

/* Release what init took. Thread: control, stopped. */
void extbuf_storage_end(struct extbuf *x);

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

/* Modes copy, attach and auto: what is received is copied into external memory and out of it. */

/*
 * Copy from[0..n) into the uninitialised mbuf m, and further mbufs if needed. Returns false if the
 * pool is empty; then m is uninitialised again.
 */
bool extbuf_copy_out(struct stream *s, const struct extbuf *x, struct rte_mbuf *m,
	const uint8_t *from, uint32_t n);

/*
 * Replace received packets by new ones with the same bytes: copy them into external memory, read as
 * many bytes as set, and copy them out or attach them. Frees the received ones. Returns how many
 * packets there are; the others are counted as absorbed, and by reason. Thread: the stream's
 * worker.
 */
uint16_t extbuf_forward(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/* Release the open buffer. */
void extbuf_forward_end(struct extbuf *x);

/*
 * Ensure that n more fit into the open buffer, of which `most` do, or take a new one. Returns false
 * if all buffers are in use. Thread: the stream's worker.
 */
static __rte_always_inline bool
extbuf_open_room(struct extbuf *x, uint32_t n, uint32_t most)
{
	if (likely(x->open != NULL && x->at + n <= most))
		return true;
	extbuf_forward_end(x);
	x->at = 0;
	if (likely(extmem_buffers_take(x->buffers, &x->open, 1) == 1))
		return true;
	x->open = NULL;
	return false;
}
