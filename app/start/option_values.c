/* Parse values of options; a value with an error changes nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "start/option_values.h"

#include "app.h"
#include "base/err.h"
#include "base/numbers.h"
#include "base/plain_file.h"
#include "base/setting.h"
#include "engines/engine.h"

#include <rte_ethdev.h>
#include <rte_ether.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
option_values_number(const char *option, const char *value, uint64_t lo, uint64_t hi, uint64_t *n,
	struct err *e)
{
	char *end;

	errno = 0;
	*n = strtoull(value, &end, 0);
	if (value[0] < '0' || value[0] > '9' || *end != '\0')
		return err_set(e, EINVAL,
			"--%s \"%s\": not a number, expected %" PRIu64 "..%" PRIu64, option, value,
			lo, hi);
	if (errno == ERANGE || *n < lo || *n > hi)
		return err_set(e, ERANGE, "--%s %s: expected %" PRIu64 "..%" PRIu64, option, value,
			lo, hi);
	return 0;
}

int
option_values_count(const char *option, const char *value, unsigned int have, const char *what,
	unsigned int *n, struct err *e)
{
	uint64_t number;
	int ret;

	if (have == 0)
		return err_set(e, ENODEV, "--%s %s: there are no %s", option, value, what);
	ret = option_values_number(option, value, 1, have, &number, e);
	if (ret == 0)
		*n = (unsigned int)number;
	return ret;
}

int
option_values_mask(const char *option, const char *value, uint64_t *mask, struct err *e)
{
	char *end;

	errno = 0;
	*mask = strtoull(value, &end, 16);
	if (value[0] == '\0' || value[0] == '-' || value[0] == '+' || *end != '\0' || errno != 0)
		return err_set(e, EINVAL, "--%s \"%s\": expected a hexadecimal mask", option,
			value);
	return 0;
}

int
option_values_list(const char *option, const char *value, uint16_t *list, unsigned int max,
	unsigned int *n, struct err *e)
{
	char what[64];

	snprintf(what, sizeof(what), "--%s", option);
	return numbers_parse(what, value, list, max, n, e);
}

int
option_values_peer(struct ports *ports, const char *value, struct err *e)
{
	struct rte_ether_addr mac;
	struct port *p;
	unsigned long id;
	char *end;

	id = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != ',' || id >= RTE_MAX_ETHPORTS ||
		rte_ether_unformat_addr(end + 1, &mac) != 0)
		return err_set(e, EINVAL,
			"--eth-peer \"%s\": expected PORT,MAC such as 0,02:00:00:00:00:01", value);
	p = port_at(ports, (uint16_t)id);
	if (p == NULL)
		return port_missing(ports, (uint16_t)id, e);
	p->peer = mac;
	return 0;
}

int
option_values_peers_file(struct ports *ports, const char *file, struct err *e)
{
	struct rte_ether_addr mac[RTE_MAX_ETHPORTS];
	FILE *f = plain_file_read(file, e);
	unsigned int n = 0, at = 0, i;
	char *line = NULL;
	size_t room = 0;
	ssize_t got;
	int ret = 0;

	if (f == NULL)
		return err_context(e, "--eth-peers-configfile");
	while (ret == 0 && (got = getline(&line, &room, f)) >= 0) {
		char *word = line + strspn(line, " \t");

		at++;
		if (strlen(line) < (size_t)got) {
			ret = err_set(e, EILSEQ, "%s:%u: the line contains a NUL byte", file, at);
			break;
		}
		word[strcspn(word, " \t\r\n#")] = '\0';
		if (word[0] == '\0')
			continue;
		if (n == RTE_MAX_ETHPORTS || rte_ether_unformat_addr(word, &mac[n++]) != 0)
			ret = err_set(e, EINVAL, "%s:%u: \"%s\": expected a MAC address", file, at,
				word);
	}
	free(line);
	fclose(f);
	for (i = 0; ret == 0 && i < n; i++)
		if (port_at(ports, (uint16_t)i) != NULL)
			port_at(ports, (uint16_t)i)->peer = mac[i];
	return ret;
}

int
option_values_burst_of_driver(struct app *app, struct err *e)
{
	const struct port *p =
		app->run.choice.n_ports > 0 ? port_at(&app->ports, app->run.choice.ports[0]) : NULL;

	if (p == NULL)
		return err_set(e, ENODEV,
			"--burst 0: no port whose driver could recommend a burst size");
	if (p->info.default_rxportconf.burst_size == 0)
		return err_set(e, ENOTSUP,
			"--burst 0: driver %s recommends no burst size; use 1..%u",
			p->info.driver_name, BURST_MAX);
	return setting_set(app->settings, "burst", p->info.default_rxportconf.burst_size, e);
}

int
option_values_engine_err(const struct run *r, const char *name, struct err *e)
{
	char names[256] = "";
	size_t n = 0;
	unsigned int i;

	for (i = 0; r->engines[i] != NULL && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? "|" : "",
			r->engines[i]->name);
	return err_set(e, EINVAL, "--forward-mode \"%s\": expected %s", name, names);
}
