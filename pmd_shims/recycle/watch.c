/* Puts functions of the library in front of those of a port's driver, to see when queues change. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/watch.h"

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_spinlock.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/*
 * A queue that is set up again often has the address, the pool and the size of the one before. So
 * addresses cannot tell a queue from its successor, but ethdev calls these functions of the driver
 * whenever a queue changes.
 */

struct rte_eth_dev;

/* An array of struct rte_eth_dev, which only drivers' headers declare. */
extern char rte_eth_devices[];

static const struct ethdev_layout layouts[] = { ETHDEV_ROWS(SHIM_ROW) };
static const char *const fields[] = { ETHDEV_FIELDS(SHIM_FIELD_NAME) };
static const uint8_t bytes[] = { ETHDEV_FIELDS(SHIM_FIELD_BYTES) };
const struct shim_table watch_table = { "ethdev", layouts, RTE_DIM(layouts), sizeof(layouts[0]),
	fields, bytes, RTE_DIM(fields) };

/*
 * Globals, since ethdev passes nothing but the port to a driver's functions: the watched ports and
 * the layout of ethdev's structs. Written by control, never freed.
 */
static struct watch *watched[RTE_MAX_ETHPORTS];
static const struct ethdev_layout *layout;
static rte_spinlock_t claims = RTE_SPINLOCK_INITIALIZER;

static struct rte_eth_dev *
dev_of(uint16_t port)
{
	return (void *)(rte_eth_devices + (size_t)port * layout->port_bytes);
}

static uint16_t
port_of(const struct rte_eth_dev *dev)
{
	return (uint16_t)((size_t)((const char *)dev - rte_eth_devices) / layout->port_bytes);
}

static struct watch *
watch_of(const struct rte_eth_dev *dev)
{
	return watched[port_of(dev)];
}

static void
changed(struct watch_queue *q)
{
	atomic_fetch_add_explicit(&q->changes, 1, memory_order_release);
}

static void
all_changed(struct watch *w)
{
	for (unsigned int q = 0; q < RTE_MAX_QUEUES_PER_PORT; q++) {
		changed(&w->rx[q]);
		changed(&w->tx[q]);
	}
}

typedef int of_port(struct rte_eth_dev *dev);
typedef int of_queue(struct rte_eth_dev *dev, uint16_t queue);
typedef void release(struct rte_eth_dev *dev, uint16_t queue);
typedef int rx_setup(struct rte_eth_dev *dev, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_rxconf *conf, struct rte_mempool *mp);
typedef int tx_setup(struct rte_eth_dev *dev, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_txconf *conf);

/* The driver's own function, by its name in struct eth_dev_ops. */
#define THEIRS(w, type, name) (*(type *const *)shim_at((w)->theirs, layout->name))

static void
function_set(const void *structure, uint16_t at, const void *function)
{
	memcpy(shim_at(structure, at), &function, sizeof(function));
}

/* ethdev's function for the plugin's. */
static void
recycle_rxq_info_get(struct rte_eth_dev *dev, uint16_t queue, struct rte_eth_recycle_rxq_info *info)
{
	watch_of(dev)->hooks->rxq_info(port_of(dev), queue, info);
}

/* Put the plugin's functions in place of the driver's own for recycling, which never run. */
static void
recycling_set(const struct watch *w, struct rte_eth_dev *dev)
{
	/* DPDK before 23.11 does not recycle. */
	if (w->hooks == NULL || layout->reuse == SHIM_NONE)
		return;
	function_set(w->ours, layout->recycle_rxq_info_get,
		w->offered ? (const void *)(uintptr_t)recycle_rxq_info_get : NULL);
	function_set(dev, layout->reuse, w->hooks->reuse);
	function_set(dev, layout->refill, w->hooks->refill);
}

static void
before(const struct watch *w, const struct rte_eth_dev *dev, enum watch_event event)
{
	if (w->hooks != NULL)
		w->hooks->before(port_of(dev), event);
}

/* Drivers choose their functions for recycling when they start. ethdev reads them afterwards. */
static void
after(const struct watch *w, struct rte_eth_dev *dev, enum watch_event event)
{
	if (w->hooks == NULL)
		return;
	if (event == WATCH_START)
		recycling_set(w, dev);
	w->hooks->after(port_of(dev), event);
}

/*
 * Count a change before the driver's function and after it: an lcore may compare the counts in
 * between.
 */
