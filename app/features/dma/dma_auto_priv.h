/* dma placement auto: its state, and what its files share, from the lowest to the highest: dma_guests.c
 * reads the queues, dma_auto_plan.c chooses their channels and dma_auto_streams.c lcores for streams,
 * dma_auto_memory.c moves pools and streams, dma_auto_move.c moves queues, dma_auto.c has the thread and
 * the commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/err.h"
#include "features/dma/dma_place.h"
#include "features/dma/dma_topology.h"

#include <rte_dmadev.h>
#include <rte_log.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct plan;
struct ports;
struct run;
struct text;

enum { GUEST_RX, GUEST_TX, GUEST_WAYS };

struct dma_channel {
	int16_t dma; /* -1: the CPU */
	uint16_t vchan;
};

/* One direction of a queue. */
struct guest_way {
	bool engines; /* may have a channel */
	bool leaving; /* its channel, once copies in flight are complete */
	bool lost;    /* its channel's engine was stopped because it did not complete its copies */
	uint64_t packets, bytes, in_flight;
	struct dma_load load; /* of the last period that had any */
	unsigned int stuck;   /* periods in which its channel completed none of its copies */
	struct dma_channel at, to;
};

struct guest_queue {
	uint16_t port, queue;
	uint16_t room; /* bytes of an mbuf, at most one copy */
	bool polled;   /* an lcore of the run receives from it or sends to it */
	/* Nodes of the pools: of packets from the guest, and of packets to it; -1: unknown. */
	int pool[GUEST_WAYS];
	unsigned int away; /* periods in which another node was better for packets from the guest */
	int pool_to;       /* where that pool moves now; -1: it stays */
	bool said;         /* it was reported why it stays */
	struct guest_way way[GUEST_WAYS];
};

struct guest_queues {
	struct guest_queue *queue;
	unsigned int n;
	uint64_t tsc; /* when they were read */
};

enum {
	DMA_PERCENT = 10, /* by which a new placement has to be cheaper */
	DMA_PERIODS = 3,  /* consecutive periods in which it has to be cheaper */
	/* Periods without a move after lcores did not come to rest in 100 ms: at most 1 % of the time. */
	DMA_REST = 10,
	DMA_TRY_MS = 10,  /* between two attempts to move a queue */
	DMA_TRIES = 1000, /* in one period, while an engine completes copies slowly */
	DMA_STUCK_TRIES =
		100 /* attempts in which an engine completes no copy before it counts as broken */
};

struct dma_auto {
	struct ports *ports;
	struct run *run;
	unsigned int period_ms;
	bool file;                  /* only the engines of base are used */
	struct dma_topology base;   /* of the setting dma-topology, when the command was entered */
	struct dma_topology now;    /* with the engines and ports of this period */
	int16_t dma[DMA_ENGINES];   /* of the engines in now */
	struct guest_queues before; /* of the last period */
	struct dma_patience patience;
	struct dma_auto_engine {
		int16_t dma;
		char name[DMA_NAME_BYTES];
		bool taken, broken;
	} engine[RTE_DMADEV_DEFAULT_MAX]; /* each that was used so far */
	unsigned int n_engines;
	char why[sizeof(((struct err *)NULL)->text)]; /* the last failure of the planner */
	unsigned int rest, pools_rest; /* periods in which streams, or pools, do not move */
	uint64_t fixed;                /* the run (n_runs) whose streams cannot move */
	bool waits;      /* streams were to move, but an lcore was busy: to be tried again */
	bool resumes;    /* the thread waits until due_ms before it acts */
	uint64_t due_ms; /* of the monotonic clock: when the next period begins */

	bool on; /* the thread exists */
	pthread_t thread;
	pthread_mutex_t lock; /* protects stop and acts */
	pthread_cond_t wake, rests;
	bool stop;
	bool acts; /* a period has begun, or is due */
};

/* Log a message of the placement. */
#define report(level, ...) \
	rte_log(RTE_LOG_##level, RTE_LOGTYPE_USER1, \
		RTE_FMT("zcfwd: dma placement: " RTE_FMT_HEAD(__VA_ARGS__, ) "\n", \
			RTE_FMT_TAIL(__VA_ARGS__, )))

/* One direction of a queue in messages: port 1 queue 0 tx. */
#define GUEST_WAY "port %u queue %u %s"
#define GUEST_WAY_OF(q, i) (q)->port, (q)->queue, (i) == GUEST_TX ? "tx" : "rx"

/*
 * Read all queues into *to; free them with dma_guests_free(), also after an error. Returns false
 * without memory. Thread: control, or any that holds ports.reading.
 */
bool dma_guests_read(struct guest_queues *to);
void dma_guests_free(struct guest_queues *qs);

/* Return whether both are the CPU or the same channel. */
bool dma_guests_same(struct dma_channel a, struct dma_channel b);

/* Return whether a channel has no copies to make. */
bool dma_guests_idle(struct dma_channel c);

