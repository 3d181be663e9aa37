/* The library's functions: all pairs of an Rx queue are in one block behind one pointer. Control
 * publishes a new block and frees the old one once the lcore uses the new one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/handle.h"

#include "pmd_shims/recycle/layout_file.h"
#include "pmd_shims/recycle/watch.h"

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_malloc.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The pairs of a handle. */

/* The calling thread, as the address of a variable of its own, which is known when it starts. */
static void *
self(void)
{
	static _Thread_local char mark __attribute__((tls_model("initial-exec")));

	return &mark;
}

/* Layouts from a file, for all handles. */
static struct shim_layout_file from_file;

int
zcfwd_recycle_layouts(const char *path, struct zcfwd_recycle_error *e)
{
	return path != NULL
		? shim_layout_load(&from_file, path, e)
		: shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT, "the path of the layouts is NULL");
}

struct shim_layouts
recycle_layouts(bool tables_only)
{
	return (struct shim_layouts){ tables_only, &from_file };
}

/* Run all pairs that could be bound; used if the lcore does not choose among them. */
static void
pairs_run_all(struct recycle_pairs *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL) {
			p->bound[p->n_bound++] = p->pair[i].pair;
			atomic_fetch_or(&p->feeds, UINT32_C(1) << i);
		}
}

/*
 * Run the chosen pairs, the one with the most packets first. Thread: the lcore, or control before
 * the lcore uses p.
 */
static void
pairs_run_chosen(struct recycle_pairs *p)
{
	for (unsigned int i = 0; i < p->traffic.n_order; i++)
		p->bound[i] = p->pair[p->traffic.order[i]].pair;
	p->n_bound = p->traffic.n_order;
	atomic_store_explicit(&p->feeds, p->traffic.feeds, memory_order_relaxed);
}

static void
pairs_free(struct recycle_pairs *p)
{
	if (p == NULL)
		return;
	for (unsigned int i = 0; i < p->n; i++)
		recycle_unbind(p->pair[i].pair);
	rte_free(p);
}

/* The first bound pair; NULL: none was bound. */
static struct recycle *
pairs_first(const struct recycle_pairs *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL)
			return p->pair[i].pair;
	return NULL;
}

static uint16_t
burst_of(const struct zcfwd_recycle_options *o)
{
	return o->burst != 0 ? o->burst : 32;
}

/* Whether the bound pairs can have the requested window. */
static int
pairs_window_valid(const struct recycle_pairs *p, const struct zcfwd_recycle_options *o,
	struct zcfwd_recycle_error *e)
{
	const struct recycle *const first = pairs_first(p);

	return o->mode != ZCFWD_RECYCLE_MODE_RING || first == NULL
		? 0
		: recycle_window_valid(first, o->window, burst_of(o), e);
}

/* Open the window of the Rx queue, if one is requested and a pair is bound. */
static void
pairs_window_open(struct recycle_pairs *p, const struct zcfwd_recycle_options *o)
{
	struct recycle *const first = pairs_first(p);

	if (o->window == ZCFWD_RECYCLE_WINDOW_OFF || o->mode != ZCFWD_RECYCLE_MODE_RING ||
		first == NULL)
		return;
	recycle_window_open(&p->window, first, o->window, burst_of(o));
	for (unsigned int i = 0; i < p->n && p->window.pair != NULL; i++)
		if (p->pair[i].pair != NULL)
			recycle_window_use(p->pair[i].pair, &p->window);
}

/* Bind one pair, or keep why it is refused. */
static void
pair_new(struct recycle_feed_pair *one, const struct zcfwd_recycle_options *o)
{
	const struct shim_layouts known = recycle_layouts(o->tables_only);
	struct zcfwd_recycle_error e = { 0 };

	if (o->mode == ZCFWD_RECYCLE_MODE_OFF)
		shim_refuse(&e, ZCFWD_RECYCLE_OFF, "recycling is off");
	else
		one->pair = recycle_bind(&one->ends, o->mode, &known, &e);
	one->reason = e.reason;
	snprintf(one->why, sizeof(one->why), "%s", e.text);
}

