/* The plugin recycle.so: rte_eth_recycle_mbufs() of unmodified programs, carried out by
 * libzcfwd-recycle instead of the drivers' own callbacks. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs load it with -d. A bus of the plugin lets EAL call it before ports are probed. It takes
 * each port: the library's functions, which stand in front of the driver's (watch.h), call the plugin
 * before and after them.
 *
 * The driver's own recycling callbacks never run in a port that was taken. They rely on conditions
 * that they do not check, and corrupt memory if these are false.
 *
 * A pair is a receive queue and a transmit queue that a program has named in a call. Each has a
 * handle of its own, since the call permits the use of these two queues and of no other.
 */
#include "pmd_shims/dpdk_private.h"
#include "pmd_shims/recycle/watch.h"

#include <rte_branch_prediction.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_log.h>
#include <rte_telemetry.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zcfwd/recycle.h>

/* Statistics that are shown, at most. */
enum { STATS = 64 };

/* Polls that move nothing between two looks at the reason. */
enum { LOOK = 1024 };

/* A pair. It exists until its receive port is closed. Written under the lock, but for idle and
 * calls. */
struct pair {
	struct pair *next;
	struct zcfwd_recycle_queue tx;
	/* where the queue was when the pair was bound, by which calls find the pair; NULL: nowhere */
	const void *txq;
	struct zcfwd_recycle *handle; /* NULL: no memory */
	unsigned int starts;          /* as the global, when the pair was bound */
	unsigned int idle;            /* written by the lcore */
	atomic_uint calls;            /* of the program, written by the lcore */
	unsigned int seen;            /* calls when another lcore last wanted the transmit queue */
	int reason;                   /* the last one that was logged; -1: none */
};

/*
 * Globals, since ethdev passes nothing but the port or a queue. feeds: the pairs of each receive
 * queue. The address of a feed identifies the queue: it is what programs get as mbuf_ring.
 */
