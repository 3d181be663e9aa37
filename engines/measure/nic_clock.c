/* Compares the clock of a NIC with the TSC, from time to time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/nic_clock.h"

#include <rte_cycles.h>

#include <stdio.h>

/* Readings of which the shortest counts. */
#define READINGS 4
/* A reading that takes longer than this many times the shortest one was interrupted. */
#define INTERRUPTED 4
/* Within that time a time stamp may seem to be after its packet arrived, or before it was due. */
#define SLACK_NS 1000
#define AGAIN_MIN_S 0.01
#define AGAIN_MAX_S 0.1
#define BASELINE_S 1

/* Read both clocks. Returns the TSC ticks that it took, 0: the NIC's clock cannot be read. */
static uint64_t
reading_take(const struct nic_clock *c, struct nic_reading *to)
{
	uint64_t shortest = UINT64_MAX;

	for (unsigned int i = 0; i < READINGS; i++) {
		const uint64_t begin = rte_rdtsc();
		uint64_t nic, ticks;

		if (c->read(c->port, &nic) != 0)
			return 0;
		ticks = rte_rdtsc() - begin;
		if (ticks >= shortest)
			continue;
		shortest = ticks;
		*to = (struct nic_reading){ begin + ticks / 2, nic };
	}
	return RTE_MAX(shortest, UINT64_C(1));
}

static uint64_t
ns_of(const struct nic_clock *c, double tsc_ticks)
{
	return (uint64_t)(fabs(tsc_ticks) * 1e9 / c->tsc_hz);
}

static void
raise(counter *c, uint64_t to)
{
	const uint64_t before = counter_read(c);

	if (to > before)
		counter_add(c, to - before);
}

/* Compute the ratio from first to the last reading. */
static void
ratio_set(struct nic_clock *c)
{
	const double tsc = (double)(c->last.tsc - c->first.tsc),
		     nic = (double)(int64_t)(c->last.nic - c->first.nic);

	if (nic <= 0)
		return;
	c->ratio = tsc / nic;
	counter_add(&c->hz, (uint64_t)llround(c->tsc_hz / c->ratio) - counter_read(&c->hz));
}

/* Set when to read again: a fifth of the baseline later, its error then grows by a fifth at most. */
static void
again_set(struct nic_clock *c)
{
	const double baseline_s = (double)(c->last.tsc - c->first.tsc) / c->tsc_hz;

	c->again = c->last.tsc +
		(uint64_t)(c->tsc_hz * fmin(fmax(baseline_s / 5, AGAIN_MIN_S), AGAIN_MAX_S));
	c->slack = (uint64_t)((double)(SLACK_NS + counter_read(&c->read_ns) +
				      counter_read(&c->off_ns)) *
		c->tsc_hz / 1e9);
}

static int
timesync_read(uint16_t port, uint64_t *ticks)
{
	struct timespec t;
	const int ret = rte_eth_timesync_read_time(port, &t);

	*ticks = (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
	return ret;
}

/* Return whether a port's clock can be read and runs. */
static bool
runs(nic_clock_read *read, uint16_t port)
{
	uint64_t before, after;

	if (read(port, &before) != 0)
		return false;
	rte_delay_us_sleep(1000);
	return read(port, &after) == 0 && (int64_t)(after - before) > 0;
}

/* Return how to read a port's clock; NULL: it cannot be read. */
static nic_clock_read *
read_find(uint16_t port)
{
	if (runs(rte_eth_read_clock, port))
		return rte_eth_read_clock;
	/* Some drivers have their clock run only for timesync, and set it to 0 when that begins. */
	if (runs(timesync_read, port) ||
		(rte_eth_timesync_enable(port) == 0 && runs(timesync_read, port)))
		return timesync_read;
	return NULL;
}

void
nic_clock_open_by(struct nic_clock *c, nic_clock_read *read, rte_spinlock_t *lock, double tsc_hz)
{
	c->read = read;
	c->lock = lock;
	c->tsc_hz = tsc_hz;
	rte_spinlock_lock(lock);
	c->shortest = reading_take(c, &c->last);
	rte_spinlock_unlock(lock);
	c->state = c->shortest > 0 ? NIC_CLOCK_USED : NIC_CLOCK_UNREADABLE;
}

void
nic_clock_open(struct nic_clock *c, uint16_t port, uint64_t rx_offloads, rte_spinlock_t *lock,
	double tsc_hz)
{
	struct rte_eth_dev_info info;
	nic_clock_read *read;

	if ((rx_offloads & RTE_ETH_RX_OFFLOAD_TIMESTAMP) == 0 ||
		rte_mbuf_dyn_rx_timestamp_register(&c->offset, &c->flag) != 0 ||
		rte_eth_dev_info_get(port, &info) != 0)
		return;
	snprintf(c->driver, sizeof(c->driver), "%s", info.driver_name);
	c->state = NIC_CLOCK_UNREADABLE;
	c->port = port;
	read = read_find(port);
	if (read != NULL)
		nic_clock_open_by(c, read, lock, tsc_hz);
}

void
nic_clock_begin(struct nic_clock *c)
{
	uint64_t took;

	if (c->state != NIC_CLOCK_USED)
		return;
	c->first = c->next = c->last;
	rte_spinlock_lock(c->lock);
	took = reading_take(c, &c->last);
	rte_spinlock_unlock(c->lock);
	ratio_set(c);
	if (took == 0 || counter_read(&c->hz) == 0) {
		c->state = NIC_CLOCK_UNREADABLE;
		return;
	}
	raise(&c->read_ns, ns_of(c, (double)RTE_MAX(took, c->shortest) / 2));
	c->shortest = RTE_MIN(took, c->shortest);
	again_set(c);
}

void
nic_clock_again(struct nic_clock *c, uint64_t now)
{
	struct nic_reading reading;
	uint64_t took, off;

	c->again = now + (uint64_t)(c->tsc_hz * AGAIN_MIN_S / 10);
	if (rte_spinlock_trylock(c->lock) == 0)
		return;
	took = reading_take(c, &reading);
	rte_spinlock_unlock(c->lock);
	if (took == 0 || took > INTERRUPTED * c->shortest)
		return;
	off = ns_of(c, (double)(int64_t)(nic_clock_tsc(c, reading.nic) - reading.tsc));
	c->last = reading;
	if (off > NIC_CLOCK_JUMP_NS) {
		counter_add(&c->jumps, 1);
		c->first = c->next = reading;
		again_set(c);
		return;
	}
	raise(&c->off_ns, off);
	raise(&c->read_ns, ns_of(c, (double)took / 2));
	c->shortest = RTE_MIN(took, c->shortest);
	if ((double)(reading.tsc - c->next.tsc) > BASELINE_S * c->tsc_hz) {
		c->first = c->next;
		c->next = reading;
	}
	/* After a jump the baseline has to grow first. */
	if ((double)(reading.tsc - c->first.tsc) > NIC_CLOCK_WAIT_MS / 1e3 * c->tsc_hz)
		ratio_set(c);
	again_set(c);
}