/* Return the direction that has a channel, or with to, that gets it; NULL: none. */
struct guest_way *dma_guests_owner(struct guest_queues *qs, struct dma_channel c, bool to);

/*
 * Add the queues that have channels of a DMA device: "port 1 queue 0 tx, ...". Sets to->cut without
 * memory: some queues may be missing. Thread: as for dma_guests_read().
 */
void dma_guests_add(struct text *to, int16_t dma);

/*
 * Choose channels. All arrays of queues have qs->n entries, all arrays of places GUEST_WAYS * qs->n.
 * Thread: that of the placement; control while that thread does not exist.
 */

/* The load of a direction that was never measured. */
extern const struct dma_load dma_plan_assumed;

/* Return the entry of a DMA device; NULL: there is no entry, and with make no room for one. */
struct dma_auto_engine *dma_plan_engine(struct dma_auto *a, const char *name, bool make);

/* Return whether a DMA device failed since the command was entered. */
bool dma_plan_broken(struct dma_auto *a, int16_t dma);

/* Fill the topology of this period. The caller holds ports.reading. */
void dma_plan_topology(struct dma_auto *a, const struct guest_queues *qs);

/* Return a queue as it was in the last period; NULL: there was none. */
const struct guest_queue *dma_plan_before(const struct dma_auto *a, const struct guest_queue *q);

/* Return the planner's queues, of any lcore and without a load; free() them. NULL: no memory. */
struct dma_queue *dma_plan_queues(const struct dma_auto *a, const struct guest_queues *qs);

/* Return the planner's queues, with their lcores and loads; free() them. NULL: no memory. */
struct dma_queue *dma_plan_loads(struct dma_auto *a, struct guest_queues *qs);

/* Count the periods without progress of each direction's copies in flight. */
void dma_plan_watch(const struct dma_auto *a, struct guest_queues *qs);

/* Return the present placement in the planner's form. place NULL: no memory. */
struct dma_places dma_plan_present(const struct dma_auto *a, const struct guest_queues *qs,
	const struct dma_queue *queue);

/*
 * Choose lcores for the streams of the run: lcore[i] for stream i of *n, to be freed, and moved, qs->n
 * queues with those lcores. NULL: there is no run, its streams cannot move, or no queue gets another
 * lcore.
 */
unsigned int *dma_plan_lcores(const struct dma_auto *a, const struct guest_queues *qs,
	const struct dma_queue *queue, struct dma_queue *moved, unsigned int *n);

/* Return the index in the topology of a channel's engine; -1: the CPU or none of these. */
int dma_plan_index(const struct dma_auto *a, struct dma_channel c);

/*
 * Choose channels: a direction keeps its channel if it keeps its engine. One without load keeps its
 * channel unless another needs it. adopted: NULL: only leave engines that may not be used any more.
 */
void dma_plan_choose(const struct dma_auto *a, struct guest_queues *qs,
	const struct dma_queue *queue, const struct dma_places *adopted);

/*
 * Move pools and streams. Thread: as above.
 */

/*
 * Choose the pools that move: those of polled queues for which another node was better for some
 * periods, or in the first one.
 */
void dma_memory_plan(struct dma_auto *a, struct guest_queues *qs, const struct dma_queue *queue);

/* Return whether a queue of the port gets another pool, so that no engine may copy for the port. */
bool dma_memory_moves(const struct guest_queues *qs, uint16_t port);

/* Move the chosen pools of ports whose packets the CPU copies, with none in flight. */
void dma_memory_move(struct dma_auto *a, struct guest_queues *qs);

/*
 * Let a run know that packets from these guests may be of the pools of all nodes, so that no port has
 * mbuf_fast_free for them. Thread: control, while no run is on.
 */
void dma_memory_announce(struct dma_auto *a, const struct guest_queues *qs);

/* Move the n streams of the run to other lcores. Returns false if they stay. */
bool dma_memory_streams(struct dma_auto *a, const unsigned int *lcore, unsigned int n);

/* Move queues. Thread: as above. */

/* Wait. Returns false if the thread is to end. */
bool dma_move_wait(struct dma_auto *a, unsigned int ms);

/* Move all directions to the chosen channels. Channels are left before others get them. */
void dma_move_all(struct dma_auto *a, struct guest_queues *qs);

/* Return the name of a channel's engine in messages. */
const char *dma_move_channel_name(struct dma_channel c);

/*
 * Choose an lcore of the topology for each stream of a plan, lcore[i] for stream i. A stream with
 * one of the n queues goes to the node of the lcore for which the queue is placed; there, and for
 * streams without one, to the lcore with the least load. The largest loads come first. If no
 * stream has one of the queues, they keep their lcores. Errors: those of dma_place_all().
 */
int dma_streams_place(unsigned int *lcore, const struct plan *plan, const struct dma_topology *t,
	const struct dma_queue *queue, unsigned int n, struct err *e);