#define OF_PORT(name, event) \
	static int name(struct rte_eth_dev *dev) \
	{ \
		struct watch *w = watch_of(dev); \
		int ret; \
\
		before(w, dev, event); \
		all_changed(w); \
		ret = THEIRS(w, of_port, name)(dev); \
		all_changed(w); \
		after(w, dev, event); \
		return ret; \
	}

#define OF_QUEUE(name, end) \
	static int name(struct rte_eth_dev *dev, uint16_t queue) \
	{ \
		struct watch *w = watch_of(dev); \
		int ret; \
\
		changed(&w->end[queue]); \
		ret = THEIRS(w, of_queue, name)(dev, queue); \
		changed(&w->end[queue]); \
		return ret; \
	}

#define RELEASE(name, end) \
	static void name(struct rte_eth_dev *dev, uint16_t queue) \
	{ \
		struct watch *w = watch_of(dev); \
\
		changed(&w->end[queue]); \
		THEIRS(w, release, name)(dev, queue); \
		changed(&w->end[queue]); \
	}

OF_PORT(dev_start, WATCH_START)
OF_PORT(dev_stop, WATCH_STOP)
OF_PORT(dev_reset, WATCH_RESET)
OF_QUEUE(rx_queue_start, rx)
OF_QUEUE(rx_queue_stop, rx)
OF_QUEUE(tx_queue_start, tx)
OF_QUEUE(tx_queue_stop, tx)
RELEASE(rx_queue_release, rx)
RELEASE(tx_queue_release, tx)

static int
rx_queue_setup(struct rte_eth_dev *dev, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_rxconf *conf, struct rte_mempool *mp)
{
	struct watch *w = watch_of(dev);
	int ret;

	before(w, dev, WATCH_SETUP);
	changed(&w->rx[queue]);
	ret = THEIRS(w, rx_setup, rx_queue_setup)(dev, queue, n, socket, conf, mp);
	changed(&w->rx[queue]);
	after(w, dev, WATCH_SETUP);
	return ret;
}

static int
tx_queue_setup(struct rte_eth_dev *dev, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_txconf *conf)
{
	struct watch *w = watch_of(dev);
	int ret;

	before(w, dev, WATCH_SETUP);
	changed(&w->tx[queue]);
	ret = THEIRS(w, tx_setup, tx_queue_setup)(dev, queue, n, socket, conf);
	changed(&w->tx[queue]);
	after(w, dev, WATCH_SETUP);
	return ret;
}

/* A driver may look at its functions while it closes the port, so it finds its own. */
static int
dev_close(struct rte_eth_dev *dev)
{
	struct watch *w = watch_of(dev);
	const void *const theirs = w->theirs;

	before(w, dev, WATCH_CLOSE);
	all_changed(w);
	w->theirs = NULL;
	atomic_store(w->ops, theirs);
	return (*(of_port *const *)shim_at(theirs, layout->dev_close))(dev);
}

/* Replace one function in a copy of the driver's, if the driver has it. */
static void
put(void *copy, uint16_t at, const void *function)
{
	if (shim_pointer(copy, at) != NULL)
		function_set(copy, at, function);
}

#define PUT(copy, name) put(copy, layout->name, (const void *)(uintptr_t)name)

/* Let ethdev call the library's functions; theirs: the driver's. */
static int
intercept(struct watch *w, struct rte_eth_dev *dev, const void *theirs)
{
	void *copy = w->ours != NULL ? (void *)(uintptr_t)w->ours : malloc(layout->ops_bytes);

	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, theirs, layout->ops_bytes);
	PUT(copy, dev_start);
	PUT(copy, dev_stop);
	PUT(copy, dev_close);
	PUT(copy, dev_reset);
	PUT(copy, rx_queue_setup);
	PUT(copy, rx_queue_release);
	PUT(copy, rx_queue_start);
	PUT(copy, rx_queue_stop);
	PUT(copy, tx_queue_setup);
	PUT(copy, tx_queue_release);
	PUT(copy, tx_queue_start);
	PUT(copy, tx_queue_stop);
	w->theirs = theirs;
	w->ours = copy;
	recycling_set(w, dev);
	all_changed(w);
	atomic_store(w->ops, copy);
	return 0;
}

/* True if function number at of a driver is a function. */
static bool
is_function(const void *theirs, uint16_t at)
{
	Dl_info info;

	return dladdr(shim_pointer(theirs, at), &info) != 0;
}

