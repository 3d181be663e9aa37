/* The clock of a NIC, converted to the TSC: for minutes, with slow and interrupted readings, drift, and
 * jumps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/nic_clock.h"

#include "base/base.h"
#include "fixtures/tsc_script.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <string.h>

#define HZ 2596000000.0
#define TICKS(seconds) ((uint64_t)((seconds)*HZ))
#define BEGIN TICKS(1000)

/* A NIC whose clock is read by the code under test. */
static struct {
	double hz;
	double wave;       /* by what share the frequency changes, up and down in 20 s */
	uint64_t start;    /* ticks at BEGIN */
	uint64_t took;     /* TSC ticks of a reading */
	double at;         /* share of a reading after which the clock is read */
	unsigned int slow; /* every n-th reading takes 1 ms; 0: none */
	unsigned int readings;
	uint64_t jump;
	int error;
	bool stopped;
} nic;

static rte_spinlock_t lock = RTE_SPINLOCK_INITIALIZER;

static uint64_t
nic_ticks(uint64_t tsc)
{
	const double s = (double)(tsc - BEGIN) / HZ, turn = M_PI / 10;

	return nic.start + nic.jump +
		(uint64_t)(nic.hz * (s + nic.wave / turn * (1 - cos(s * turn))));
}

static int
nic_read(uint16_t port, uint64_t *ticks)
{
	static uint64_t last;
	const bool slow = nic.slow > 0 && nic.readings++ % nic.slow == 0;
	const uint64_t took = slow ? TICKS(0.001) : nic.took,
		       before = (uint64_t)((double)took * nic.at);

	tsc_script.now += before;
	if (!nic.stopped)
		last = nic_ticks(tsc_script.now);
	*ticks = last;
	tsc_script.now += took - before;
	return nic.error;
}

/* Begin as the engine does. */
static void
clock_begin(struct nic_clock *c)
{
	memset(c, 0, sizeof(*c));
	tsc_script = (struct tsc_script){ .now = BEGIN, .step = 20 };
	tsc_script_begin();
	nic_clock_open_by(c, nic_read, &lock, HZ);
	tsc_script.now += TICKS(NIC_CLOCK_WAIT_MS / 1e3);
	nic_clock_begin(c);
	tsc_script_end();
}

/* Poll every 0.5 ms. Returns the largest error in ns of a time stamp. */
static double
run(struct nic_clock *c, double seconds)
{
	const uint64_t end = tsc_script.now + TICKS(seconds);
	double worst = 0;

	while (tsc_script.now < end) {
		tsc_script.now += TICKS(0.0005);
		worst = fmax(worst,
			fabs((double)(int64_t)(nic_clock_tsc(c, nic_ticks(tsc_script.now)) -
				tsc_script.now)));
		if (tsc_script.now < c->again)
			continue;
		tsc_script_begin();
		nic_clock_poll(c, tsc_script.now);
		tsc_script_end();
	}
	return worst * 1e9 / HZ;
}

static void
nic_set(double hz)
{
	memset(&nic, 0, sizeof(nic));
	nic.hz = hz;
	nic.took = TICKS(1e-6);
	nic.at = 0.5;
}

/* Frequencies of NICs; a counter of 64 bits wraps. Each is off by what a tick and a reading are. */
TSC_TEST(frequencies)
{
	static const double hz[] = { 1e6, 78.125e6, 156.25e6, 1e9, 4e9 };

	for (unsigned int i = 0; i < ARRAY_SIZE(hz); i++) {
		struct nic_clock c;

		nic_set(hz[i]);
		nic.start = i % 2 == 0 ? 0 : UINT64_MAX - 1000;
		clock_begin(&c);
		assert_int_equal(c.state, NIC_CLOCK_USED);
		assert_true(run(&c, 120) < 10 + 2.5e9 / hz[i]);
		assert_true(fabs((double)counter_read(&c.hz) / hz[i] - 1) < 1e-6 + 2.5 / hz[i]);
		assert_int_equal(counter_read(&c.jumps), 0);
		assert_true(counter_read(&c.read_ns) < 550);
	}
}

/* A clock read at one end of a reading is off by half of its time, which is what read_ns says. */
TSC_TEST(uneven)
{
	static const double at[] = { 0, 1 };

	for (unsigned int i = 0; i < ARRAY_SIZE(at); i++) {
		struct nic_clock c;

		nic_set(156.25e6);
		nic.took = TICKS(3e-6);
		nic.at = at[i];
		clock_begin(&c);
		assert_true(run(&c, 30) < (double)counter_read(&c.read_ns) + 20);
		assert_true(counter_read(&c.read_ns) < 1550);
	}
}

/* Ticks of the TSC by which a time may seem to be wrong: a microsecond, and what is known to be uncertain. */
static uint64_t
slack_of(const struct nic_clock *c)
{
	return TICKS((double)(1000 + counter_read(&c->read_ns) + counter_read(&c->off_ns)) / 1e9);
}

