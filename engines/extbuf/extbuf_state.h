/* The state of a stream of the engine extbuf, and what its files share in handling mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt.h"
#include "engines/common/pkt_blocks.h"
#include "engines/engine.h"
#include "memory/extmem_buffers.h"
#include "stream/threshold_autotune.h"

#include <rte_memcpy.h>

#include <stdbool.h>
#include <stdint.h>

struct extmem;

/* The setting extbuf-mode has a word for each. */
enum extbuf_mode { EXTBUF_AUTO, EXTBUF_COPY, EXTBUF_ATTACH, EXTBUF_PINNED, EXTBUF_STORAGE };

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

#define EXTBUF_HEAD 64 /* bytes of a packet that stay in an mbuf of their own with extbuf-split */

/* What a stream sends from a region that it never writes to. */
struct extbuf_storage {
	const uint8_t *from; /* the stream's slices follow each other from here */
	uint64_t *sums;      /* of each slice; NULL: nothing is verified */
	uint64_t *iovas;     /* of each slice */
	uint32_t n, next;    /* slices; the next one */
	uint32_t stride;     /* from slice to slice */
	struct pool_blocks blocks;
	uint16_t bytes;      /* of a slice that are sent */
	bool copy;           /* packets get a copy instead of pointing at it */
	struct pkt_udp head; /* in front of each slice with extbuf-split */
	uint8_t *scratch;    /* a received packet of several segments, in one piece */
};

/* State of a stream. */
struct extbuf {
	enum extbuf_mode mode;
	uint32_t copy_below; /* shorter packets are copied, others attached */
	/* mode auto, threshold 0; that of the lcore's first stream is for all */
	struct threshold_autotune autotune;
	struct threshold_autotune *lengths; /* it wants to know the packets' */
	uint32_t touch;                     /* bytes of each payload that are read */
	uint32_t slice; /* bytes set apart for a packet in a shared buffer; 0: as many as it has */
	uint16_t head;  /* bytes of a packet in an mbuf of their own; 0: none */
	uint16_t room;  /* bytes that an mbuf of the pool holds */
	bool shared;    /* one shinfo for all packets of a buffer */
	bool fallback;  /* copies what it was to attach: the transmit queue frees unseen */
	uint64_t flags; /* of transmitted packets */
	struct extmem *memory;
	struct extmem_buffers *buffers;
	/* shared: the buffer that is being filled; a reference of ours */
	struct extmem_buffer *open;
	uint32_t at;      /* bytes of it that are taken */
	uint16_t pending; /* mbufs that point at it and are not in its count yet */
	uint64_t read;    /* what touch read: keeps it from being optimised away */
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

/* Let a raw mbuf point at bytes that others own. The count of shinfo is the caller's business. */
static __rte_always_inline void
extbuf_point(struct rte_mbuf *m, void *at, uint64_t iova, uint16_t bytes,
	struct rte_mbuf_ext_shared_info *shinfo)
{
	m->ol_flags = 0;
	rte_pktmbuf_attach_extbuf(m, at, iova, bytes, shinfo);
	m->data_len = bytes;
	m->pkt_len = bytes;
}

/* Make m, which has its headers, the first of two segments. */
static __rte_always_inline void
extbuf_join(struct rte_mbuf *m, struct rte_mbuf *rest)
{
	m->next = rest;
	m->nb_segs = 2;
	m->pkt_len = m->data_len + rest->data_len;
}
