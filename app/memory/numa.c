/* The NUMA sockets that the operator configures for ports and rings: parse the settings and look up
 * a port or ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/numa.h"

#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"

#include <rte_ethdev.h>
#include <rte_lcore.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICE "device" /* value of a setting: use the socket of each device */
#define TUPLE_MAX 3

enum ring { RING_RX = 1, RING_TX = 2, RING_BOTH = 3 }; /* as in testpmd */

static_assert(RTE_MAX_NUMA_NODES <= 64, "sockets are bits of an uint64_t");

static bool
socket_exists(unsigned long socket)
{
	for (unsigned int i = 0; i < rte_socket_count(); i++)
		if (rte_socket_id_by_idx(i) == (int)socket)
			return true;
	return false;
}

/* Return -ENODEV and list the existing sockets. what, text: the setting and its value. */
static int
socket_missing(const char *what, const char *text, unsigned long socket, struct err *e)
{
	char have[128] = "";
	size_t at = 0;

	for (unsigned int i = 0; i < rte_socket_count() && at < sizeof(have); i++)
		at += (size_t)snprintf(have + at, sizeof(have) - at, "%s%d", i > 0 ? ", " : "",
			rte_socket_id_by_idx(i));
	return err_set(e, ENODEV, "%s %s: Invalid socket id %lu, options are: %s", what, text,
		socket, have);
}

int
numa_socket_check(const char *text, struct err *e)
{
	char *end;
	unsigned long socket = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end != '\0')
		return err_set(e, EINVAL, "socket-num \"%s\": expected the number of a socket",
			text);
	return socket_exists(socket) ? 0 : socket_missing("socket-num", text, socket, e);
}

/* Parse "(1,2,3)" or "1,2,3" with n numbers at *p, and advance *p past it and a comma. */
static int
tuple_read(const char **p, unsigned int n, unsigned long *numbers)
{
	const bool open = **p == '(';
	const char *s = *p + open;
	char *end;

	for (unsigned int i = 0; i < n; i++) {
		if ((i > 0 && *s++ != ',') || *s < '0' || *s > '9')
			return -EINVAL;
		numbers[i] = strtoul(s, &end, 10);
		s = end;
	}
	if (open && *s++ != ')')
		return -EINVAL;
	if (*s == ',' && s[1] != '\0')
		s++;
	*p = s;
	return 0;
}

/*
 * Check all tuples of n numbers; the first is a port, the last a socket. form: their syntax, for
 * the error.
 */
static int
tuples_check(const char *what, const char *text, unsigned int n, const char *form, struct err *e)
{
	unsigned long numbers[TUPLE_MAX];
	const char *p = text;

	if (strcmp(text, DEVICE) == 0)
		return 0;
	do {
		if (tuple_read(&p, n, numbers) != 0)
			return err_set(e, EINVAL, "%s \"%s\": expected %s[,...], or " DEVICE, what,
				text, form);
		if (numbers[0] >= RTE_MAX_ETHPORTS ||
			!rte_eth_dev_is_valid_port((uint16_t)numbers[0]))
			return err_set(e, ENODEV, "%s %s: Invalid port %lu", what, text,
				numbers[0]);
		if (n == 3 && (numbers[1] < RING_RX || numbers[1] > RING_BOTH))
			return err_set(e, EINVAL,
				"%s %s: ring-flag %lu: expected 1 for Rx, 2 for Tx or 3 for both",
				what, text, numbers[1]);
		if (!socket_exists(numbers[n - 1]))
			return socket_missing(what, text, numbers[n - 1], e);
	} while (*p != '\0');
	return 0;
}

int
numa_ports_check(const char *text, struct err *e)
{
	return tuples_check("port-numa-config", text, 2, "(PORT,SOCKET)", e);
}

int
numa_rings_check(const char *text, struct err *e)
{
	return tuples_check("ring-numa-config", text, 3, "(PORT,FLAG,SOCKET)", e);
}

/*
 * Return the socket of the last tuple for port id and ring direction `way`, or -1. *sockets, unless
 * NULL, gets the bits of all sockets.
 */
static int
tuples_find(const char *text, unsigned int n, uint16_t id, unsigned int way, uint64_t *sockets)
{
	unsigned long numbers[TUPLE_MAX];
	const char *p = text;
	int found = -1;

	if (strcmp(text, DEVICE) == 0)
		return -1;
	while (*p != '\0' && tuple_read(&p, n, numbers) == 0) {
		if (sockets != NULL)
			*sockets |= UINT64_C(1) << numbers[n - 1] % RTE_MAX_NUMA_NODES;
		if (numbers[0] == id && (n == 2 || (numbers[1] & way) != 0))
			found = (int)numbers[n - 1];
	}
	return found;
}

static int
only_socket(const struct settings *settings)
{
	return atoi(setting_text(settings, "socket-num"));
}

int
numa_port(const struct settings *settings, uint16_t id)
{
	if (!setting_on(settings, "numa"))
		return only_socket(settings);
	return tuples_find(setting_text(settings, "port-numa-config"), 2, id, 0, NULL);
}

int
numa_ring(const struct settings *settings, uint16_t id, bool rx)
{
	if (!setting_on(settings, "numa"))
		return -1;
	return tuples_find(setting_text(settings, "ring-numa-config"), 3, id,
		rx ? RING_RX : RING_TX, NULL);
}

uint64_t
numa_sockets(const struct settings *settings)
{
	uint64_t sockets = 0;

	if (!setting_on(settings, "numa"))
		return UINT64_C(1) << only_socket(settings) % RTE_MAX_NUMA_NODES;
	tuples_find(setting_text(settings, "port-numa-config"), 2, 0, 0, &sockets);
	tuples_find(setting_text(settings, "ring-numa-config"), 3, 0, 0, &sockets);
	return sockets;
}

int
numa_socket(const struct settings *settings, uint16_t id)
{
	int socket = numa_port(settings, id);
	unsigned int lcore;

	if (socket < 0)
		socket = rte_eth_dev_socket_id(id);
	if (socket >= 0)
		return socket;
	lcore = rte_get_next_lcore(-1, 0, 0);
	return lcore < RTE_MAX_LCORE ? (int)rte_lcore_to_socket_id(lcore) : 0;
}

uint64_t
numa_cache_bytes(unsigned int level)
{
	const long bytes = sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);

	return bytes > 0 ? (uint64_t)bytes : 0;
}
