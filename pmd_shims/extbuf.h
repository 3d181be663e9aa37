/* Whether a driver's receive or transmit function can handle external buffers (pinned, attached,
 * shared, cloned), and the mark that some receive functions forget. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

struct err;

enum extbuf_support {
	EXTBUF_OK,      /* as it is */
	EXTBUF_MENDED,  /* because zcfwd does something about it: why says what */
	EXTBUF_REFUSED, /* why says what would happen, and what to change */
};

struct extbuf_verdict {
	enum extbuf_support support;
	const char *why; /* a sentence without its subject, the function */
};

/* What a receive queue may be used for. */
enum extbuf_rx_use {
	EXTBUF_RX_PINNED, /* its pool's buffers lie in external memory */
	EXTBUF_RX_CLONES, /* and what it received is cloned */
	EXTBUF_RX_USES,
};

/* What a transmit queue may be given. */
enum extbuf_tx_use {
	EXTBUF_TX_PINNED, /* mbufs of pinned pools */
	/* mbufs with a buffer attached, whose data begins where the buffer does */
	EXTBUF_TX_ATTACHED,
	/* the same of one buffer, many at a time, or of memory that is read-only */
	EXTBUF_TX_SHARED,
	/* mbufs that point at another mbuf's data, which may be sent at the same time */
	EXTBUF_TX_CLONES,
	EXTBUF_TX_SEGMENTS, /* several mbufs for a packet */
	EXTBUF_TX_USES,
};

enum { EXTBUF_USES = EXTBUF_TX_USES };

/* The verdict on a queue of a started port. */
struct extbuf_queue {
	char driver[SHIM_PATH];
	/*
	 * the driver's function; empty: it does not say, and nobody has looked at this release of
	 * it
	 */
	char path[SHIM_PATH];
	bool known; /* the driver was looked at; else all rows are the safe default */
	struct extbuf_verdict verdict[EXTBUF_USES];
};

/*
 * Judge a queue; offloads: RTE_ETH_TX_OFFLOAD_* in force on it. The port is started: drivers choose
 * their functions then. Errors: EINVAL for a port that does not answer. Thread: control.
 */
int extbuf_rx_judge(uint16_t port, uint16_t queue, struct extbuf_queue *q, struct err *e);
int extbuf_tx_judge(uint16_t port, uint16_t queue, uint64_t offloads, struct extbuf_queue *q,
	struct err *e);

/*
 * Refuse what the queue cannot: EOPNOTSUPP with port, queue, function and reason, when the verdict
 * on one of the uses (1 << enum extbuf_tx_use each) is a refusal. Errors beside: as
 * extbuf_tx_judge(). Thread: control.
 */
int extbuf_tx_check(uint16_t port, uint16_t queue, uint64_t offloads, unsigned int uses,
	struct err *e);

/*
 * Refuse pinned buffers of so many bytes on pages of so many, where the driver would not reach all
 * of them: EOPNOTSUPP. Buffers lie one behind the other, and the last one begins in the page where
 * it ends unless it is longer.
 */
int extbuf_pages_check(uint16_t port, uint32_t bytes, uint64_t page, struct err *e);

/* "pinned", "clones", ...: a use in one word; "ok", "mended", "refused". */
const char *extbuf_rx_word(enum extbuf_rx_use use);
const char *extbuf_tx_word(enum extbuf_tx_use use);
const char *extbuf_support_word(enum extbuf_support support);

/*
 * Whether a driver's fast free (RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) is known to give pinned mbufs
 * back to their pool as they are.
 */
bool extbuf_fast_free_pinned(const char *driver);

/* True for a pool whose buffers are external for good. */
static inline bool
extbuf_is_pinned(struct rte_mempool *pool)
{
	return (rte_pktmbuf_priv_flags(pool) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0;
}

/*
 * Mark received packets of pinned pools as external again, each segment, where their driver forgot
 * to: before they are cloned, since a clone takes an mbuf without the mark for the owner of its
 * buffer, and counts itself in memory that is the application's. Thread: who received them.
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