/* True if ethdev's structs agree with the layout. */
static bool
laid_out(uint16_t port)
{
	const void *data = shim_pointer(dev_of(port), layout->data),
		   *theirs = shim_pointer(dev_of(port), layout->ops);
	Dl_info info;

	return shim_owned(data, layout->port + sizeof(port)) &&
		shim_u16(data, layout->port) == port && dladdr(theirs, &info) != 0 &&
		is_function(theirs, layout->dev_start) && is_function(theirs, layout->dev_stop) &&
		is_function(theirs, layout->dev_close) &&
		is_function(theirs, layout->rx_queue_setup) &&
		is_function(theirs, layout->tx_queue_setup);
}

/* The entry of a port number below RTE_MAX_ETHPORTS; NULL: MEMORY. */
static struct watch *
entry_of(uint16_t port, struct zcfwd_recycle_error *e)
{
	if (watched[port] == NULL)
		watched[port] = calloc(1, sizeof(*watched[port]));
	if (watched[port] == NULL)
		shim_refuse(e, ZCFWD_RECYCLE_MEMORY, "no memory to watch port %u", port);
	return watched[port];
}

struct watch *
watch_entry(uint16_t port, struct zcfwd_recycle_error *e)
{
	if (rte_eth_dev_is_valid_port(port))
		return entry_of(port, e);
	shim_refuse(e, ZCFWD_RECYCLE_NO_QUEUE, "port %u: no such port", port);
	return NULL;
}

static int
layout_find(const struct shim_layouts *known, struct zcfwd_recycle_error *e)
{
	struct shim_laid laid;

	if (layout == NULL)
		layout = shim_layout_find(known, &watch_table, &laid, e);
	return layout != NULL ? 0 : -e->code;
}

int
watch_possible(const struct shim_layouts *known, struct zcfwd_recycle_error *e)
{
	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return shim_refuse(e, ZCFWD_RECYCLE_PROCESS,
			"a secondary process does not see when the primary sets queues up: recycle in the primary process");
	return layout_find(known, e);
}

/* Watch a port, once the layout of ethdev's structs is known. Errors: LAYOUT, MEMORY. */
static int
port_take(struct watch *w, uint16_t port, struct zcfwd_recycle_error *e)
{
	if (w->ours != NULL && watch_stands(w))
		return 0;
	if (!laid_out(port))
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: ethdev's data are not as in %s", port, rte_version());
	w->ops = shim_at(dev_of(port), layout->ops);
	return intercept(w, dev_of(port), atomic_load(w->ops)) == 0
		? 0
		: shim_refuse(e, ZCFWD_RECYCLE_MEMORY, "no memory to watch port %u", port);
}

int
watch_port(struct watch *w, uint16_t port, const struct shim_layouts *known,
	struct zcfwd_recycle_error *e)
{
	return watch_possible(known, e) != 0 ? -e->code : port_take(w, port, e);
}

int
zcfwd_recycle_hook(uint16_t port, const struct watch_hooks *hooks, struct zcfwd_recycle_error *e)
{
	/* ethdev announces a port before it is valid. */
	struct watch *const w = entry_of(port, e);

	if (w == NULL || layout_find(NULL, e) != 0)
		return -e->code;
	w->hooks = hooks;
	w->offered = false;
	if (port_take(w, port, e) != 0) {
		w->hooks = NULL;
		return -e->code;
	}
	recycling_set(w, dev_of(port));
	return 0;
}

void
zcfwd_recycle_offer(uint16_t port)
{
	watched[port]->offered = true;
	recycling_set(watched[port], dev_of(port));
}

bool
watch_started(uint16_t port)
{
	const struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[port];
	const void *data = shim_pointer(dev_of(port), layout->data);

	/* A stopped port has functions and queues that do nothing. */
	return (const void *)(uintptr_t)ops->rx_pkt_burst ==
		shim_pointer(dev_of(port), layout->rx_burst) &&
		(const void *)ops->rxq.data == shim_pointer(data, layout->rx_queues);
}

bool
watch_claim(struct watch_queue *q, void *thread)
{
	bool mine;

	rte_spinlock_lock(&claims);
	if (q->claims == 0)
		q->owner = thread;
	mine = q->owner == thread;
	q->claims += mine;
	rte_spinlock_unlock(&claims);
	return mine;
}

void
watch_unclaim(struct watch_queue *q)
{
	rte_spinlock_lock(&claims);
	q->claims--;
	rte_spinlock_unlock(&claims);
}