/* Pairs of a handle's Rx queue with n Tx queues; NULL: no memory. */
static struct recycle_pairs *
pairs_new(const struct zcfwd_recycle *r, const struct zcfwd_recycle_queue *tx, unsigned int n,
	const struct zcfwd_recycle_options *o)
{
	struct recycle_pairs *p = rte_zmalloc_socket("recycle_pairs",
		sizeof(*p) + n * sizeof(p->pair[0]), SHIM_CACHE_PAIR, r->socket);
	uint32_t can = 0;

	if (p == NULL)
		return NULL;
	p->n = n;
	for (unsigned int i = 0; i < n; i++) {
		p->pair[i].ends = (struct recycle_ends){ r->queue.port, r->queue.queue, tx[i].port,
			tx[i].queue };
		pair_new(&p->pair[i], o);
		if (p->pair[i].pair != NULL)
			can |= UINT32_C(1) << i;
	}
	if (o->sent == NULL) {
		pairs_run_all(p);
		return p;
	}
	/* The lcore may be writing sent: only the lcore reads it. */
	recycle_traffic_begin(&p->traffic, n, can, o->first, rte_get_tsc_hz());
	pairs_run_chosen(p);
	p->sent = o->sent;
	return p;
}

/* Claim the Tx queues of all pairs for the calling lcore. */
static void
pairs_claim(struct recycle_pairs *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL)
			recycle_claim(p->pair[i].pair, self());
}

static void
pairs_unclaim(struct recycle_pairs *p)
{
	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL)
			recycle_unclaim(p->pair[i].pair);
}

/* The lcore's part. */

/*
 * Let the calling thread run the handle, if none does, and no other handle of the queue is run.
 * Control does not change pairs meanwhile.
 */
static __rte_noinline bool
begin(struct zcfwd_recycle *r)
{
	void *none = NULL;
	bool mine;

	rte_spinlock_lock(&r->lock);
	mine = atomic_load(&r->lcore) == NULL &&
		atomic_compare_exchange_strong(&r->rx->owner, &none, r);
	if (mine) {
		pairs_claim(atomic_load(&r->used));
		atomic_store(&r->lcore, self());
	}
	rte_spinlock_unlock(&r->lock);
	return mine;
}

/*
 * Use the pairs that control has published: the driver gets back the free slots that the old ones
 * hid.
 */
static __rte_noinline void
switch_to(struct zcfwd_recycle *r, struct recycle_pairs *p)
{
	struct recycle_pairs *const old = atomic_load_explicit(&r->used, memory_order_relaxed);

	recycle_window_close(&old->window, false);
	pairs_unclaim(old);
	pairs_claim(p);
	r->paused = false;
	/* Pairs with the acquire in taken_up(). */
	atomic_store_explicit(&r->used, p, memory_order_release);
}

/* What a lcore that chooses, or that has a window, does after its pairs ran. */
static __rte_noinline void
look_after(struct recycle_pairs *p)
{
	if (recycle_window_due(&p->window))
		recycle_window_check(&p->window, p->bound, p->n_bound);
	if (p->sent != NULL && (++p->polls & (RECYCLE_LOOK - 1)) == 0)
		recycle_look(p, rte_rdtsc());
}

int
zcfwd_recycle_run(struct zcfwd_recycle *r)
{
	struct recycle_pairs *p;
	int moved = 0;

	if (unlikely(r == NULL))
		return 0;
	if (unlikely(atomic_load_explicit(&r->lcore, memory_order_relaxed) != self()) && !begin(r))
		return -EBUSY;
	/* Pairs with the release in publish(). */
	p = atomic_load_explicit(&r->published, memory_order_acquire);
	if (unlikely(p != atomic_load_explicit(&r->used, memory_order_relaxed)))
		switch_to(r, p);
	if (unlikely(r->paused))
		return 0;
	for (unsigned int i = 0; i < p->n_bound; i++)
		moved += recycle_run(p->bound[i]);
	if (p->watched)
		look_after(p);
	return moved;
}

