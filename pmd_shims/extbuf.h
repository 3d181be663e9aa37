/* Whether a driver's receive or transmit function can handle external buffers (pinned, attached,
 * shared, cloned), and a fix for functions that do not set RTE_MBUF_F_EXTERNAL. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

struct err;

enum extbuf_support {
	EXTBUF_OK,            /* works without help */
	EXTBUF_WORKED_AROUND, /* works because zcfwd works around it; why describes how */
	EXTBUF_REFUSED,       /* why describes what would go wrong and what to change */
};

struct extbuf_verdict {
	enum extbuf_support support;
	const char *why; /* a sentence whose subject, the function, is left out */
};

/* What a receive queue may be used for. */
enum extbuf_rx_use {
	EXTBUF_RX_PINNED, /* its pool's buffers lie in external memory */
	EXTBUF_RX_CLONES, /* its pool is pinned and received packets are cloned */
	EXTBUF_RX_USES,
};

/* Mbufs that a transmit queue may have to send. */
enum extbuf_tx_use {
	EXTBUF_TX_PINNED, /* mbufs of pinned pools */
	/* mbufs with an attached external buffer, whose data begins at the buffer's start */
	EXTBUF_TX_ATTACHED,
	/* many mbufs at a time that share one attached buffer, or whose buffer is read-only */
	EXTBUF_TX_SHARED,
	/* mbufs that point to the data of another mbuf, which may be sent at the same time */
	EXTBUF_TX_CLONES,
	EXTBUF_TX_SEGMENTS, /* packets of several mbufs */
	EXTBUF_TX_USES,
};

enum { EXTBUF_USES = EXTBUF_TX_USES };

/* The verdict on a queue of a started port. */
struct extbuf_queue {
	char driver[SHIM_PATH];
	/* the driver's function; empty: neither the driver reports it nor do the shims know it */
	char path[SHIM_PATH];
	bool known; /* the driver has rows in the table; otherwise all verdicts are safe defaults */
	struct extbuf_verdict verdict[EXTBUF_USES];
};

/*
 * Fill *q with the verdicts on a queue of a started port (drivers choose their functions at start).
 * offloads: RTE_ETH_TX_OFFLOAD_* in force on the queue. Errors: EINVAL if the port's device
 * information cannot be read. Thread: control.
 */
int extbuf_rx_judge(uint16_t port, uint16_t queue, struct extbuf_queue *q, struct err *e);
int extbuf_tx_judge(uint16_t port, uint16_t queue, uint64_t offloads, struct extbuf_queue *q,
	struct err *e);

/*
 * Check that a transmit queue supports all of the uses (a mask of 1 << enum extbuf_tx_use). Errors:
 * EOPNOTSUPP with port, queue, function and reason if one is refused; those of extbuf_tx_judge().
 * Thread: control.
 */
int extbuf_tx_check(uint16_t port, uint16_t queue, uint64_t offloads, unsigned int uses,
	struct err *e);

/*
 * Check that the port's driver maps all of the memory of pinned buffers: mlx5 maps only pages in
 * which a buffer begins, which leaves gaps if a buffer is longer than a page. bytes: length of a
 * buffer; page: page size in bytes. Errors: EOPNOTSUPP.
 */
int extbuf_pages_check(uint16_t port, uint32_t bytes, uint64_t page, struct err *e);

/*
 * Register the flag of memory/mbuf_readonly.h, for a run that marks data. ENOENT or another of
 * rte_mbuf_dynflag_register(): no bit is free. Thread: control.
 */
int extbuf_readonly_register(uint64_t *mask, struct err *e);

/* Names for output: "pinned", "clones", ... for uses; "ok", "worked around", "refused" for verdicts. */
const char *extbuf_rx_word(enum extbuf_rx_use use);
const char *extbuf_tx_word(enum extbuf_tx_use use);
const char *extbuf_support_word(enum extbuf_support support);

/*
 * True if the driver's fast free (RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) is known to return pinned
 * mbufs to their pool unchanged.
 */
bool extbuf_fast_free_pinned(const char *driver);

/* True for a pool of pinned external buffers. */
static inline bool
extbuf_is_pinned(struct rte_mempool *pool)
{
	return (rte_pktmbuf_priv_flags(pool) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0;
}

/*
 * Set RTE_MBUF_F_EXTERNAL on each segment of received packets of pinned pools, because some drivers
 * do not. This must happen before packets are cloned: rte_pktmbuf_attach() would take an mbuf
 * without the flag for the owner of its buffer. Thread: the lcore that received the packets.
 */
static __rte_always_inline void
extbuf_mark(struct rte_mbuf **pkts, uint16_t n)
{
	const struct rte_mempool *pool = NULL;
	uint64_t mark = 0;

	for (uint16_t i = 0; i < n; i++)
		for (struct rte_mbuf *m = pkts[i]; m != NULL; m = m->next) {
			if (unlikely(m->pool != pool)) {
				pool = m->pool;
				mark = extbuf_is_pinned(m->pool) ? RTE_MBUF_F_EXTERNAL : 0;
			}
			m->ol_flags |= mark;
		}
}
