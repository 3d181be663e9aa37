/* Timed polls of a stream: a histogram of their cycles, and a ring that passes single polls from
 * the worker to the recorder. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/stream_log.h"

#include "base/stat.h"

#include <rte_common.h>
#include <rte_malloc.h>
#include <rte_prefetch.h>

#include <errno.h>

#define EIGHTHS 3 /* log2 of the cells per power of two */

struct stream_log *
stream_log_new(unsigned int every, int socket)
{
	struct stream_log *log = rte_zmalloc_socket("stream_log", sizeof(*log), CACHE_PAIR, socket);

	if (log != NULL)
		atomic_init(&log->every, every);
	return log;
}

void
stream_log_free(struct stream_log *log)
{
	if (log == NULL)
		return;
	rte_free(log->poll);
	rte_free(log);
}

int
stream_log_keep(struct stream_log *log, unsigned int every, int socket)
{
	if (log->poll == NULL)
		log->poll = rte_malloc_socket("stream_log_poll",
			STREAM_LOG_POLLS * sizeof(log->poll[0]), CACHE_PAIR, socket);
	if (log->poll == NULL)
		return -ENOMEM;
	/*
	 * Pairs with the acquire in keep(): the worker may overwrite older polls from here on, as
	 * nobody will fetch them.
	 */
	atomic_store_explicit(&log->tail, atomic_load_explicit(&log->head, memory_order_acquire),
		memory_order_release);
	atomic_store_explicit(&log->every, every, memory_order_relaxed);
	/* Pairs with the acquire in stream_log_add(). */
	atomic_store_explicit(&log->keep, true, memory_order_release);
	return 0;
}

void
stream_log_time(struct stream_log *log, unsigned int every)
{
	atomic_store_explicit(&log->keep, false, memory_order_relaxed);
	atomic_store_explicit(&log->every, every, memory_order_relaxed);
}

unsigned int
stream_log_cell(uint32_t cycles)
{
	unsigned int power;

	if (cycles < 1u << EIGHTHS)
		return cycles;
	power = 31 - (unsigned int)__builtin_clz(cycles);
	return ((power - EIGHTHS + 1) << EIGHTHS) +
		((cycles >> (power - EIGHTHS)) & ((1u << EIGHTHS) - 1));
}

uint32_t
stream_log_cell_least(unsigned int cell)
{
	unsigned int power = cell >> EIGHTHS, eighth = cell & ((1u << EIGHTHS) - 1);

	return power == 0 ? cell : ((1u << EIGHTHS) + eighth) << (power - 1);
}

/* Put a poll into the ring, or count it as lost if the ring is full. */
static void
keep(struct stream_log *log, const struct stream_log_poll *poll)
{
	uint64_t head = counter_read(&log->head);

	if (unlikely(head - log->tail_seen == STREAM_LOG_POLLS)) {
		/* Pairs with the release in stream_log_fetch(). */
		log->tail_seen = atomic_load_explicit(&log->tail, memory_order_acquire);
		if (head - log->tail_seen == STREAM_LOG_POLLS) {
			counter_add(&log->lost, 1);
			return;
		}
	}
	/* The cache line after the next one is still in the reader's cache. */
	rte_prefetch0_write(&log->poll[(head + 8) % STREAM_LOG_POLLS]);
	log->poll[head % STREAM_LOG_POLLS] = *poll;
	/* Pairs with the acquire in stream_log_fetch(). */
	atomic_store_explicit(&log->head, head + 1, memory_order_release);
}

void
stream_log_add(struct stream_log *log, uint64_t cycles, uint64_t rx, uint64_t tx)
{
	const uint32_t cell = (uint32_t)RTE_MIN(cycles, (uint64_t)UINT32_MAX);
	const struct stream_log_poll poll = { .tsc = log->now,
		.cycles = cell,
		.rx = (uint16_t)RTE_MIN(rx, (uint64_t)UINT16_MAX),
		.tx = (uint16_t)RTE_MIN(tx, (uint64_t)UINT16_MAX) };

	log->now = 0;
	log->skip = atomic_load_explicit(&log->every, memory_order_relaxed) - 1;
	/* Pairs with the release in stream_log_keep(). */
	if (atomic_load_explicit(&log->keep, memory_order_acquire)) {
		keep(log, &poll);
		return;
	}
	counter_add(&log->polls, 1);
	counter_add(&log->rx, rx);
	counter_add(&log->tx, tx);
	counter_add(&log->cycles, cycles);
	counter_add(&log->cell[stream_log_cell(cell)], 1);
}

static void
sum(struct stream_log_copy *c, const struct stream_log_poll *poll)
{
	c->polls++;
	c->rx += poll->rx;
	c->tx += poll->tx;
	c->cycles += poll->cycles;
	c->cell[stream_log_cell(poll->cycles)]++;
}

unsigned int
stream_log_fetch(struct stream_log *log, struct stream_log_poll *to, unsigned int max)
{
	/* Pairs with the release in keep(). */
	uint64_t head = atomic_load_explicit(&log->head, memory_order_acquire);
	uint64_t tail = counter_read(&log->tail);
	unsigned int n = (unsigned int)RTE_MIN(head - tail, (uint64_t)max);

	for (unsigned int i = 0; i < n; i++) {
		to[i] = log->poll[(tail + i) % STREAM_LOG_POLLS];
		sum(&log->fetched, &to[i]);
	}
	/* Pairs with the acquire in keep(). */
	atomic_store_explicit(&log->tail, tail + n, memory_order_release);
	return n;
}

void
stream_log_read(struct stream_log_copy *to, const struct stream_log *log)
{
	*to = log->fetched;
	to->polls += counter_read(&log->polls);
	to->rx += counter_read(&log->rx);
	to->tx += counter_read(&log->tx);
	to->cycles += counter_read(&log->cycles);
	to->lost = counter_read(&log->lost);
	for (unsigned int i = 0; i < STREAM_LOG_CELLS; i++)
		to->cell[i] += counter_read(&log->cell[i]);
}

void
stream_log_subtract(struct stream_log_copy *to, const struct stream_log_copy *base)
{
	to->polls -= base->polls;
	to->rx -= base->rx;
	to->tx -= base->tx;
	to->cycles -= base->cycles;
	to->lost -= base->lost;
	for (unsigned int i = 0; i < STREAM_LOG_CELLS; i++)
		to->cell[i] -= base->cell[i];
}

uint32_t
stream_log_quantile(const struct stream_log_copy *c, double share)
{
	uint64_t total = 0, seen = 0;

	for (unsigned int i = 0; i < STREAM_LOG_CELLS; i++)
		total += c->cell[i];
	for (unsigned int i = 0; i < STREAM_LOG_CELLS; i++) {
		seen += c->cell[i];
		if (seen > 0 && seen >= stat_share(total, share)) {
			uint64_t least = stream_log_cell_least(i);
			uint64_t next = i + 1 < STREAM_LOG_CELLS ? stream_log_cell_least(i + 1)
								 : UINT64_C(1) << 32;

			return (uint32_t)(least + (next - least) / 2);
		}
	}
	return 0;
}
