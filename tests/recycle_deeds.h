/* What an application does to packets before it sends them, and holds. */
#pragma once

#include <rte_mbuf.h>

#include <stdint.h>

enum { DEEDS_MBUFS = 8191, DEEDS_HELD = 64, DEEDS_SNAP = 60 /* bytes: each packet is that long */ };

/* A packet that is still held after it was sent, and what it must go on to say. */
struct held {
	struct rte_mbuf *m;
	uint8_t bytes[DEEDS_SNAP];
};

/* Set pool (that of the receive queues) and foreign first, and count n up with each packet. */
extern struct deeds {
	struct rte_mempool *pool, *foreign;
	unsigned int n;
	unsigned int made, released; /* external buffers attached, and freed by their callback */
	struct held held[DEEDS_HELD];
	struct rte_mbuf *hoard[DEEDS_MBUFS];
	unsigned int n_hoard;
} deeds;

/* Do it to a packet, or to every so many; returns the packet to send. */
typedef struct rte_mbuf *deed(struct rte_mbuf *m);
deed deed_plain;
deed deed_shared; /* sent with a second holder */
deed deed_from_another_pool;
deed deed_cloned; /* the clone is sent, the original held; the clone is of the receive queue's pool */
deed deed_external;          /* the payload lies in memory that is no mbuf's */
deed deed_hoarded;           /* every packet has a second holder, until the rings run dry */
deed deed_anything_of_pools; /* shared, from another pool, cloned, by turns */
deed deed_anything;          /* all but hoarding, by turns */

/* Let go of what is held: nobody wrote into it, and each external buffer was freed once. */
void deeds_finish(void);

/* Let go of the hoard. */
void deeds_unhoard(void);
