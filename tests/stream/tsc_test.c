/* The measured frequency of the TSC, with clocks that do not agree. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/tsc.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/eal.h"
#include "fixtures/unit.h"

#include <rte_cycles.h>

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* What DPDK's value and the kernel's clock are multiplied by; sleeps since the test began. */
static double dpdk, kernel;
static unsigned int sleeps;

/* These stand before DPDK's and libc's functions. */
uint64_t
rte_get_tsc_hz(void)
{
	uint64_t (*own)(void);

	*(void **)&own = dlsym(RTLD_NEXT, "rte_get_tsc_hz");
	return (uint64_t)((double)own() * dpdk);
}

int
clock_gettime(clockid_t id, struct timespec *t)
{
	int (*own)(clockid_t, struct timespec *), ret;
	double ns;

	*(void **)&own = dlsym(RTLD_NEXT, "clock_gettime");
	ret = own(id, t);
	if (id == CLOCK_MONOTONIC_RAW && kernel != 1) {
		ns = ((double)t->tv_sec * 1e9 + (double)t->tv_nsec) * kernel;
		t->tv_sec = (time_t)(ns / 1e9);
		t->tv_nsec = (long)fmod(ns, 1e9);
	}
	return ret;
}

int
nanosleep(const struct timespec *asked, struct timespec *left)
{
	int (*own)(const struct timespec *, struct timespec *);

	*(void **)&own = dlsym(RTLD_NEXT, "nanosleep");
	sleeps++;
	return own(asked, left);
}

static void
begin(double of_dpdk, double of_kernel)
{
	dpdk = of_dpdk;
	kernel = of_kernel;
	sleeps = 0;
}

/* The frequency by the kernel's clock over a longer time. */
static double
truth(void)
{
	const struct timespec pause = { .tv_nsec = 300000000 };
	struct tsc_moment from, to;

	from = tsc_moment_now();
	nanosleep(&pause, NULL);
	to = tsc_moment_now();
	return (double)(to.tsc - from.tsc) * 1e9 / (double)(to.ns - from.ns);
}

static bool
near(double a, double b)
{
	return fabs(a / b - 1) < 1e-4;
}

/* It waits only until 10 ms have passed since the moment, and agrees with a longer measurement. */
TEST(frequency)
{
	struct err e = { 0 };
	struct tsc_moment at;
	double hz;

	begin(1, 1);
	at = tsc_moment_now();
	hz = tsc_hz_since(&at, &e);
	assert_int_equal(sleeps, 1);
	assert_true(near(hz, truth()));
	sleeps = 0;
	assert_true(near(tsc_hz_since(&at, &e), hz));
	assert_int_equal(sleeps, 0);
	assert_int_equal(e.code, 0);
}

/* The kernel's clock is right, and what DPDK expects is said. */
TEST(dpdk_is_wrong)
{
	static const struct {
		double factor;
		const char *said;
	} cases[] = { { 1.005, NULL }, { 0.995, NULL }, { 1.25, "take 1.25 times as long" },
		{ 0.5, "take 0.50 times as long" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };
		struct tsc_moment at;
		double hz;

		begin(cases[i].factor, 1);
		at = tsc_moment_now();
		hz = tsc_hz_since(&at, &e);
		assert_true(near(hz, truth()));
		assert_int_equal(e.code, cases[i].said != NULL ? ERANGE : 0);
		assert_true(cases[i].said == NULL || strstr(e.text, cases[i].said) != NULL);
	}
}

/* A start that was interrupted by a suspend or a move to another host: measured again. */
TEST(start_is_wrong)
{
	struct err e = { 0 };
	struct tsc_moment at;

	begin(1, 1);
	at = tsc_moment_now();
	at.ns -= 3000000000;
	assert_true(near(tsc_hz_since(&at, &e), truth()));
	assert_int_equal(e.code, ERANGE);
	assert_non_null(strstr(e.text, "during the start, and now runs at"));
}

/* A clock that stands still measures nothing. */
TEST(kernel_stands_still)
{
	struct err e = { 0 };
	struct tsc_moment at;

	begin(1, 0);
	at = tsc_moment_now();
	assert_true(tsc_hz_since(&at, &e) == (double)rte_get_tsc_hz());
	assert_int_equal(e.code, EIO);
	assert_non_null(strstr(e.text, "does not advance"));
}

static int
open_eal(void **state)
{
	begin(1, 1);
	return eal_open("64", "0", "--iova-mode=va");
}

TESTS(.setup = open_eal, .teardown = eal_close);
