/* Access to the models from outside the process: telemetry and the report file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/control.h"

#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/model.h"
#include "pmd_shims/drivers/model_nic/model_nic.h"
#include "pmd_shims/drivers/model_nic/trap.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(field) \
	{ \
#field, offsetof(struct model_nic_report, field) \
	}

static const struct {
	const char *name;
	size_t offset;
} counts[] = { COUNT(rx_packets), COUNT(rx_bytes), COUNT(tx_packets), COUNT(tx_bytes),
	COUNT(rx_missed), COUNT(rx_oversize), COUNT(rx_filtered), COUNT(rx_errors),
	COUNT(tx_unsent), COUNT(wire_packets), COUNT(wire_bursts), COUNT(wire_late_ns),
	COUNT(wire_lost), COUNT(wire_duplicated), COUNT(wire_reordered), COUNT(wire_corrupted),
	COUNT(latency_packets), COUNT(latency_p50_ns), COUNT(latency_p99_ns),
	COUNT(latency_p999_ns), COUNT(latency_max_ns), COUNT(generated), COUNT(ok),
	COUNT(corrupted), COUNT(duplicated), COUNT(reordered), COUNT(foreign), COUNT(missing),
	COUNT(armed_twice), COUNT(armed_in_tx), COUNT(sent_while_armed), COUNT(link_changes),
	COUNT(resets), COUNT(faults), COUNT(faults_link), COUNT(faults_stall), COUNT(faults_starve),
	COUNT(faults_error), COUNT(faults_oversize), COUNT(faults_jumbo), COUNT(faults_reset) };

enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };

static uint64_t
count_of(const struct model_nic_report *r, unsigned i)
{
	uint64_t value;

	memcpy(&value, (const char *)r + counts[i].offset, sizeof(value));
	return value;
}

static void
report_port_write(FILE *f, unsigned port)
{
	const struct model *m = model_port(port);
	struct model_nic_report r;
	uint64_t accesses, stepped;

	model_nic_report(port, &r);
	trap_counts(m, &accesses, &stepped);
	fprintf(f, "%s\n  {\"port\": %u, \"device\": \"%s\"", port > 0 ? "," : "", port,
		m->family->name);
	for (unsigned i = 0; i < COUNTS; i++)
		fprintf(f, ", \"%s\": %llu", counts[i].name, (unsigned long long)count_of(&r, i));
	fprintf(f, ", \"register_accesses\": %llu, \"register_steps\": %llu}",
		(unsigned long long)accesses, (unsigned long long)stepped);
}

void
control_report_write(void)
{
	FILE *f;

	if (config_current.report[0] == '\0')
		return;
	f = fopen(config_current.report, "w");
	if (f != NULL) {
		fputs("{\"ports\": [", f);
		for (unsigned i = 0; i < config_current.ports; i++)
			report_port_write(f, i);
		fputs("\n]}\n", f);
	}
	if (f == NULL || fclose(f) != 0)
		fprintf(stderr, "model_nic: MODEL_NIC_REPORT: \"%s\": %s\n", config_current.report,
			strerror(errno));
}

/*
 * The telemetry functions that are used. They are looked up because an application may lack
 * telemetry, and because one name differs between releases.
 */
struct rte_tel_data;
typedef int (*command)(const char *name, const char *parameters, struct rte_tel_data *reply);

static struct {
	int (*add_command)(const char *name, command run, const char *help);
	int (*start_dict)(struct rte_tel_data *reply);
	int (*add_string)(struct rte_tel_data *reply, const char *name, const char *value);
	int (*add_count)(struct rte_tel_data *reply, const char *name, uint64_t value);
} telemetry;

/* Copies the address, since ISO C cannot cast the result of dlsym() to a function pointer. */
static bool
look_up(const char *name, void *function)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	memcpy(function, &found, sizeof(found));
	return found != NULL;
}

static int
refuse(struct rte_tel_data *reply, const char *why)
{
	return telemetry.add_string(reply, "error", why);
}

/*
 * Begin the reply and parse "PORT[,REST]". Returns NULL with an error in the reply: no such port.
 */
