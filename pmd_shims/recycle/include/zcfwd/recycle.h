/* Mbuf recycling for any DPDK program: mbufs that a transmit queue has sent are armed in a receive
 * queue without going through the mempool. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A handle is for one receive queue. It takes the sent mbufs of the transmit queues that are bound
 * to it:
 *
 *	r = zcfwd_recycle_create(rx_port, rx_queue, &e);
 *	zcfwd_recycle_bind(r, &(struct zcfwd_recycle_queue){ tx_port, tx_queue }, 1, NULL, &e);
 *	...
 *	zcfwd_recycle_run(r);
 *	n = rte_eth_rx_burst(rx_port, rx_queue, ...);
 *
 * Threads: one thread, "the lcore", calls rte_eth_rx_burst() of the receive queue,
 * rte_eth_tx_burst() of all its transmit queues, and zcfwd_recycle_run() of the handle. A transmit
 * queue may be bound to several handles of the same lcore. "Control" is any one thread at a time;
 * it calls the other functions, also while the lcore runs the handle, unless they say otherwise; it
 * may be the lcore itself.
 * Ports are stopped, restarted and set up by ethdev's rules: not while an lcore uses their queues.
 *
 * Errors: functions return a negative errno value and describe the failure in *e, which may be NULL.
 * Bad arguments are refused before anything changes. NULL in place of a handle is refused (ARGUMENT);
 * functions that cannot fail do nothing with it and return 0. After zcfwd_recycle_destroy() a handle
 * must not be used.
 * After an error, packets are forwarded without recycling: the drivers refill their rings from their
 * pools as always.
 *
 * Compatibility. A program that was compiled with version 1.x of this header runs with every library
 * of version 1.y, y >= x, without being compiled again. In version 1:
 * - Functions, structs, members, constants and statistics are never removed, renamed or moved.
 * - A newer library may have more functions, constants, modes, reasons and statistics. Treat an
 *   unknown reason as any other failure; its text describes it.
 * - Structs that the library fills in an array of the caller may get members at their end: struct
 *   zcfwd_recycle_pair and struct zcfwd_recycle_change. So the caller passes the size that it was
 *   compiled with. The library writes no more, and clears what it does not know.
 * - struct zcfwd_recycle_row may get members at its end. The library owns it.
 * - struct zcfwd_recycle_options may get members in place of `reserved`, for which 0 means the
 *   behaviour of before. Initialise the whole struct. A library that is older than a member refuses
 *   each value of it but 0 (ARGUMENT).
 * - struct zcfwd_recycle_error and struct zcfwd_recycle_queue never change.
 * - Texts are for people and may change: compare reasons, codes and names of statistics instead.
 * A program that uses a function of version 1.x needs a library of 1.x or newer: compare
 * zcfwd_recycle_version(), or let the dynamic linker do it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
/* C names. */
extern "C" {
#endif

/* The version of this header. A new MAJOR breaks programs; a new MINOR only adds. */
#define ZCFWD_RECYCLE_VERSION_MAJOR 1
#define ZCFWD_RECYCLE_VERSION_MINOR 0
/* A version as a number that can be compared, also by the preprocessor. minor: in [0, 65535]. */
#define ZCFWD_RECYCLE_VERSION_NUMBER(major, minor) ((major)*65536 + (minor))
#define ZCFWD_RECYCLE_VERSION \
	ZCFWD_RECYCLE_VERSION_NUMBER(ZCFWD_RECYCLE_VERSION_MAJOR, ZCFWD_RECYCLE_VERSION_MINOR)

/*
 * Returns the version of the library that the program runs with, as
 * ZCFWD_RECYCLE_VERSION_NUMBER(). Thread: any.
 */
unsigned int zcfwd_recycle_version(void);

/* Why queues are not bound, or why bound ones move nothing. */
enum zcfwd_recycle_reason {
	ZCFWD_RECYCLE_FINE,      /* none of these */
	ZCFWD_RECYCLE_OFF,       /* mode ZCFWD_RECYCLE_MODE_OFF */
	ZCFWD_RECYCLE_ARGUMENT,  /* EINVAL: a bad argument */
	ZCFWD_RECYCLE_NO_QUEUE,  /* EINVAL: there is no such port or queue */
	ZCFWD_RECYCLE_STOPPED,   /* ENETDOWN: the port is stopped */
	ZCFWD_RECYCLE_CHANGED,   /* ESTALE: the queue was set up, stopped or started since */
	ZCFWD_RECYCLE_BUSY,      /* EBUSY: another handle has the queue, or another thread */
	ZCFWD_RECYCLE_PROCESS,   /* ENOTSUP: not the primary process, which sets ports up */
	ZCFWD_RECYCLE_PROCESSOR, /* ENOTSUP: vectors of this processor were not examined */
	ZCFWD_RECYCLE_DRIVER,    /* ENOTSUP: the port's driver is not known */
	ZCFWD_RECYCLE_RELEASE,   /* ENOTSUP: queues of this DPDK release are not known */
	ZCFWD_RECYCLE_FUNCTION,  /* ENOTSUP: the burst function leaves nothing to recycle */
	ZCFWD_RECYCLE_SIZES,     /* ENOTSUP: numbers of descriptors or thresholds do not fit */
	ZCFWD_RECYCLE_LAYOUT,    /* ENOTSUP: the queue contradicts what is known of its driver */
	ZCFWD_RECYCLE_POOL,      /* ENOTSUP: the receive queue's pool cannot be used */
	ZCFWD_RECYCLE_MODE,      /* ENOTSUP: there is nothing to gain in this mode */
	ZCFWD_RECYCLE_FILE,      /* EINVAL, or the errno of reading it: a file of layouts */
	ZCFWD_RECYCLE_SILENT,    /* ETIMEDOUT: the lcore did not run the handle */
	ZCFWD_RECYCLE_MEMORY,    /* ENOMEM: not enough memory */
};

enum { ZCFWD_RECYCLE_TEXT = 256 };

struct zcfwd_recycle_error {
	int code; /* a positive errno value; 0: no failure */
	enum zcfwd_recycle_reason reason;
	char text[ZCFWD_RECYCLE_TEXT]; /* a sentence without a full stop, or a newline */
};

/* A receive queue or a transmit queue of a port. */
struct zcfwd_recycle_queue {
	uint16_t port, queue;
};

enum zcfwd_recycle_mode {
	ZCFWD_RECYCLE_MODE_RING, /* from ring to ring */
	/* into the lcore's mempool cache, one copy; the driver refills its ring from there */
	ZCFWD_RECYCLE_MODE_CACHE,
	/* from contiguous blocks of the receive queue's pool; transmit queues are not used */
	ZCFWD_RECYCLE_MODE_BLOCKS,
	ZCFWD_RECYCLE_MODE_OFF, /* no recycling */
};

/* Values of window that are not numbers of descriptors. */
enum {
	ZCFWD_RECYCLE_WINDOW_OFF = 0,    /* the receive ring is armed in full */
	ZCFWD_RECYCLE_WINDOW_AUTO = 1,   /* the lcore chooses the number */
	ZCFWD_RECYCLE_WINDOW_LEAST = 64, /* this and more are numbers */
	ZCFWD_RECYCLE_WINDOW_MOST = 32768,
};

enum {
	ZCFWD_RECYCLE_FEEDING =
		8,                /* transmit queues that feed a receive queue at a time, at most */
	ZCFWD_RECYCLE_BOUND = 32, /* transmit queues that can be bound if the lcore chooses */
};

/*
 * All zero: from ring to ring, the ring armed in full, all bound queues feed. Values out of range are
 * refused (ARGUMENT).
 */
struct zcfwd_recycle_options {
	enum zcfwd_recycle_mode mode;
	/*
	 * Receive descriptors to keep armed, so that few buffers circulate: off, automatic, or a
	 * number in [ZCFWD_RECYCLE_WINDOW_LEAST, ZCFWD_RECYCLE_WINDOW_MOST]; mode
	 * ZCFWD_RECYCLE_MODE_RING only. burst: most packets that one call of rte_eth_rx_burst() is
	 * asked for, in [1, 65535]; 0: 32.
	 */
	uint16_t window, burst;
	/*
	 * NULL: all bound queues feed. Otherwise the lcore feeds from those that send the receive
	 * queue's packets: sent[i] is the number of packets so far that it received there and sent
	 * by queue i, which the lcore counts. It begins with queue first, in [0, n).
	 */
	const uint64_t *sent;
	unsigned int first;
	/* refuse releases that are newer than the tables, which are otherwise proved at run time; 0 or 1 */
	bool tables_only;
	uint64_t reserved[4]; /* must be 0 */
};

/*
 * Whether the driver of a port is known; zcfwd_recycle_bind() examines its queues. The port need not
 * be configured. Returns 0; errors: NO_QUEUE: there is no such port; PROCESS, PROCESSOR, DRIVER,
 * RELEASE. Thread: control.
 */
int zcfwd_recycle_supports(uint16_t port, struct zcfwd_recycle_error *e);

/* The recycling of one receive queue. */
struct zcfwd_recycle;

/*
 * Make a handle for a receive queue of a port, without transmit queues. Returns NULL with *e filled:
 * NO_QUEUE, MEMORY. The port need not be started. Thread: control.
 */
struct zcfwd_recycle *zcfwd_recycle_create(uint16_t rx_port, uint16_t rx_queue,
	struct zcfwd_recycle_error *e);

/*
 * Give everything back, as zcfwd_recycle_stop(), and free the handle; NULL is fine. Thread: control,
 * when the lcore runs the handle no more.
 */
void zcfwd_recycle_destroy(struct zcfwd_recycle *r);

/*
 * Bind n transmit queues in place of the ones bound before; n 0: none, and tx may be NULL. Each queue
 * is given once. Their ports and the handle's must be started. From then on the library sees when
 * queues of these ports are set up, started or stopped. Mode ZCFWD_RECYCLE_MODE_BLOCKS needs no
 * transmit queue: tx and n are not used, and the handle has one pair, of the receive queue itself.
 * options: NULL for zeros. If an lcore runs the handle, waits until it uses the new queues, at most a
 * second.
 * Returns the number of queues that are bound; if it is less than n, *e has the reason for the first
 * one that is refused, and zcfwd_recycle_pairs() has all. Errors: ARGUMENT, SILENT, MEMORY;
 * FUNCTION: an automatic window needs receive functions that show how full the ring is. After an
 * error the queues bound before remain, but if they have a window, none may be left. Thread: control.
 */
int zcfwd_recycle_bind(struct zcfwd_recycle *r, const struct zcfwd_recycle_queue *tx,
	unsigned int n, const struct zcfwd_recycle_options *options, struct zcfwd_recycle_error *e);

/*
 * Bind one more transmit queue, or one less. zcfwd_recycle_add() may be called again for a queue that
 * was refused or has changed. ARGUMENT: it is bound already, or is not; others as
 * zcfwd_recycle_bind(), whose options remain. With options.sent and in mode
 * ZCFWD_RECYCLE_MODE_BLOCKS both are refused (ARGUMENT): use zcfwd_recycle_bind(). Returns 0 if the
 * queue is bound, or unbound. Thread: control.
 */
int zcfwd_recycle_add(struct zcfwd_recycle *r, struct zcfwd_recycle_queue tx,
	struct zcfwd_recycle_error *e);
int zcfwd_recycle_remove(struct zcfwd_recycle *r, struct zcfwd_recycle_queue tx,
	struct zcfwd_recycle_error *e);

/*
 * Unbind a transmit queue from one handle and bind it to another. What zcfwd_recycle_remove() refuses
 * for the first handle, or zcfwd_recycle_add() for the second, is refused (ARGUMENT). If the queue
 * cannot be bound to the second handle, it is bound to none: *e has the reason. Returns 0 if it moved.
 * Thread: control.
 */
int zcfwd_recycle_move(struct zcfwd_recycle *from, struct zcfwd_recycle *to,
	struct zcfwd_recycle_queue tx, struct zcfwd_recycle_error *e);

/*
 * Arm free slots of the receive queue with sent mbufs; call it before each rte_eth_rx_burst(). NULL is
 * fine, for a queue without a handle.
 * Returns the number of mbufs moved; -EBUSY, and nothing is done, if another thread runs the handle,
 * or another handle of the receive queue is run: until zcfwd_recycle_stop() of that one.
 * Queues that were set up, stopped or started since they were bound are left alone until
 * zcfwd_recycle_bind() is called again. Thread: the lcore.
 */
int zcfwd_recycle_run(struct zcfwd_recycle *r);

/*
 * Move nothing from now on, until it is called with false, queues are bound, or zcfwd_recycle_stop() is
 * called. NULL is fine. Thread: the lcore.
 */
void zcfwd_recycle_pause(struct zcfwd_recycle *r, bool pause);

/*
 * Call it when the lcore runs the handle no more, before a port is stopped or another thread takes
 * over: returns mbufs that were kept for the next call to their pool, and arms the ring in full if it
 * has a window. The queues remain bound. NULL is fine. Thread: control.
 */
void zcfwd_recycle_stop(struct zcfwd_recycle *r);

/*
 * Statistics, as COUNTER(name, unit, help) or LEVEL(name, unit, help). Counters count since the handle
 * was made and only increase. Levels describe its window now; they are ZCFWD_RECYCLE_NONE without one.
 * ZCFWD_RECYCLE_STATS() below lists them in the order of their values, in which counters and levels
 * alternate freely: `level` of struct zcfwd_recycle_row tells them apart. The number of a statistic
 * never changes; newer libraries append counters and levels behind the last one.
 */
#define ZCFWD_RECYCLE_MBUF_COUNTERS(S) \
	S(moved, "mbufs", "sent mbufs re-armed on the Rx ring without going through the pool") \
	S(topped_up, "mbufs", "mbufs taken from the pool to complete a batch or a window") \
	S(shared, "mbufs", "sent mbufs not moved because they have other references") \
	S(foreign, "mbufs", "sent mbufs not moved because they belong to another pool") \
	S(freed, "mbufs", \
		"sent mbufs returned to the pool: no free Rx slot or a full window, or no full batch") \
	S(from_blocks, "mbufs", "mbufs armed out of the pool's contiguous blocks")
#define ZCFWD_RECYCLE_BLOCK_COUNTERS(S) \
	S(contig_gets, "calls", "calls that got contiguous blocks from the pool") \
	S(blocks, "blocks", "contiguous blocks taken from the pool") \
	S(blocks_cached, "blocks", "contiguous blocks put into the lcore's mempool cache")
#define ZCFWD_RECYCLE_WINDOW_LEVELS(S) \
	S(window, "descriptors", "Rx descriptors that the window keeps armed") \
	S(armed, "descriptors", "Rx descriptors armed now, with a window") \
	S(in_flight, "mbufs", "mbufs in the Tx rings of the pairs, sent or not, with a window") \
	S(working_set, "bytes", \
		"memory of the mbufs armed and in flight, with the first cache line of each packet") \
	S(ring, "descriptors", "Rx descriptors of the ring, with a window")
#define ZCFWD_RECYCLE_COPY_COUNTERS(S) \
	S(inlined, "mbufs", \
		"sent mbufs not moved because the driver copied their packets into descriptors")
#define ZCFWD_RECYCLE_STATS(COUNTER, LEVEL) \
	ZCFWD_RECYCLE_MBUF_COUNTERS(COUNTER) \
	ZCFWD_RECYCLE_BLOCK_COUNTERS(COUNTER) \
	ZCFWD_RECYCLE_WINDOW_LEVELS(LEVEL) \
	ZCFWD_RECYCLE_COPY_COUNTERS(COUNTER)

#define ZCFWD_RECYCLE_NONE UINT64_MAX /* a level without a value */

/* The description of a statistic. */
struct zcfwd_recycle_row {
	const char *name, *unit, *help;
	bool level; /* not a counter */
};

/*
 * Returns the description of statistic i; NULL: this library has i statistics or fewer. Valid as long
 * as the process. Thread: any.
 */
const struct zcfwd_recycle_row *zcfwd_recycle_row(unsigned int i);

/*
 * Read the first n statistics of a handle into values[], which may be NULL if n is 0. Returns how many
 * were written: n, or fewer if there are fewer rows. Levels are approximate while the lcore runs the
 * handle. Thread: control, or any while control calls nothing else; levels are not read while
 * zcfwd_recycle_stop() runs.
 */
unsigned int zcfwd_recycle_stats(const struct zcfwd_recycle *r, uint64_t *values, unsigned int n);

/* A transmit queue as it was given to zcfwd_recycle_bind(). Texts are valid until it is called again. */
struct zcfwd_recycle_pair {
	struct zcfwd_recycle_queue tx;
	bool bound, feeds; /* feeds: the lcore takes mbufs from it now */
	bool proving;      /* its layout is still compared with the queues; nothing moves yet */
	/* FINE, why it is not bound, or why it moves nothing, or not all, although it is bound */
	enum zcfwd_recycle_reason reason;
	const char *text; /* of reason; empty if it is FINE */
	/* driver and burst function, as "net_i40e Vector AVX2"; source of the layout: "table",
	 * "check" or "file". Empty if it is not bound. */
	const char *rx_function, *tx_function, *rx_layout, *tx_layout;
};

/*
 * Describe up to n of the transmit queues; pairs may be NULL if n is 0. size: sizeof(pairs[0]).
 * Returns how many there are. Thread: control.
 */
unsigned int zcfwd_recycle_pairs(const struct zcfwd_recycle *r, struct zcfwd_recycle_pair *pairs,
	size_t size, unsigned int n);

/*
 * As zcfwd_recycle_stats(), of transmit queue i alone, since it was bound, and of the counters alone:
 * value k is that of the counter that follows k others in the list. Returns 0 if there is no queue i.
 */
unsigned int zcfwd_recycle_pair_stats(const struct zcfwd_recycle *r, unsigned int i,
	uint64_t *values, unsigned int n);

/* A change of the feeding queues by options.sent: a bit for each queue, before and after. */
struct zcfwd_recycle_change {
	uint64_t tsc, from, to;
};

/*
 * Copy up to n of the last changes, the latest last; changes may be NULL if n is 0. size:
 * sizeof(changes[0]). Returns how many. Thread: control.
 */
unsigned int zcfwd_recycle_changes(const struct zcfwd_recycle *r,
	struct zcfwd_recycle_change *changes, size_t size, unsigned int n);

/*
 * Use layouts of drivers' queues from a file that devtools/layouts made from the source of the
 * running DPDK, in addition to the library's tables. Queues have to agree with them before mbufs
 * move. path: a regular file of at most 1 MiB. FILE: names the line and the word; nothing changed.
 * ARGUMENT: path is NULL. Thread: control, before any handle is made.
 */
int zcfwd_recycle_layouts(const char *path, struct zcfwd_recycle_error *e);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
