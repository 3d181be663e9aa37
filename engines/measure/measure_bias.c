/* The command measure bias: a run without a device between the ports, whose latency is kept for
 * show measure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/measure_bias.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "engines/measure/measured.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *const names[] = { "generate-rate", "generate-gaps" },
			 *const values[] = { MEASURE_BIAS_RATE, "even" };

/* Keep the bias of all ports, and print it. */
static void
keep_and_show(struct out *o, struct measured_config *config, const struct measured_bias *bias,
	struct stream *const *streams, unsigned int n, const uint16_t *ports, unsigned int n_ports)
{
	uint64_t lost = 0, unsent = 0;

	out_nest(o, "ports", OUT_ARRAY);
	for (unsigned int i = 0; i < n_ports; i++) {
		const uint16_t port = ports[i];

		config->bias[port] = bias[port];
		if (bias[port].n == 0)
			continue;
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "port", "Port %" PRIu64 ", bias in us:", port);
		measured_bias_show(o, &bias[port]);
		out_unnest(o);
		out_text(o, "\n");
	}
	out_unnest(o);
	for (unsigned int i = 0; i < n; i++) {
		const struct measured *m = streams[i]->kept;

		lost += m->lost != STAT_NONE ? m->lost : 0;
		unsent += counter_read(&streams[i]->count.named[MEASURED_UNSENT]);
	}
	out_u64(o, "unsent", NULL, unsent);
	out_u64(o, "lost", NULL, lost);
	if (unsent > 0)
		out_note(o,
			"%" PRIu64
			" packets were not sent in time: lcores were preempted, so the bias is too high; see \"doctor\"\n",
			unsent);
	if (lost > 0)
		out_note(o,
			"%" PRIu64
			" packets were lost: a device may be between the ports, or lcores were preempted\n",
			lost);
}

/* After an error the bias is as it was. */
static int
look(struct out *o, void *config, struct stream *const *streams, unsigned int n,
	const uint16_t *ports, unsigned int n_ports, struct err *e)
{
	struct measured_bias bias[RTE_MAX_ETHPORTS] = { { 0 } };
	uint64_t packets = 0;

	for (unsigned int i = 0; i < n_ports; i++) {
		if (measured_bias_read(&bias[ports[i]], streams, n, ports[i], e) != 0)
			return -e->code;
		packets += bias[ports[i]].n;
	}
	if (packets == 0)
		return err_set(e, ENODATA,
			"no packet came back within %d ms: connect the ports to each other, without a device between them",
			MEASURE_BIAS_MS);
	keep_and_show(o, config, bias, streams, n, ports, n_ports);
	return 0;
}

extern const struct engine engine_measure;

const struct arg_trial_call measure_bias = { &engine_measure, MEASURE_BIAS_MS, names, values,
	ARRAY_SIZE(names), look };

static void
clear(void *config)
{
	memset(((struct measured_config *)config)->bias, 0,
		sizeof(((struct measured_config *)config)->bias));
}

const struct arg_config_call measure_bias_clear = { &engine_measure, clear };
