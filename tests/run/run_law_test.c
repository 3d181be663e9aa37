/* The law of stopped streams: which of them are named, with what, and that a clear does not bend it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/account/run_law.h"

#include "base/base.h"
#include "engines/engine.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"
#include "run/account/run_count.h"
#include "run/run.h"

#include <stdlib.h>

static struct stream kept, lost, invented;
static struct stream *streams[] = { &kept, &lost, &invented };
static struct run_count base[ARRAY_SIZE(streams)];

static void
count(struct stream *s, uint64_t rx, uint64_t made, uint64_t tx, uint64_t dropped,
	uint64_t absorbed)
{
	counter_add(&s->count.rx, rx);
	counter_add(&s->count.made, made);
	counter_add(&s->count.tx, tx);
	counter_add(&s->count.tx_dropped, dropped);
	counter_add(&s->count.absorbed, absorbed);
}

TEST(broken)
{
	static const struct engine engine = { .name = "io" };
	struct run *r = calloc(1, sizeof(*r));
	struct out_check printed;

	assert_non_null(r);
	assert_true(out_check_open(&printed));
	r->out = printed.out;
	r->streams = streams;
	r->plan.n_streams = ARRAY_SIZE(streams);
	r->base = base;
	r->base_tsc = 1; /* as after a clear: no account */
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
		streams[i]->engine = &engine;
		streams[i]->tx_port = 1;
		streams[i]->tx_queue = (uint16_t)i;
	}
	count(&kept, 5, 7, 6, 4, 2);
	run_law_check(r);
	assert_int_equal(r->broken, 0);
	assert_string_equal(out_check_failures(&printed), "");
	count(&lost, 10, 0, 7, 1, 1);
	count(&invented, 10, 0, 7, 3, 2);
	/* As if all had been cleared now. */
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
		run_count_read(streams[i], &base[i]);
	run_law_check(r);
	assert_int_equal(r->broken, 2);
	assert_string_equal(out_check_failures(&printed),
		"Stream 1 (io, port 0 queue 0 to port 1 queue 1): 1 packets are missing: rx 10 + made 0, tx 7 + dropped 1 + absorbed 1\n"
		"Stream 2 (io, port 0 queue 0 to port 1 queue 2): 2 packets too many: rx 10 + made 0, tx 7 + dropped 3 + absorbed 2\n");
	out_check_close(&printed);
	free(r);
}