void
zcfwd_recycle_pause(struct zcfwd_recycle *r, bool pause)
{
	if (r != NULL)
		r->paused = pause;
}

/* Control's part. */

int
zcfwd_recycle_supports(uint16_t port, struct zcfwd_recycle_error *e)
{
	const struct shim_layouts known = recycle_layouts(false);

	return recycle_supports(port, &known, e);
}

struct zcfwd_recycle *
zcfwd_recycle_create(uint16_t rx_port, uint16_t rx_queue, struct zcfwd_recycle_error *e)
{
	static const struct zcfwd_recycle_options none;
	struct watch *w = watch_entry(rx_port, e);
	struct rte_eth_dev_info info;
	struct zcfwd_recycle *r;

	if (w == NULL)
		return NULL;
	if (rx_queue >= RTE_MAX_QUEUES_PER_PORT || rte_eth_dev_info_get(rx_port, &info) != 0 ||
		rx_queue >= info.nb_rx_queues) {
		shim_refuse(e, ZCFWD_RECYCLE_NO_QUEUE, "port %u: no receive queue %u", rx_port,
			rx_queue);
		return NULL;
	}
	r = rte_zmalloc_socket("recycle_handle", sizeof(*r), SHIM_CACHE_PAIR,
		rte_eth_dev_socket_id(rx_port));
	if (r == NULL) {
		shim_refuse(e, ZCFWD_RECYCLE_MEMORY, "no memory for a handle");
		return NULL;
	}
	r->queue = (struct zcfwd_recycle_queue){ rx_port, rx_queue };
	r->socket = rte_eth_dev_socket_id(rx_port);
	rte_spinlock_init(&r->lock);
	atomic_store(&r->published, pairs_new(r, NULL, 0, &none));
	atomic_store(&r->used, atomic_load(&r->published));
	if (atomic_load(&r->published) == NULL) {
		rte_free(r);
		shim_refuse(e, ZCFWD_RECYCLE_MEMORY, "no memory for a handle");
		return NULL;
	}
	r->rx = &w->rx[rx_queue];
	return r;
}

void
zcfwd_recycle_stop(struct zcfwd_recycle *r)
{
	struct recycle_pairs *p;

	if (r == NULL)
		return;
	p = atomic_load(&r->used);
	rte_spinlock_lock(&r->lock);
	recycle_window_close(&p->window, true);
	for (unsigned int i = 0; i < p->n; i++)
		if (p->pair[i].pair != NULL)
			recycle_rest(p->pair[i].pair);
	pairs_unclaim(p);
	r->paused = false;
	if (atomic_exchange(&r->lcore, NULL) != NULL)
		atomic_store(&r->rx->owner, NULL);
	rte_spinlock_unlock(&r->lock);
}

void
zcfwd_recycle_destroy(struct zcfwd_recycle *r)
{
	if (r == NULL)
		return;
	zcfwd_recycle_stop(r);
	if (atomic_load(&r->published) != atomic_load(&r->used))
		pairs_free(atomic_load(&r->published));
	pairs_free(atomic_load(&r->used));
	rte_free(r);
}

enum { WAIT_MS = 1000 };

/* Wait up to WAIT_MS for the lcore to use the published pairs. Returns true if it does. */
static bool
taken_up(const struct zcfwd_recycle *r)
{
	/* Pairs with the release in switch_to(). */
	for (unsigned int ms = 0;
		atomic_load_explicit(&r->used, memory_order_acquire) != atomic_load(&r->published);
		ms++) {
		if (ms == WAIT_MS)
			return false;
		rte_delay_us_sleep(1000);
	}
	return true;
}

/* Use new pairs at once if no lcore runs the handle. Returns false if one does. */
static bool
replaced(struct zcfwd_recycle *r, struct recycle_pairs *new)
{
	bool idle;

	rte_spinlock_lock(&r->lock);
	idle = atomic_load(&r->lcore) == NULL;
	if (idle) {
		recycle_window_close(&atomic_load(&r->used)->window, false);
		atomic_store(&r->published, new);
		atomic_store(&r->used, new);
	}
	rte_spinlock_unlock(&r->lock);
	return idle;
}

