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
#include "engines/measure/traffic/traffic.h"

#include <rte_ethdev.h>

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

/* The commands of addresses. */

static int
port_check(const struct args *a, struct err *e)
{
	if (rte_eth_dev_is_valid_port(arg_port(a)))
		return 0;
	return arg_err(a, "port", e, ENODEV,
		"port %u host: no such port: expected one of \"show port summary all\"",
		arg_port(a));
}

/* Read the MAC address of a host; all 0 if there is none. */
static int
mac_read(const struct args *a, struct rte_ether_addr *to, struct err *e)
{
	const struct arg *mac = arg_find(a, "mac");

	memset(to, 0, sizeof(*to));
	if (mac == NULL)
		return 0;
	memcpy(to->addr_bytes, mac->mac, sizeof(mac->mac));
	if (rte_is_valid_assigned_ether_addr(to))
		return 0;
	return arg_err(a, "mac", e, EINVAL,
		"mac %s: expected the address of one host, not of a group, and not zeros",
		mac->text);
}

static int
host_set(void *config, const struct args *a, struct out *out, struct err *e)
{
	struct measured_config *c = config;
	struct rte_ether_addr mac;
	struct err why;

	if (port_check(a, e) != 0 || mac_read(a, &mac, e) != 0)
		return -e->code;
	err_clear(&why);
	if (hosts_add(&c->hosts, arg_port(a), arg_str(a, "address", ""), &mac, &why) != 0)
		return arg_err(a, "address", e, why.code, "%s", why.text);
	return 0;
}

static int
host_set_check(struct app *app, const struct args *a, struct err *e)
{
	struct rte_ether_addr unused;
	struct err why;

	err_clear(&why);
	if (hosts_check(arg_str(a, "address", ""), &why) != 0)
		return arg_err(a, "address", e, why.code, "%s", why.text);
	return mac_read(a, &unused, e);
}

static int
host_none(void *config, const struct args *a, struct out *out, struct err *e)
{
	struct measured_config *c = config;

	return port_check(a, e) != 0 ? -e->code : hosts_clear(&c->hosts, arg_port(a), e);
}

static int
host_show(void *config, const struct args *a, struct out *out, struct err *e)
{
	hosts_show(&((struct measured_config *)config)->hosts, out);
	return 0;
}

extern const struct engine engine_measure;

#define ON_HOSTS(function) \
	&(const struct arg_config_call) \
	{ \
		.engine = &engine_measure, .line = function \
	}

static const struct cmd_row rows[] = {
	{ "show measure", arg_on_engine,
		"show loss, order, damage and latency of each stream of engine measure", NULL,
		ARG_ON_ENGINE(&engine_measure, NULL), .shows = true },
	{ "show measure flows", arg_on_engine,
		"show loss, order and latency of each flow of engine measure", NULL,
		ARG_ON_ENGINE(&engine_measure, measured_flows_show), .shows = true },
	{ "measure bias", arg_on_trial,
		"measure the tool's own latency for 1 s at 20 kpps, with the ports connected to each other; show measure prints it",
		NULL, &measure_bias },
	{ "measure bias clear", arg_on_config, "forget the bias of all ports", "measure bias clear",
		&measure_bias_clear },
	{ "set port <port:port> host <address:str> [mac <mac:mac>]", arg_on_config,
		"answer ARP, neighbor solicitations and ping for one more address while measure runs, with the port's MAC address or another",
		"set port 0 host 198.18.0.1/24", ON_HOSTS(host_set), host_set_check,
		.by_state = true },
	{ "set port <port:port> host none", arg_on_config, "answer for no address of a port",
		"set port 0 host none", ON_HOSTS(host_none), .by_state = true },
	{ "show port host", arg_on_config, "show the addresses for which ports answer", NULL,
		ON_HOSTS(host_show), .shows = true },
};
const struct cmd_table measure_cmds_table = { "measure", "traffic and measurement", rows,
	ARRAY_SIZE(rows), CMD_ENGINES };