TSC_TEST(slack)
{
	struct nic_clock c;

	nic_set(1e9);
	nic.took = TICKS(5e-6);
	clock_begin(&c);
	assert_in_range(counter_read(&c.read_ns), 2500, 2550);
	assert_in_range(c.slack, slack_of(&c) - 1, slack_of(&c) + 1);
	nic.wave = 1e-5;
	run(&c, 10);
	assert_true(counter_read(&c.off_ns) > 100);
	assert_in_range(c.slack, slack_of(&c) - 1, slack_of(&c) + 1);
}

/* A clock that PTP steers, by 10 ppm in 5 s: its times stay right to a few hundred ns, and off_ns says it. */
TSC_TEST(steered)
{
	struct nic_clock c;
	double worst;

	nic_set(1e9);
	nic.wave = 1e-5;
	clock_begin(&c);
	worst = run(&c, 60);
	assert_true(worst > 100 && worst < 1000);
	assert_true((double)counter_read(&c.off_ns) > worst / 2);
	assert_int_equal(counter_read(&c.jumps), 0);
}

/* Readings that the kernel interrupts are not used: neither one of four, nor all of them. */
TSC_TEST(interrupted)
{
	struct nic_clock c;

	nic_set(156.25e6);
	clock_begin(&c);
	nic.slow = 3;
	assert_true(run(&c, 20) < 20);
	assert_true(nic.readings <
		4 * 230); /* 200 times, and more often at the begin: the other three were used at once */
	nic.slow = 1;
	nic.at = 1;
	assert_true(run(&c, 0.5) < 20);
	assert_true(counter_read(&c.read_ns) < 550);
	/* Longer than between two readings: the next good one puts it right. */
	nic.slow = 0;
	nic.at = 0.5;
	run(&c, 0.1);
	assert_true(run(&c, 20) < 20);
	assert_int_equal(counter_read(&c.jumps), 0);
}

/* A clock that is set is counted and followed, one that stops counts at each reading. */
TSC_TEST(jumps)
{
	struct nic_clock c;
	uint64_t before;

	nic_set(1e9);
	clock_begin(&c);
	run(&c, 3);
	nic.jump = 5000000;
	assert_true(run(&c, 0.2) > 4.9e6);
	assert_int_equal(counter_read(&c.jumps), 1);
	assert_true(run(&c, 10) < 20);
	nic.jump = -(uint64_t)1000000000;
	run(&c, 0.2);
	assert_int_equal(counter_read(&c.jumps), 2);
	assert_true(run(&c, 10) < 20);
	assert_true(counter_read(&c.off_ns) < 100);
	before = counter_read(&c.hz);
	nic.stopped = true;
	run(&c, 2);
	assert_true(counter_read(&c.jumps) > 10 && isfinite(c.ratio));
	assert_true(fabs((double)counter_read(&c.hz) / (double)before - 1) < 1e-3);
}

/* A clock that cannot be read, or does not run, is not used; one that fails later is used on. */
TSC_TEST(unreadable)
{
	struct nic_clock c;

	nic_set(1e9);
	nic.error = -ENOTSUP;
	clock_begin(&c);
	assert_int_equal(c.state, NIC_CLOCK_UNREADABLE);
	nic_set(1e9);
	nic.stopped = true;
	clock_begin(&c);
	assert_int_equal(c.state, NIC_CLOCK_UNREADABLE);
	nic_set(1e9);
	clock_begin(&c);
	nic.error = -EIO;
	assert_true(run(&c, 1) < 100);
	assert_int_equal(counter_read(&c.jumps), 0);
}

/* While another lcore reads the clock, it is read later. */
TSC_TEST(locked)
{
	struct nic_clock c;
	unsigned int before;

	nic_set(1e9);
	nic.slow = 1000000;
	clock_begin(&c);
	before = nic.readings;
	rte_spinlock_lock(&lock);
	run(&c, 1);
	assert_int_equal(nic.readings, before);
	rte_spinlock_unlock(&lock);
	run(&c, 0.01);
	assert_int_equal(nic.readings, before + 4);
}

/* Time stamps of before the last reading, and some that are no times. */
TSC_TEST(far)
{
	struct nic_clock c;

	nic_set(156.25e6);
	clock_begin(&c);
	assert_int_equal(nic_clock_tsc(&c, c.last.nic), c.last.tsc);
	assert_true(fabs((double)(c.last.tsc - nic_clock_tsc(&c, c.last.nic - 156250)) - HZ / 1e3) <
		100);
	assert_int_equal(nic_clock_tsc(&c, c.last.nic + (UINT64_C(1) << 60)), 0);
	assert_int_equal(nic_clock_tsc(&c, c.last.nic - (UINT64_C(1) << 63)), 0);
}