/*
 * Let the lcore use new pairs, and free the old ones. MEMORY if new is NULL; SILENT, then the old
 * ones remain in use, and new is never freed, since the lcore may use either.
 */
static int
publish(struct zcfwd_recycle *r, struct recycle_pairs *new, struct zcfwd_recycle_error *e)
{
	struct recycle_pairs *const old = atomic_load(&r->published);

	if (new == NULL)
		return shim_refuse(e, ZCFWD_RECYCLE_MEMORY, "no memory to pair queues");
	if (!replaced(r, new)) {
		/* Pairs with the acquire in zcfwd_recycle_run(). */
		atomic_store_explicit(&r->published, new, memory_order_release);
		if (atomic_load(&r->lcore) == self())
			switch_to(r, new);
		if (!taken_up(r)) {
			atomic_store(&r->published, old);
			return shim_refuse(e, ZCFWD_RECYCLE_SILENT,
				"the lcore did not run the handle for %u ms", WAIT_MS);
		}
	}
	recycle_pairs_add(&r->before, old);
	pairs_free(old);
	return 0;
}

static int
handle_check(const struct zcfwd_recycle *r, struct zcfwd_recycle_error *e)
{
	return r != NULL ? 0 : shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT, "the handle is NULL");
}

/* Check options, as the caller has them: tables_only may be no valid bool. */
static int
options_check(const struct zcfwd_recycle_options *o, struct zcfwd_recycle_error *e)
{
	uint8_t tables_only;

	memcpy(&tables_only, &o->tables_only, sizeof(tables_only));
	if ((unsigned int)o->mode > ZCFWD_RECYCLE_MODE_OFF)
		return shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT, "mode %u: expected at most %u",
			(unsigned int)o->mode, ZCFWD_RECYCLE_MODE_OFF);
	if ((o->window > ZCFWD_RECYCLE_WINDOW_AUTO && o->window < ZCFWD_RECYCLE_WINDOW_LEAST) ||
		o->window > ZCFWD_RECYCLE_WINDOW_MOST)
		return shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT,
			"a window of %u descriptors: expected %u to %u", o->window,
			ZCFWD_RECYCLE_WINDOW_LEAST, ZCFWD_RECYCLE_WINDOW_MOST);
	if (tables_only > 1)
		return shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT, "tables_only %u: expected 0 or 1",
			tables_only);
	for (unsigned int i = 0; i < RTE_DIM(o->reserved); i++)
		if (o->reserved[i] != 0)
			return shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT,
				"reserved[%u] is %#" PRIx64
				": expected 0, since version %u.%u of this library has no such option",
				i, o->reserved[i], ZCFWD_RECYCLE_VERSION_MAJOR,
				ZCFWD_RECYCLE_VERSION_MINOR);
	return 0;
}

/* Check that n Tx queues may be bound with these options. */
static int
number_check(unsigned int n, const struct zcfwd_recycle_options *o, struct zcfwd_recycle_error *e)
{
	const unsigned int most = o->sent != NULL ? ZCFWD_RECYCLE_BOUND : ZCFWD_RECYCLE_FEEDING;

	return n <= most
		? 0
		: shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT,
			  "%u transmit queues to feed one receive queue: expected at most %u", n,
			  most);
}

/* Check the Tx queues of zcfwd_recycle_bind(), as far as that is possible without their ports. */
static int
queues_check(const struct zcfwd_recycle_queue *tx, unsigned int n,
	const struct zcfwd_recycle_options *o, struct zcfwd_recycle_error *e)
{
	const int ret = number_check(n, o, e);

	if (ret != 0)
		return ret;
	if (n > 0 && tx == NULL)
		return shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT, "%u transmit queues, but tx is NULL",
			n);
	if (o->sent != NULL && n > 0 && o->first >= n)
		return shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT,
			"queue %u to begin with: expected less than %u", o->first, n);
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < i; k++)
			if (tx[i].port == tx[k].port && tx[i].queue == tx[k].queue)
				return shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT,
					"port %u: transmit queue %u is given twice", tx[i].port,
					tx[i].queue);
	return 0;
}

