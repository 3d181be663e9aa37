/* The speeds of engines: how long the command measures them, and what it says of those that it does not
 * measure. The linker puts the functions named __wrap_* in the place of dmadev's and of the measurement. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_speeds.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/dma/dma_measure.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"

#include <rte_dmadev.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ENGINES = 4 };

/* Frequencies of a clock by which the limit is reached never, or before the first engine. */
static const double never = 1e15, at_once = 1e-3;
static unsigned int measured;
static int measure_error;

int __wrap_rte_dma_get_dev_id_by_name(const char *);
int __wrap_rte_dma_info_get(int16_t, struct rte_dma_info *);
int __wrap_dma_measure(struct dma_measured *, const struct dma_measure_ask *, struct err *);

/* e3 is not a device of this machine. */
int
__wrap_rte_dma_get_dev_id_by_name(const char *name)
{
	return name[1] == '3' ? -EINVAL : name[1] - '0';
}

int
__wrap_rte_dma_info_get(int16_t dma, struct rte_dma_info *info)
{
	*info = (struct rte_dma_info){ .max_desc = 1024 };
	return 0;
}

int
__wrap_dma_measure(struct dma_measured *m, const struct dma_measure_ask *ask, struct err *e)
{
	measured++;
	return measure_error != 0 ? err_set(e, measure_error, "%s: no copy for 2 s", ask->dev) : 0;
}

/* Measure e0 to e3, of which e1 has a known speed. */
static void
measure(struct out_check *f, double tsc_hz)
{
	static struct dma_topology t;

	memset(&t, 0, sizeof(t));
	t.n_engines = ENGINES;
	for (unsigned int i = 0; i < ENGINES; i++)
		snprintf(t.engine[i].name, sizeof(t.engine[i].name), "e%u", i);
	t.engine[1].speed = 5;
	measured = 0;
	dma_speeds_measure(&t, tsc_hz, f->out, NULL);
	for (unsigned int i = 0; i < ENGINES; i++)
		assert_int_equal(t.engine[i].measured,
			measure_error == 0 && tsc_hz == never && (i == 0 || i == 2));
}

TEST(test_all)
{
	measure_error = 0;
	measure(*state, never);
	assert_int_equal(measured, 2);
	out_check_printed(*state, "", "");
}

/* No time is left: no engine is begun, and one line has how many. */
TEST(test_limit)
{
	measure_error = 0;
	measure(*state, at_once);
	assert_int_equal(measured, 0);
	out_check_printed(*state, "",
		"dma placement: the speeds of 2 engines are not measured: this would take longer than 500 ms; a file in dma-topology can have them\n");
}

/* An engine that hangs is named, and the next one is measured. */
TEST(test_fails)
{
	measure_error = EIO;
	measure(*state, never);
	assert_int_equal(measured, 2);
	out_check_printed(*state, "",
		"dma placement: the speed of e0 is not measured: e0: no copy for 2 s\n"
		"dma placement: the speed of e2 is not measured: e2: no copy for 2 s\n");
}

TESTS(.before = out_check_setup, .after = out_check_teardown);