static struct feed {
	struct pair *pairs;
} feeds[RTE_MAX_ETHPORTS][RTE_MAX_QUEUES_PER_PORT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the library's control */
static atomic_uint starts;                               /* of ports */
static bool refused[RTE_MAX_ETHPORTS]; /* why a port is not supported was logged */
static int logtype;

#define COMPLAIN(...) rte_log(RTE_LOG_WARNING, (uint32_t)logtype, "recycle: " __VA_ARGS__)
#define INFORM(...) rte_log(RTE_LOG_INFO, (uint32_t)logtype, "recycle: " __VA_ARGS__)

/* Pairs. */

static uint16_t
rx_port_of(const struct feed *f)
{
	return (uint16_t)((f - feeds[0]) / RTE_MAX_QUEUES_PER_PORT);
}

static uint16_t
rx_queue_of(const struct feed *f)
{
	return (uint16_t)((f - feeds[0]) % RTE_MAX_QUEUES_PER_PORT);
}

/* Find the port and number of a transmit queue. */
static bool
tx_find(const void *txq, struct zcfwd_recycle_queue *tx)
{
	/* ethdev has an entry for each queue that a port may have, also of a stopped port. */
	for (uint16_t port = 0; port < RTE_MAX_ETHPORTS; port++) {
		void *const *const queues = rte_eth_fp_ops[port].txq.data;

		for (uint16_t q = 0; queues != NULL && q < RTE_MAX_QUEUES_PER_PORT; q++)
			if (queues[q] == txq) {
				*tx = (struct zcfwd_recycle_queue){ port, q };
				return true;
			}
	}
	return false;
}

/*
 * Take a transmit queue from other receive queues' pairs, which another thread has run, but runs no
 * more: they were not called since the last time.
 */
static void
others_stop(const struct pair *p)
{
	for (struct feed *f = feeds[0]; f < feeds[RTE_MAX_ETHPORTS]; f++)
		for (struct pair *o = f->pairs; o != NULL; o = o->next) {
			const unsigned int calls = atomic_load(&o->calls);

			if (o == p || o->txq != p->txq || o->handle == NULL)
				continue;
			if (calls == o->seen)
				zcfwd_recycle_stop(o->handle);
			o->seen = calls;
		}
}

/* Log the reason of a pair, or how it recycles, if that changed. */
static void
say(const struct feed *f, struct pair *p, enum zcfwd_recycle_reason reason, const char *text)
{
	if (p->reason == (int)reason)
		return;
	p->reason = (int)reason;
	rte_log(reason == ZCFWD_RECYCLE_FINE ? RTE_LOG_INFO : RTE_LOG_WARNING, (uint32_t)logtype,
		"recycle: port %u queue %u from port %u queue %u: %s\n", rx_port_of(f),
		rx_queue_of(f), p->tx.port, p->tx.queue, text);
}

/* Bind a pair, once more if it was bound before. */
static void
pair_bind(const struct feed *f, struct pair *p)
{
	struct zcfwd_recycle_error e = { .reason = ZCFWD_RECYCLE_FINE };
	struct zcfwd_recycle_pair now;
	char text[ZCFWD_RECYCLE_TEXT];

	p->starts = atomic_load(&starts);
	if (p->handle == NULL)
		p->handle = zcfwd_recycle_create(rx_port_of(f), rx_queue_of(f), &e);
	if (p->handle != NULL) {
		zcfwd_recycle_stop(p->handle);
		zcfwd_recycle_bind(p->handle, &p->tx, 1, NULL, &e);
	}
	if (p->handle == NULL || zcfwd_recycle_pairs(p->handle, &now, sizeof(now), 1) == 0 ||
		!now.bound) {
		say(f, p, e.reason, e.text);
		return;
	}
	snprintf(text, sizeof(text), "%s from %s", now.rx_function, now.tx_function);
	say(f, p, ZCFWD_RECYCLE_FINE, text);
}

/* The pair of a transmit queue, a new one if there is none; NULL: no memory. */
static struct pair *
pair_of(struct feed *f, const struct zcfwd_recycle_queue *tx)
{
	struct pair *p = f->pairs;

	while (p != NULL && (p->tx.port != tx->port || p->tx.queue != tx->queue))
		p = p->next;
	if (p != NULL)
		return p;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return NULL;
	p->tx = *tx;
	p->reason = -1;
	p->next = f->pairs;
	f->pairs = p;
	return p;
}

/*
 * Bind the pair of a transmit queue's address, under the lock. A queue that was set up again may
 * have another address, or that of another queue before. Returns NULL if there is no such queue, or
 * no memory.
 */
static struct pair *
pair_attach(struct feed *f, const void *txq)
{
	struct zcfwd_recycle_queue tx;
	struct pair *p;

	for (p = f->pairs; p != NULL; p = p->next)
		if (p->txq == txq)
			p->txq = NULL;
	p = tx_find(txq, &tx) ? pair_of(f, &tx) : NULL;
	if (p == NULL)
		return NULL;
	p->txq = txq;
	pair_bind(f, p);
	return p;
}

static __rte_noinline struct pair *
pair_add(struct feed *f, const void *txq)
{
	struct pair *p;

	pthread_mutex_lock(&lock);
	p = pair_attach(f, txq);
	pthread_mutex_unlock(&lock);
	return p;
}

/* True if a pair may recycle when it is bound again, although no port was started meanwhile. */
static bool
passes(enum zcfwd_recycle_reason reason)
{
	return reason == ZCFWD_RECYCLE_CHANGED || reason == ZCFWD_RECYCLE_BUSY ||
		reason == ZCFWD_RECYCLE_STOPPED;
}

/* Find out why a pair moves nothing, and bind it again if that may help. Thread: the lcore. */
static __rte_noinline void
look(struct feed *f, struct pair *p)
{
	const bool started = p->starts != atomic_load(&starts);
	struct zcfwd_recycle_pair now = { .reason = ZCFWD_RECYCLE_CHANGED };

	/* Control may hold it for long: look again later. */
	p->idle = 0;
	if (pthread_mutex_trylock(&lock) != 0)
		return;
	p->starts = atomic_load(&starts);
	if (p->handle != NULL)
		zcfwd_recycle_pairs(p->handle, &now, sizeof(now), 1);
	if (now.reason == ZCFWD_RECYCLE_BUSY)
		others_stop(p);
	if (passes(now.reason) || (started && now.reason != ZCFWD_RECYCLE_FINE))
		pair_attach(f, p->txq);
	else if (now.reason != ZCFWD_RECYCLE_FINE)
		say(f, p, now.reason, now.text);
	pthread_mutex_unlock(&lock);
}

/*
 * Run a pair whose receive queue another pair has run, or another thread. By its call the program
 * says that the queue is now the calling thread's.
 */
static __rte_noinline int
take_over(const struct feed *f, struct pair *p)
{
	int moved;

	pthread_mutex_lock(&lock);
	for (struct pair *o = f->pairs; o != NULL; o = o->next)
		if (o->handle != NULL)
			zcfwd_recycle_stop(o->handle);
	pthread_mutex_unlock(&lock);
	moved = zcfwd_recycle_run(p->handle);
	if (moved < 0 && p->reason != ZCFWD_RECYCLE_BUSY) {
		pthread_mutex_lock(&lock);
		say(f, p, ZCFWD_RECYCLE_BUSY, "the program recycles into the queue itself");
		pthread_mutex_unlock(&lock);
	}
	return moved;
}

/* ethdev's callback of the transmit queue. Thread: the lcore. */
static uint16_t
reuse(void *txq, struct rte_eth_recycle_rxq_info *info)
{
	struct feed *const f = (struct feed *)(void *)info->mbuf_ring;
	struct pair *p;
	int moved;

	if (unlikely(f < feeds[0] || f >= feeds[RTE_MAX_ETHPORTS]))
		return 0;
	for (p = f->pairs; p != NULL && p->txq != txq; p = p->next)
		;
	if (unlikely(p == NULL))
		p = pair_add(f, txq);
	if (unlikely(p == NULL))
		return 0;
	atomic_store_explicit(&p->calls, atomic_load_explicit(&p->calls, memory_order_relaxed) + 1,
		memory_order_relaxed);
	moved = zcfwd_recycle_run(p->handle);
	if (unlikely(moved < 0))
		moved = take_over(f, p);
	if (moved > 0) {
		p->idle = 0;
		return (uint16_t)moved;
	}
	if (unlikely(++p->idle >= LOOK ||
		    p->starts != atomic_load_explicit(&starts, memory_order_relaxed)))
		look(f, p);
	return 0;
}

/* ethdev's callback of the receive queue, which reuse() has armed. */
static void
refill(void *rxq, uint16_t n)
{
}

/* Ports. */

/* Describe a receive queue to the program, which passes it to reuse(). */
static void
rxq_info(uint16_t port, uint16_t queue, struct rte_eth_recycle_rxq_info *info)
{
	static uint16_t unused; /* read and written by drivers' callbacks only, which never run */
	struct rte_eth_rxq_info rxq = { 0 };

	rte_eth_rx_queue_info_get(port, queue, &rxq);
	*info = (struct rte_eth_recycle_rxq_info){
		.mbuf_ring = (struct rte_mbuf **)(void *)&feeds[port][queue],
		.mp = rxq.mp,
		.refill_head = &unused,
		.receive_tail = &unused,
		.mbuf_ring_size = rxq.nb_desc,
		.refill_requirement = 1,
	};
}

/*
 * Let rte_eth_recycle_rx_queue_info_get() succeed if the library supports the port. It is refused
 * otherwise, -ENOTSUP. Known only when queues are set up: while a port is probed, its driver may
 * have no name yet.
 */
static void
support(uint16_t port)
{
	struct zcfwd_recycle_error e;

	pthread_mutex_lock(&lock);
	if (zcfwd_recycle_supports(port, &e) == 0) {
		zcfwd_recycle_offer(port);
	} else if (!refused[port]) {
		COMPLAIN("%s\n", e.text);
		refused[port] = true;
	}
	pthread_mutex_unlock(&lock);
}

/* Free a port's pairs, and log what they moved. */
static void
pairs_free(uint16_t port)
{
	pthread_mutex_lock(&lock);
	for (struct feed *f = feeds[port]; f < feeds[port + 1]; f++) {
		struct pair *p;

		while ((p = f->pairs) != NULL) {
			uint64_t moved = 0; /* the first statistic */

			f->pairs = p->next;
			if (p->handle != NULL)
				zcfwd_recycle_stats(p->handle, &moved, 1);
			INFORM("port %u queue %u from port %u queue %u: %" PRIu64 " mbufs moved\n",
				rx_port_of(f), rx_queue_of(f), p->tx.port, p->tx.queue, moved);
			zcfwd_recycle_destroy(p->handle);
			free(p);
		}
	}
	pthread_mutex_unlock(&lock);
}

static void port_take(uint16_t port);

static void
before(uint16_t port, enum watch_event event)
{
	if (event == WATCH_SETUP)
		support(port);
	else if (event == WATCH_CLOSE)
		pairs_free(port);
}

/* Drivers may probe the port again in a reset, which brings their functions back. */
static void
after(uint16_t port, enum watch_event event)
{
	if (event == WATCH_START)
		atomic_fetch_add(&starts, 1);
	else if (event == WATCH_RESET)
		port_take(port);
}

static void
port_take(uint16_t port)
{
	static const struct watch_hooks hooks = { before, after, rxq_info,
		(const void *)(uintptr_t)reuse, (const void *)(uintptr_t)refill };
	struct zcfwd_recycle_error e;
	int ret;

	pthread_mutex_lock(&lock);
	ret = zcfwd_recycle_hook(port, &hooks, &e);
	pthread_mutex_unlock(&lock);
	if (ret != 0) {
		COMPLAIN("%s: port %u is not taken\n", e.text, port);
		return;
	}
	/* A secondary process does not set queues up. The library refuses to recycle in it. */
	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		support(port);
		rte_eth_fp_ops[port].recycle_tx_mbufs_reuse = reuse;
		rte_eth_fp_ops[port].recycle_rx_descriptors_refill = refill;
	}
}

