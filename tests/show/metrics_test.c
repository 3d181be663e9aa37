/* Bit rates: ports' counters are read under the lock that keeps one reader at a time in a driver,
 * and ports where they are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/metrics.h"

#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"
#include "fixtures/wait.h"

#include <rte_bitrate.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

static struct app *app;
static atomic_uint readings, unlocked;

/* Stands in front of the library's function of that name, which would read the port's counters. */
int
rte_stats_bitrate_calc(struct rte_stats_bitrates *rates, uint16_t port)
{
	if (pthread_mutex_trylock(&app->ports.reading) != EBUSY) {
		pthread_mutex_unlock(&app->ports.reading);
		atomic_fetch_add(&unlocked, 1);
	}
	atomic_fetch_add(&readings, 1);
	return 0;
}

TEST(rates_locked)
{
	const struct metrics_config config = { .bit_rate = true };
	struct err e = { 0 };
	struct metrics *m;

	app = *state;
	m = metrics_open(&config, &app->ports, &e);
	assert_string_equal(e.text, "");
	WAIT_UNTIL(atomic_load(&readings) > 0);
	metrics_close(m);
	assert_int_equal(unlocked, 0);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