/* The number of bound pairs; *e has the reason of the first refused one. */
static int
outcome(const struct recycle_pairs *p, struct zcfwd_recycle_error *e)
{
	int bound = 0;

	for (unsigned int i = p->n; i-- > 0;)
		if (p->pair[i].pair != NULL)
			bound++;
		else
			shim_refuse(e, p->pair[i].reason, "%s", p->pair[i].why);
	return bound;
}

int
zcfwd_recycle_bind(struct zcfwd_recycle *r, const struct zcfwd_recycle_queue *tx, unsigned int n,
	const struct zcfwd_recycle_options *options, struct zcfwd_recycle_error *e)
{
	static const struct zcfwd_recycle_options zeros;
	struct zcfwd_recycle_options o;
	struct recycle_pairs *new;
	int ret = handle_check(r, e);

	if (options == NULL)
		options = &zeros;
	if (ret == 0)
		ret = options_check(options, e);
	if (ret != 0)
		return ret;
	o = *options;
	/* Blocks need one pair, and no Tx queue. */
	if (o.mode == ZCFWD_RECYCLE_MODE_BLOCKS) {
		tx = &r->queue;
		n = 1;
		o.sent = NULL;
	}
	ret = queues_check(tx, n, &o, e);
	/* Queues can be bound only if their drivers count all free slots. */
	if (ret == 0 && atomic_load(&r->published)->window.pair != NULL) {
		ret = pairs_window_valid(atomic_load(&r->published), &o, e);
		if (ret == 0)
			ret = publish(r, pairs_new(r, NULL, 0, &zeros), e);
	}
	if (ret != 0)
		return ret;
	new = pairs_new(r, tx, n, &o);
	ret = new != NULL ? pairs_window_valid(new, &o, e) : 0;
	if (ret != 0) {
		pairs_free(new);
		return ret;
	}
	if (new != NULL) {
		pairs_window_open(new, &o);
		new->watched = new->sent != NULL || new->window.pair != NULL;
	}
	ret = publish(r, new, e);
	if (ret != 0)
		return ret;
	r->options = o;
	return outcome(new, e);
}

/* The index of a Tx queue among those of a handle; n of them: it is not there. */
static unsigned int
index_of(const struct recycle_pairs *p, struct zcfwd_recycle_queue tx)
{
	unsigned int i = 0;

	while (i < p->n &&
		(p->pair[i].ends.tx_port != tx.port || p->pair[i].ends.tx_queue != tx.queue))
		i++;
	return i;
}

/* Bind the queues of a handle without that of index but, and with also, if it is not NULL. */
static int
bind_again(struct zcfwd_recycle *r, unsigned int but, const struct zcfwd_recycle_queue *also,
	struct zcfwd_recycle_error *e)
{
	const struct recycle_pairs *p = atomic_load(&r->published);
	const struct zcfwd_recycle_options options = r->options;
	struct zcfwd_recycle_queue tx[ZCFWD_RECYCLE_BOUND + 1];
	unsigned int n = 0;

	for (unsigned int i = 0; i < p->n; i++)
		if (i != but)
			tx[n++] = (struct zcfwd_recycle_queue){ p->pair[i].ends.tx_port,
				p->pair[i].ends.tx_queue };
	if (also != NULL)
		tx[n++] = *also;
	return zcfwd_recycle_bind(r, tx, n, &options, e);
}

/* Check that the options of a handle allow to change one Tx queue. */
static int
one_check(const struct zcfwd_recycle *r, struct zcfwd_recycle_error *e)
{
	if (handle_check(r, e) != 0)
		return -EINVAL;
	if (r->options.mode == ZCFWD_RECYCLE_MODE_BLOCKS)
		return shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT,
			"no transmit queues are used in mode ZCFWD_RECYCLE_MODE_BLOCKS: use zcfwd_recycle_bind() for another mode");
	return r->options.sent == NULL
		? 0
		: shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT,
			  "the counts of sent packets are for all queues: use zcfwd_recycle_bind()");
}