static int
port_new(uint16_t port, enum rte_eth_event_type event, void *arg, void *ret)
{
	refused[port] = false;
	port_take(port);
	return 0;
}

/* A device that is removed may close its port without ethdev. */
static int
port_gone(uint16_t port, enum rte_eth_event_type event, void *arg, void *ret)
{
	pairs_free(port);
	return 0;
}

/* Telemetry. */

/* Pairs by Rx port, Rx queue, Tx port, Tx queue: {"0/0/1/0": {"moved": 1000, ...}, ...} */
static int
stats(const char *command, const char *parameters, struct rte_tel_data *d)
{
	rte_tel_data_start_dict(d);
	pthread_mutex_lock(&lock);
	for (struct feed *f = feeds[0]; f < feeds[RTE_MAX_ETHPORTS]; f++)
		for (struct pair *p = f->pairs; p != NULL; p = p->next) {
			struct rte_tel_data *one = p->handle != NULL ? rte_tel_data_alloc() : NULL;
			uint64_t values[STATS];
			unsigned int n;
			char name[RTE_TEL_MAX_STRING_LEN];

			if (one == NULL)
				continue;
			n = zcfwd_recycle_stats(p->handle, values, STATS);
			rte_tel_data_start_dict(one);
			for (unsigned int i = 0; i < n; i++)
				if (!zcfwd_recycle_row(i)->level)
					rte_tel_data_add_dict_uint(one, zcfwd_recycle_row(i)->name,
						values[i]);
			snprintf(name, sizeof(name), "%u/%u/%u/%u", rx_port_of(f), rx_queue_of(f),
				p->tx.port, p->tx.queue);
			/* The answer is full if it fails. */
			if (rte_tel_data_add_dict_container(d, name, one, 0) != 0)
				rte_tel_data_free(one);
		}
	pthread_mutex_unlock(&lock);
	return 0;
}

