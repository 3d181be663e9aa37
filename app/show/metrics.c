/* Updates rte_latencystats and rte_bitratestats in a separate thread, so that workers spend no
 * cycles on it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/metrics.h"

#include "app.h"
#include "base/err.h"
#include "base/out.h"
#include "port/port.h"

#include <rte_bitrate.h>
#include <rte_ethdev.h>
#include <rte_latencystats.h>
#include <rte_lcore.h>
#include <rte_metrics.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UPDATE_US 10000
#define RATE_EVERY 100 /* updates, which makes one second: bit rates are per second */

struct metrics {
	struct metrics_config config;
	struct ports *ports;
	struct rte_stats_bitrates *rates;
	pthread_t thread;
	atomic_bool stop; /* written by the control thread */
};

static void
rates_update(struct metrics *m)
{
	uint16_t port;

	pthread_mutex_lock(&m->ports->reading);
	RTE_ETH_FOREACH_DEV(port)
		rte_stats_bitrate_calc(m->rates, port);
	pthread_mutex_unlock(&m->ports->reading);
}

static void *
update(void *arg)
{
	struct metrics *m = arg;
	unsigned int round;

	for (round = 1; !atomic_load(&m->stop); round++) {
		usleep(UPDATE_US);
		if (m->config.latency)
			rte_latencystats_update();
		if (m->config.bit_rate && round % RATE_EVERY == 0)
			rates_update(m);
	}
	return NULL;
}

static int
begin(struct metrics *m, struct err *e)
{
	int ret;

	ret = rte_metrics_init((int)rte_socket_id());
	if (ret < 0)
		return err_set(e, -ret, "metrics: rte_metrics_init: %s", strerror(-ret));
	if (m->config.bit_rate) {
		m->rates = rte_stats_bitrate_create();
		if (m->rates == NULL || rte_stats_bitrate_reg(m->rates) != 0)
			return err_set(e, ENOMEM, "--bitrate-stats: no memory for the bit rates");
	}
	if (m->config.latency) {
		ret = rte_latencystats_init(1, NULL);
		if (ret != 0)
			return err_set(e, EIO, "--latencystats: rte_latencystats_init failed (%d)",
				ret);
	}
	ret = pthread_create(&m->thread, NULL, update, m);
	return ret == 0 ? 0 : err_set(e, ret, "metrics: cannot create a thread: %s", strerror(ret));
}

struct metrics *
metrics_open(const struct metrics_config *config, struct ports *ports, struct err *e)
{
	struct metrics *m;

	if (!config->latency && !config->bit_rate)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (m == NULL) {
		err_set(e, ENOMEM, "no memory for the metrics");
		return NULL;
	}
	m->config = *config;
	m->ports = ports;
	if (begin(m, e) == 0)
		return m;
	rte_stats_bitrate_free(m->rates);
	free(m);
	return NULL;
}

void
metrics_close(struct metrics *m)
{
	if (m == NULL)
		return;
	atomic_store(&m->stop, true);
	pthread_join(m->thread, NULL);
	if (m->config.latency)
		rte_latencystats_uninit();
	rte_stats_bitrate_free(m->rates);
	rte_metrics_deinit();
	free(m);
}

/* Show the metrics of a port, or the global ones. */
static void
set_show(struct out *out, int set, const struct rte_metric_name *names,
	struct rte_metric_value *values, int n)
{
	int got = rte_metrics_get_values(set, values, (uint16_t)n), i;

	for (i = 0; i < got && i < n; i++) {
		out_text(out, "%s", names[values[i].key].name);
		out_u64(out, names[values[i].key].name, ": %" PRIu64 "\n", values[i].value);
	}
}

int
metrics_show(struct app *app, const struct args *a, struct err *e)
{
	struct out *out = app->out;
	int n = app->metrics != NULL ? rte_metrics_get_names(NULL, 0) : 0;
	struct rte_metric_value *values;
	struct rte_metric_name *names;
	uint16_t port;

	if (n <= 0) {
		out_nest(out, "ports", OUT_ARRAY);
		out_unnest(out);
		out_say(out,
			"no metrics are measured; start zcfwd with --latencystats=LCORE or --bitrate-stats=LCORE\n");
		return 0;
	}
	names = calloc((size_t)n, sizeof(*names));
	values = calloc((size_t)n, sizeof(*values));
	if (names != NULL && values != NULL && rte_metrics_get_names(names, (uint16_t)n) == n) {
		out_nest(out, "global", OUT_OBJECT);
		set_show(out, RTE_METRICS_GLOBAL, names, values, n);
		out_unnest(out);
		out_nest(out, "ports", OUT_ARRAY);
		RTE_ETH_FOREACH_DEV(port) {
			out_nest(out, NULL, OUT_OBJECT);
			out_u64(out, "port", "port %" PRIu64 "\n", port);
			set_show(out, port, names, values, n);
			out_unnest(out);
		}
		out_unnest(out);
	}
	free(names);
	free(values);
	return 0;
}
