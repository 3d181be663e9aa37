/* What a driver's half of a pair of queues without mbufs has to provide, and the state of a pair. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_branch_prediction.h>
#include <rte_ethdev.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct direct;

/* A received packet, in place of an mbuf. */
struct direct_pkt {
	uint8_t *data;   /* first byte */
	uint64_t length; /* bytes, without the CRC */
};

/* Written by the lcore that owns the queues. */
struct direct_count {
	counter *topped_up; /* mbufs from the pool, armed because too few packets were sent */
	counter *freed;     /* sent mbufs returned to the pool */
};

/*
 * Re-arm sent mbufs by direct_rearm(), then receive into pkts[0..n), at most max. Sets any_bad.
 * Returns n.
 */
typedef uint16_t direct_rx(struct direct *d, struct direct_pkt *pkts, uint16_t max);

/* Remove the bad ones of the last burst's packets, and put their mbufs. Returns how many are left. */
typedef uint16_t direct_sort(struct direct *d, struct direct_pkt *pkts, uint16_t n);

/* Transmit pkts[0..n), for which there is room, and lower d->room. */
typedef void direct_tx(struct direct *d, const struct direct_pkt *pkts, uint16_t n);

/*
 * Take sent mbufs out of the Tx ring into d->sent: a multiple of d->batch, at most max if the queue
 * has no batches of its own. They stay readable until the next call of a direct_tx. Raises d->room.
 * Returns how many; 0 if there are not as many.
 */
typedef uint16_t direct_take(struct direct *d, uint16_t max);

/* Returns how many free slots can be armed, a multiple of the Rx queue's batch. */
typedef uint16_t direct_open(const struct direct *d);

/*
 * Check what the shim of recycling does not, and note pointers for a direct_prove. Errors: ENOTSUP with the
 * reason. Thread: control.
 */
typedef int direct_check(struct direct *d, struct err *e);

/* False: for now only the driver's own functions can be used. Thread: the lcore. */
typedef bool direct_ready(const struct direct *d);

/*
 * As a shim_rx_prove, for the fields of a queue that recycling does not use. Called after that one has
 * agreed. Thread: the lcore.
 */
typedef enum shim_proof direct_prove(struct direct *d);

/* Functions of a driver's Rx queue, compiled for its layout. */
struct direct_rx_ops {
	const char *driver, *also;      /* dev_info.driver_name, and another one or NULL */
	const struct shim_rx_ops *shim; /* of the queue: they differ by the kind of its ring */
	direct_check *check;            /* NULL: the shim's checks are enough */
	direct_ready *ready;            /* NULL: always */
	direct_rx *receive;
	direct_rx *receive_bound; /* with mbufs bound to slots; NULL: they cannot be */
	direct_sort *drop_bad;    /* NULL: none is ever bad */
	direct_open *open;
	direct_prove *prove; /* NULL: recycling uses all fields */
	const void *layout;  /* the layout that it was compiled for; NULL: for that of the queue */
	size_t layout_bytes; /* size of that struct */
};

/* Functions of a driver's Tx queue. */
struct direct_tx_ops {
	const char *driver, *also;
	const char *function;           /* a part of its path; NULL: any */
	const struct shim_tx_ops *shim; /* they differ by the size of the queue's entries, too */
	direct_check *check;
	direct_ready *ready;
	direct_tx *send;
	direct_tx *send_bound; /* as receive_bound */
	direct_take *take;
	void (*begin)(struct direct *d); /* set unknown and room: other functions used the queue */
	bool own_only;                   /* cannot send packets of another Rx queue */
	void (*flush)(struct direct *d); /* send held, which is set; NULL: nothing is held back */
	direct_prove *prove;
	const void *layout;
	size_t layout_bytes;
};

/* Mbufs moved at a time. */
enum { DIRECT_BATCH_MAX = 64 };

/* Mbufs bound to slots. Written by the lcore that owns the queues. */
struct direct_slots {
	bool allowed;
	bool on;
	int32_t until_try; /* packets to receive until the next attempt to bind */
	/* mbufs that were sent, but are not armed yet, since the rings do not begin at the same slot */
	uint16_t floating;
};

enum { DIRECT_POINTERS_MAX = 4 };

/* What is known of layouts that are not from the table. Written by the lcore that owns the queues. */
struct direct_proof {
	_Atomic(enum recycle_proof) state; /* not RECYCLE_PROVED: the drivers' functions forward */
	struct shim_proofs seen;
	/* private to direct_prove: packets that each queue had counted, and its position then */
	struct direct_counted {
		uint64_t packets;
		uint32_t at;
	} rx, tx;
	/*
	 * Of each queue, pointers that a direct_check found readable, in an order of its own. A layout in
	 * which they do not stay as they are is wrong.
	 */
	struct direct_pointers {
		const void *at[DIRECT_POINTERS_MAX];
	} rx_pointers, tx_pointers;
};

struct direct {
	direct_rx *receive;
	direct_tx *send;
	uint16_t room;  /* packets that can be sent */
	uint16_t batch; /* sent mbufs move in multiples of it, a power of 2 */
	uint16_t few;   /* with as many free Rx slots or more, mbufs of the pool are armed */
	bool any_bad;   /* a packet of the last burst has an error, or is a part of one */
	bool asks;      /* a queue has a direct_ready, or a layout is not proved */
	/*
	 * False: the queues may have been used by other functions since the last call, so that
	 * mbufs in the Tx ring are not known.
	 */
	bool begun;
	uint16_t unknown;       /* the oldest mbufs in the Tx ring, which are not known */
	struct shim_mbufs sent; /* what the last direct_take returned */
	/* the last packet of the last burst, in no ring: see direct_virtio.c; data is NULL: none */
	struct direct_pkt held;
	uintptr_t data_at; /* bytes from an mbuf to the first byte of its data */
	uint64_t iova;     /* IOVA of a byte minus its address, for all mbufs of the pool */
	/* the pool's mbufs are from the first address to before the other */
	uintptr_t pool_first, pool_end;
	const struct direct_rx_ops *rx_ops;
	const struct direct_tx_ops *tx_ops;
	struct direct_count count;
	struct direct_slots slots;
	struct direct_proof proof;
	/* for sent mbufs that are not contiguous in the ring, 8 or 16 bytes each */
	struct rte_mbuf *list[2 * DIRECT_BATCH_MAX];
	struct shim_rx from;
	struct shim_tx to;
};

/* What holds for a binding between two calls of its functions, once a packet was received or sent. */
bool direct_valid(const struct direct *d);

/* True if pkts[0..n) can be sent or dropped: each lies in one buffer of the pool. */
bool direct_packets_valid(const struct direct *d, const struct direct_pkt *pkts, uint16_t n);

/*
 * True if the ports still have the bound queues. They may have other functions by now: those of a port
 * whose card was removed receive and send nothing. Thread: any.
 */
static inline bool
direct_has_queues(const struct direct *d)
{
	return rte_eth_fp_ops[d->from.port].rxq.data[d->from.queue] == d->from.rxq &&
		rte_eth_fp_ops[d->to.port].txq.data[d->to.queue] == d->to.txq;
}

/* True if the ports still use the bound functions. Thread: any. */
static inline bool
direct_stands(const struct direct *d)
{
	return likely(rte_eth_fp_ops[d->from.port].rx_pkt_burst == d->from.burst &&
		rte_eth_fp_ops[d->to.port].tx_pkt_burst == d->to.burst);
}