/* The bus. */

static int
scan(void)
{
	return 0;
}

/* Probes nothing: EAL calls it when its memory can be used. */
static int
probe(BUS_PROBE_ARGS)
{
	static bool done;

	if (done)
		return 0;
	done = true;
	if (rte_eth_dev_callback_register(RTE_ETH_ALL, RTE_ETH_EVENT_NEW, port_new, NULL) != 0 ||
		rte_eth_dev_callback_register(RTE_ETH_ALL, RTE_ETH_EVENT_DESTROY, port_gone,
			NULL) != 0)
		COMPLAIN("no memory: ports that are probed later are not taken\n");
	for (uint16_t port = 0; port < RTE_MAX_ETHPORTS; port++)
		if (rte_eth_dev_is_valid_port(port))
			port_take(port);
	return 0;
}

static struct rte_device *
find_device(BUS_FIND_ARGS)
{
	return NULL;
}

static struct rte_bus bus = {
	.name = "zcfwd_recycle",
	.scan = scan,
	.probe = probe,
	.find_device = find_device,
};

__attribute__((constructor)) static void
bus_add(void)
{
	logtype = rte_log_register_type_and_pick_level("zcfwd.recycle", RTE_LOG_INFO);
	/* The bus of another release may be another struct. */
	if (rte_version_year() != RTE_VER_YEAR || rte_version_month() != RTE_VER_MONTH) {
		COMPLAIN("%s: expected DPDK %u.%02u: no port is taken\n", rte_version(),
			RTE_VER_YEAR, RTE_VER_MONTH);
		return;
	}
	rte_bus_register(&bus);
	rte_telemetry_register_cmd("/recycle/stats", stats,
		"Returns what the plugin recycle.so moved, by queues. No parameters");
}
