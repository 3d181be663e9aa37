/* The commands of the engine measure, and what "measure rate" asks of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/measure_cmds.h"

#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "engines/engine.h"
#include "engines/measure/hosts.h"
#include "engines/measure/measure_bias.h"
#include "engines/measure/measured.h"
#include "engines/measure/measured_flows.h"
#include "engines/measure/traffic.h"

#include <errno.h>
#include <stdlib.h>

static int
measure_traffic(const struct settings *set, const char *size, uint16_t port, double *bytes,
	struct err *e)
{
	struct traffic *t = malloc(sizeof(*t));
	int ret = t == NULL ? err_set(e, ENOMEM, "measure: no memory")
			    : traffic_parse(t, setting_text(set, "generate"), size, port, e);

	*bytes = ret == 0 && t->flows > 0 ? t->size_mean : 0;
	free(t);
	return ret;
}

static int
measure_may(const void *config, struct err *e)
{
	if (!lanes_chosen(config))
		return 0;
	return err_set(e, EBUSY,
		"measure: there are generate streams, whose rates are their own: use \"clear generate stream all\", which leaves the traffic of \"set generate\"");
}

const struct engine_trial measure_cmds_trial = {
	.may = measure_may,
	.traffic = measure_traffic,
	.sums = measured_sums,
	.latency = &measured_times[MEASURED_TIMES_LATENCY],
	.rate = "generate-rate",
	.size = "generate-size",
};

extern const struct engine engine_measure;

static const struct cmd_row rows[] = {
	{ "show measure", arg_on_engine,
		"show loss, order, damage and latency of each stream of engine measure", NULL,
		ARG_ON_ENGINE(&engine_measure, NULL) },
	{ "show measure flows", arg_on_engine,
		"show loss, order and latency of each flow of engine measure", NULL,
		ARG_ON_ENGINE(&engine_measure, measured_flows_show) },
	{ "measure bias", arg_on_trial,
		"measure the tool's own latency for 1 s at 20 kpps, with the ports connected to each other; show measure prints it",
		NULL, &measure_bias },
	{ "measure bias clear", arg_on_config, "forget the bias of all ports", "measure bias clear",
		&measure_bias_clear },
	{ "set port <port:port> host <address:str>", arg_on_config,
		"answer ARP, neighbor solicitations and ping for one more address while measure runs",
		"set port 0 host 198.18.0.1/24", &hosts_set_call, hosts_set_check,
		.by_state = true },
	{ "set port <port:port> host none", arg_on_config, "answer for no address of a port",
		"set port 0 host none", &hosts_none_call, .by_state = true },
	{ "show port host", arg_on_config, "show the addresses for which ports answer", NULL,
		&hosts_show_call },
};
const struct cmd_table measure_cmds_table = { "measure", "traffic and measurement", rows,
	ARRAY_SIZE(rows), CMD_ENGINES };