static int
add_check(const struct zcfwd_recycle *r, struct zcfwd_recycle_queue tx,
	struct zcfwd_recycle_error *e)
{
	const struct recycle_pairs *p;
	unsigned int i;

	if (one_check(r, e) != 0)
		return -EINVAL;
	p = atomic_load(&r->published);
	i = index_of(p, tx);
	if (i == p->n)
		return number_check(p->n + 1, &r->options, e);
	return p->pair[i].pair == NULL || !recycle_stands(p->pair[i].pair)
		? 0
		: shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT,
			  "port %u: transmit queue %u is bound already", tx.port, tx.queue);
}

static int
remove_check(const struct zcfwd_recycle *r, struct zcfwd_recycle_queue tx,
	struct zcfwd_recycle_error *e)
{
	const struct recycle_pairs *p;

	if (one_check(r, e) != 0)
		return -EINVAL;
	p = atomic_load(&r->published);
	return index_of(p, tx) < p->n
		? 0
		: shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT, "port %u: transmit queue %u is not bound",
			  tx.port, tx.queue);
}

int
zcfwd_recycle_add(struct zcfwd_recycle *r, struct zcfwd_recycle_queue tx,
	struct zcfwd_recycle_error *e)
{
	const struct recycle_feed_pair *one;
	unsigned int n, i;
	int ret = add_check(r, tx, e);

	if (ret != 0)
		return ret;
	n = atomic_load(&r->published)->n;
	i = index_of(atomic_load(&r->published), tx);
	/* One that was refused, or has changed since, is there already. */
	ret = bind_again(r, n, i < n ? NULL : &tx, e);
	if (ret < 0)
		return ret;
	one = &atomic_load(&r->published)->pair[i];
	return one->pair != NULL ? 0 : shim_refuse(e, one->reason, "%s", one->why);
}

int
zcfwd_recycle_remove(struct zcfwd_recycle *r, struct zcfwd_recycle_queue tx,
	struct zcfwd_recycle_error *e)
{
	int ret = remove_check(r, tx, e);

	if (ret != 0)
		return ret;
	ret = bind_again(r, index_of(atomic_load(&r->published), tx), NULL, e);
	return RTE_MIN(ret, 0);
}

int
zcfwd_recycle_move(struct zcfwd_recycle *from, struct zcfwd_recycle *to,
	struct zcfwd_recycle_queue tx, struct zcfwd_recycle_error *e)
{
	int ret = remove_check(from, tx, e);

	/* A bad argument must not unbind the queue. */
	if (ret == 0)
		ret = add_check(to, tx, e);
	if (ret == 0)
		ret = zcfwd_recycle_remove(from, tx, e);
	return ret != 0 ? ret : zcfwd_recycle_add(to, tx, e);
}

/* Changes of the feeding pairs. */

static void
history_add(struct recycle_history *h, const struct zcfwd_recycle_change *c)
{
	const uint64_t n = shim_counted(&h->n);
	const unsigned int at = n % RECYCLE_HISTORY;

	atomic_store_explicit(&h->change[at].tsc, c->tsc, memory_order_relaxed);
	atomic_store_explicit(&h->change[at].from, c->from, memory_order_relaxed);
	atomic_store_explicit(&h->change[at].to, c->to, memory_order_relaxed);
	/* Pairs with the acquire in zcfwd_recycle_changes(). */
	atomic_store_explicit(&h->n, n + 1, memory_order_release);
}

void
recycle_look(struct recycle_pairs *p, uint64_t now)
{
	const uint32_t from = p->traffic.feeds;

	if (recycle_traffic_sample(&p->traffic, p->sent, now))
		history_add(&p->history,
			&(struct zcfwd_recycle_change){ now, from, p->traffic.feeds });
	pairs_run_chosen(p);
}