static struct model *
port_parse(const char *parameters, struct rte_tel_data *reply, const char **rest)
{
	char *end = NULL, why[64];
	unsigned long port = parameters != NULL ? strtoul(parameters, &end, 10) : 0;

	telemetry.start_dict(reply);
	if (end == NULL || end == parameters || (*end != '\0' && *end != ',') ||
		port >= config_current.ports) {
		snprintf(why, sizeof(why), "expected a port, 0..%u", config_current.ports - 1);
		refuse(reply, why);
		return NULL;
	}
	*rest = *end == ',' ? end + 1 : end;
	return model_port((unsigned)port);
}

static int
on_ports(const char *name, const char *parameters, struct rte_tel_data *reply)
{
	char port[16];

	telemetry.start_dict(reply);
	for (unsigned i = 0; i < config_current.ports; i++) {
		snprintf(port, sizeof(port), "%u", i);
		telemetry.add_string(reply, port, config_current.port[i].family->text);
	}
	return 0;
}

static int
on_report(const char *name, const char *parameters, struct rte_tel_data *reply)
{
	const char *rest;
	const struct model *m = port_parse(parameters, reply, &rest);
	struct model_nic_report r;
	uint64_t accesses, stepped;

	if (m == NULL)
		return 0;
	model_nic_report(m->port, &r);
	for (unsigned i = 0; i < COUNTS; i++)
		telemetry.add_count(reply, counts[i].name, count_of(&r, i));
	trap_counts(m, &accesses, &stepped);
	telemetry.add_count(reply, "register_accesses", accesses);
	return telemetry.add_count(reply, "register_steps", stepped);
}

static int
done(struct rte_tel_data *reply, const struct model *m)
{
	return telemetry.add_count(reply, "port", m->port);
}

static int
on_reset(const char *name, const char *parameters, struct rte_tel_data *reply)
{
	const char *rest;
	const struct model *m = port_parse(parameters, reply, &rest);

	if (m == NULL)
		return 0;
	model_nic_report_reset(m->port);
	return done(reply, m);
}

static int
on_fault(const char *name, const char *parameters, struct rte_tel_data *reply)
{
	const char *words, *why;
	const struct model *m = port_parse(parameters, reply, &words);

	if (m == NULL)
		return 0;
	return model_nic_fault(m->port, words, &why) ? done(reply, m) : refuse(reply, why);
}

static int
on_link(const char *name, const char *parameters, struct rte_tel_data *reply)
{
	const char *state;
	const struct model *m = port_parse(parameters, reply, &state);

	if (m == NULL)
		return 0;
	if (strcmp(state, "up") != 0 && strcmp(state, "down") != 0)
		return refuse(reply, "expected PORT,up or PORT,down");
	if (!model_nic_link(m->port, strcmp(state, "up") == 0))
		return refuse(reply, "the port is detached");
	return done(reply, m);
}

static int
on_pause(const char *name, const char *parameters, struct rte_tel_data *reply)
{
	const char *state;
	const struct model *m = port_parse(parameters, reply, &state);

	if (m == NULL)
		return 0;
	if (strcmp(state, "0") != 0 && strcmp(state, "1") != 0)
		return refuse(reply, "expected PORT,0 or PORT,1");
	model_nic_pause(m->port, state[0] == '1');
	return done(reply, m);
}

void
control_register(void)
{
	static const struct {
		const char *name;
		command run;
		const char *help;
	} commands[] = {
		{ "/model_nic/ports", on_ports, "List modelled ports and the device of each" },
		{ "/model_nic/report", on_report, "Show a port's counters. Parameter: PORT" },
		{ "/model_nic/reset", on_reset, "Reset a port's counters. Parameter: PORT" },
		{ "/model_nic/fault", on_fault, "Inject a fault. Parameters: PORT,WORDS" },
		{ "/model_nic/link", on_link, "Set the link up or down. Parameters: PORT,up|down" },
		{ "/model_nic/pause", on_pause,
			"Pause (1) or resume (0) a port's packet source. Parameters: PORT,1|0" },
	};

	if (!look_up("rte_telemetry_register_cmd", &telemetry.add_command) ||
		!look_up("rte_tel_data_start_dict", &telemetry.start_dict) ||
		!look_up("rte_tel_data_add_dict_string", &telemetry.add_string) ||
		!(look_up("rte_tel_data_add_dict_uint", &telemetry.add_count) ||
			look_up("rte_tel_data_add_dict_u64", &telemetry.add_count)))
		return;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		telemetry.add_command(commands[i].name, commands[i].run, commands[i].help);
}
