/* dma_scripted with a speed and a latency, as dma/guests/ of the bench uses it: when its jobs are
 * done. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/dma_fixture.h"
#include "fixtures/unit.h"

#include <rte_cycles.h>
#include <rte_dmadev.h>

enum { MEGABYTES = 1, LATENCY_US = 500, BYTES = LONG };

/* An engine of 1 MB/s: a job of 3000 bytes takes 3 ms, so a test that is preempted is not too late. */
#define CLOCK "tells,speed=1,latency=500000"

static uint64_t
cycles_of(uint64_t us)
{
	return us * rte_get_tsc_hz() / 1000000;
}

/* One after the other, and each is reported so much later; what is due is not done before. */
TEST(times)
{
	struct dma_fixture *f = dma_fixture_again(state, CLOCK);
	const struct scripted_vchan *v = &f->engine->vchan[0];
	const uint64_t copy_us = BYTES / MEGABYTES;
	const uint64_t slack = cycles_of(1); /* of divisions that round */
	uint64_t before, after;

	f->engine->stepped = false;
	dma_fixture_copy(f, 0, BYTES, 0);
	before = rte_rdtsc();
	dma_fixture_copy(f, 1, BYTES, SUBMIT);
	after = rte_rdtsc();
	assert_true(v->job[0].due + slack >= before + cycles_of(copy_us + LATENCY_US));
	assert_true(v->job[0].due <= after + slack + cycles_of(copy_us + LATENCY_US));
	assert_true(v->job[1].due - v->job[0].due + slack >= cycles_of(copy_us));
	assert_true(v->job[1].due - v->job[0].due <= cycles_of(copy_us) + slack);
	for (unsigned int reported = 0; reported < 2;) {
		uint16_t last;
		bool failed;

		reported += rte_dma_completed(f->dev, 0, 2, &last, &failed);
		assert_true(reported == 0 || rte_rdtsc() >= v->job[reported - 1].due);
	}
}

/* An engine that was idle begins when it is asked. */
TEST(idle)
{
	struct dma_fixture *f = dma_fixture_again(state, CLOCK);
	const struct scripted_vchan *v = &f->engine->vchan[0];
	uint64_t before;

	f->engine->stepped = false;
	f->engine->free_at = rte_rdtsc() / 2;
	before = rte_rdtsc();
	dma_fixture_copy(f, 0, BYTES, SUBMIT);
	assert_true(v->job[0].due >= before + cycles_of(BYTES / MEGABYTES));
	f->engine->free_at = before = rte_rdtsc() + cycles_of(1000000);
	dma_fixture_copy(f, 1, BYTES, SUBMIT);
	assert_true(v->job[1].due >= before + cycles_of(BYTES / MEGABYTES));
	f->engine->vchan[0].job[1].due = 0; /* or its stop would wait for it */
}

/* Without these arguments a job is done once it is submitted. */
TEST(no_clock)
{
	struct dma_fixture *f = dma_fixture_again(state, "tells");

	f->engine->stepped = false;
	dma_fixture_copy(f, 0, BYTES, SUBMIT);
	assert_int_equal(f->engine->vchan[0].done, 1);
}

TESTS(.setup = dma_fixture_begin, .teardown = dma_fixture_end, .before = dma_fixture_setup,
	.after = dma_fixture_teardown);
