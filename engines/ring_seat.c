/* A process that dies leaves its stores: what it had in hand is told from its rings and the notes it made before it took a burst. */
#include "ring_seat.h"

#include "err.h"

#include <rte_alarm.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_memzone.h>
#include <rte_version.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ZONE "zcfwd_pipeline"

enum { WATCH_US = 20000 };

/* Processes whose structures differ must not meet. */
static void
version_text(char *text, size_t bytes, const char *version)
{
	snprintf(text, bytes, "zcfwd %s, %s, %zu-%zu-%zu-%zu", version, rte_version(),
		sizeof(struct ring_pipeline), sizeof(struct ring_worker), sizeof(struct ring_link),
		sizeof(struct stream));
}

static int
no_answer(const struct rte_mp_msg *msg, const void *peer)
{
	return 0;
}

/* EAL shares memory exactly where its processes can talk to each other. */
static bool
memory_is_shared(void)
{
	if (rte_mp_action_register(ZONE, no_answer) != 0)
		return false;
	rte_mp_action_unregister(ZONE);
	return true;
}

struct ring_shared *
ring_seat_offer(const char *version)
{
	const struct rte_memzone *zone = memory_is_shared()
		? rte_memzone_reserve(ZONE, sizeof(struct ring_shared), SOCKET_ID_ANY, 0)
		: NULL;
	struct ring_shared *shared = zone != NULL ? zone->addr : NULL;

	if (shared != NULL) {
		memset(shared, 0, sizeof(*shared));
		version_text(shared->version, sizeof(shared->version), version);
	}
	return shared;
}

struct ring_shared *
ring_seat_find(const char *version, struct err *e)
{
	const struct rte_memzone *zone = rte_memzone_lookup(ZONE);
	struct ring_shared *shared = zone != NULL ? zone->addr : NULL;
	char own[sizeof(shared->version)];

	version_text(own, sizeof(own), version);
	if (rte_eal_primary_proc_alive(NULL) != 1) {
		err_set(e, ESRCH, "the primary process has ended: want it to run first");
		return NULL;
	}
	if (shared == NULL) {
		err_set(e, ENOENT,
			"the primary process is no zcfwd that shares a pipeline: want one of this version, %s",
			own);
		return NULL;
	}
	if (strncmp(shared->version, own, sizeof(own)) != 0) {
		err_set(e, ENOEXEC, "the primary process is %.*s: want this version, %s",
			(int)sizeof(own) - 1, shared->version, own);
		return NULL;
	}
	return shared;
}

struct ring_worker *
ring_seat_claim(struct ring_shared *shared)
{
	struct ring_pipeline *p = atomic_load(&shared->pipeline);

	for (unsigned int i = 0; p != NULL && i < p->n_workers; i++) {
		struct ring_worker *w = &p->workers[i];
		int32_t nobody = 0;

		if (atomic_load(&p->ending) ||
			!atomic_compare_exchange_strong(&w->pid, &nobody, (int32_t)getpid()))
			continue;
		/* Either the I/O lcores see the pid, or this sees that they are ending. */
		if (!atomic_load(&p->ending)) {
			for (unsigned int k = 0; k < w->n_outs; k++)
				w->outs[k].room = 0;
			return w;
		}
		atomic_store(&w->pid, 0);
	}
	return NULL;
}

void
ring_seat_leave(struct ring_worker *w)
{
	atomic_store(&w->pid, 0);
}

/* Of n packets that were taken, those that reached the ring back did so in their order; the others are freed. Returns how many. */
static uint64_t
take_back(struct ring_worker *w, struct ring_feed *f, uint32_t from, uint32_t n)
{
	const struct rte_ring *in = f->in->ring;
	struct rte_mbuf *const *slots = (struct rte_mbuf *const *)(uintptr_t)&in[1];
	uint32_t there = f->out->link->ring->prod.tail - w->tail_before;

	for (uint32_t k = there; k < n; k++)
		rte_pktmbuf_free(ring_unmarked(slots[(from + k) & in->mask]));
	return n > there ? n - there : 0;
}

void
ring_seat_recover(struct ring_worker *w)
{
	for (unsigned int i = 0; i < w->n_feeds; i++) {
		struct ring_feed *f = &w->feeds[i];
		struct rte_ring *in = f->in->ring, *back = f->out->link->ring;
		uint32_t n = in->cons.head - in->cons.tail;

		if (n > 0)
			counter_add(&w->tally[f->stream->index].lost,
				take_back(w, f, in->cons.tail, n));
		__atomic_store_n(&in->cons.tail, in->cons.head, __ATOMIC_RELEASE);
		back->prod.head = back->prod.tail;
	}
	counter_add(&w->deaths, 1);
	atomic_store(&w->pid, 0);
}

/* Whether the process is there, and not merely waiting to be reaped. */
static bool
lives(int32_t pid, int *fd)
{
	struct pollfd one = { .events = POLLIN };

	if (*fd < 0)
		*fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (*fd < 0)
		return kill((pid_t)pid, 0) == 0 || errno == EPERM;
	one.fd = *fd;
	return poll(&one, 1, 0) == 0;
}

static void
watch(void *arg)
{
	struct ring_pipeline *p = arg;

	for (unsigned int i = 0; i < p->n_workers; i++) {
		struct ring_worker *w = &p->workers[i];
		int32_t pid = atomic_load(&w->pid);

		if (pid != w->watched && w->pidfd >= 0) {
			close(w->pidfd);
			w->pidfd = -1;
		}
		w->watched = pid;
		if (pid != 0 && !lives(pid, &w->pidfd) && atomic_load(&w->pid) == pid)
			ring_seat_recover(w);
	}
	rte_eal_alarm_set(WATCH_US, watch, p);
}

int
ring_seat_watch(struct ring_pipeline *p, struct err *e)
{
	int ret;

	for (unsigned int i = 0; i < p->n_workers; i++)
		p->workers[i].pidfd = -1;
	ret = rte_eal_alarm_set(WATCH_US, watch, p);
	return ret == 0 ? 0
			: err_set(e, -ret, "no alarm to look after workers: %s", strerror(-ret));
}

void
ring_seat_unwatch(struct ring_pipeline *p)
{
	rte_eal_alarm_cancel(watch, p);
	for (unsigned int i = 0; i < p->n_workers; i++)
		if (p->workers[i].pidfd >= 0)
			close(p->workers[i].pidfd);
}
