/* The addresses by which ports answer in runs of the engine measure: their table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/hosts.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "engines/measure/traffic/traffic_range.h"

#include <rte_byteorder.h>

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BUSY "Please stop forwarding first; addresses of ports do not change during a run"

/* What an IPv4 address is instead of one host's; NULL: it is one host's. */
static const char *
unfit_ip4(const struct host_address *h)
{
	rte_be32_t wire;
	uint32_t a, host;

	memcpy(&wire, h->bytes + 12, sizeof(wire));
	a = rte_be_to_cpu_32(wire);
	host = h->prefix == 0 ? a : a & (uint32_t)(UINT64_C(0xffffffff) >> h->prefix);
	if (a >> 24 == 0)
		return "is of network 0.0.0.0/8";
	if (a >> 24 == 127)
		return "is a loopback address";
	if (a >> 28 == 0xe)
		return "is a multicast address";
	if (a == UINT32_MAX)
		return "is the broadcast address";
	if (h->prefix < 31 && host == 0)
		return "is the address of its network";
	if (h->prefix < 31 && host == UINT32_MAX >> h->prefix)
		return "is the broadcast address of its network";
	return NULL;
}

/* What an IPv6 address is instead of one host's; NULL: it is one host's. */
static const char *
unfit_ip6(const struct host_address *h)
{
	static const uint8_t none[15];

	if (h->bytes[0] == 0xff)
		return "is a multicast address";
	if (memcmp(h->bytes, none, sizeof(none)) == 0 && h->bytes[15] <= 1)
		return h->bytes[15] == 0 ? "is the unspecified address" : "is a loopback address";
	return NULL;
}

/* Read "ADDRESS" or "ADDRESS/PREFIX". EINVAL. */
static int
address_read(struct host_address *h, const char *text, struct err *e)
{
	char address[INET6_ADDRSTRLEN];
	const size_t n = strcspn(text, "/");
	const char *unfit;
	uint64_t most, prefix;

	snprintf(address, sizeof(address), "%.*s", (int)n, text);
	if (n >= sizeof(address) || !traffic_range_address(address, h->bytes, &h->ip6))
		return err_set(e, EINVAL,
			"host \"%.60s\": expected an IPv4 or IPv6 address such as 10.0.0.1 or 2001:db8::1/64, or none",
			text);
	prefix = most = h->ip6 ? 128 : 32;
	if (text[n] == '/' && !traffic_range_number(text + n + 1, 1, most, &prefix))
		return err_set(e, EINVAL, "host \"%.60s\": prefix: expected /1../%d", text,
			(int)most);
	h->prefix = (uint8_t)prefix;
	unfit = h->ip6 ? unfit_ip6(h) : unfit_ip4(h);
	return unfit == NULL
		? 0
		: err_set(e, EINVAL, "host \"%.60s\" %s: expected the address of one host", text,
			  unfit);
}

static const char *
address_text(const struct host_address *h, char text[INET6_ADDRSTRLEN])
{
	return inet_ntop(h->ip6 ? AF_INET6 : AF_INET, h->bytes + (h->ip6 ? 0 : 12), text,
		INET6_ADDRSTRLEN);
}

int
hosts_check(const char *text, struct err *e)
{
	struct host_address unused;

	return address_read(&unused, text, e);
}

int
hosts_add(struct hosts *h, uint16_t port, const char *text, const struct rte_ether_addr *mac,
	struct err *e)
{
	struct host_address new = { .port = port };

	if (address_read(&new, text, e) != 0)
		return -e->code;
	if (mac != NULL)
		new.mac = *mac;
	if (h->in_use)
		return err_set(e, EBUSY, "port %u host %.60s: " BUSY, port, text);
	for (unsigned int i = 0; i < h->n; i++)
		if (h->address[i].ip6 == new.ip6 &&
			memcmp(h->address[i].bytes, new.bytes, sizeof(new.bytes)) == 0)
			return err_set(e, EEXIST,
				"host %.60s: port %u has it already: expected another address%s",
				text, h->address[i].port,
				h->address[i].port == port ? "" : ", one port has each");
	if (h->n == HOSTS_MAX)
		return err_set(e, ENOSPC,
			"host %.60s: ports have %d addresses already, the most: use \"set port P host none\"",
			text, HOSTS_MAX);
	h->address[h->n++] = new;
	return 0;
}

int
hosts_clear(struct hosts *h, uint16_t port, struct err *e)
{
	unsigned int n = 0;

	if (h->in_use)
		return err_set(e, EBUSY, "port %u host none: " BUSY, port);
	for (unsigned int i = 0; i < h->n; i++)
		if (h->address[i].port != port)
			h->address[n++] = h->address[i];
	h->n = n;
	return 0;
}

bool
hosts_any(const struct hosts *h, uint16_t port)
{
	unsigned int i = 0;

	while (i < h->n && h->address[i].port != port)
		i++;
	return i < h->n;
}

const struct host_address *
hosts_find(const struct hosts *h, uint16_t port, bool ip6, const uint8_t *bytes)
{
	for (unsigned int i = 0; i < h->n; i++) {
		const struct host_address *a = &h->address[i];

		if (a->port == port && a->ip6 == ip6 &&
			memcmp(a->bytes + (ip6 ? 0 : 12), bytes, ip6 ? 16 : 4) == 0)
			return a;
	}
	return NULL;
}

void
hosts_deaf_say(const struct hosts *h, const char *engine)
{
	if (h->n == 0 || h->out == NULL)
		return;
	out_warn(h->out,
		"engine %s never receives, so no port answers for the addresses of \"show port host\": use \"set fwd measure\"\n",
		engine);
}

/* The MAC address of a host; NULL: the port's. */
static const char *
mac_text(const struct host_address *h, char text[RTE_ETHER_ADDR_FMT_SIZE])
{
	if (rte_is_zero_ether_addr(&h->mac))
		return NULL;
	rte_ether_format_addr(text, RTE_ETHER_ADDR_FMT_SIZE, &h->mac);
	return text;
}

uint64_t
hosts_save(const struct hosts *h, struct out *to)
{
	for (unsigned int i = 0; i < h->n; i++) {
		const struct host_address *a = &h->address[i];
		char text[INET6_ADDRSTRLEN], mac[RTE_ETHER_ADDR_FMT_SIZE];
		const char *const own = mac_text(a, mac);

		out_text(to, "set port %u host %s/%u%s%s\n", a->port, address_text(a, text),
			a->prefix, own != NULL ? " mac " : "", own != NULL ? own : "");
	}
	return h->n;
}

void
hosts_show(const struct hosts *h, struct out *to)
{
	out_nest(to, "hosts", OUT_ARRAY);
	if (h->n == 0)
		out_text(to,
			"No port has an address: use \"set port P host ADDRESS\", then \"set fwd measure\"\n");
	for (unsigned int i = 0; i < h->n; i++) {
		const struct host_address *one = &h->address[i];
		char text[INET6_ADDRSTRLEN], mac[RTE_ETHER_ADDR_FMT_SIZE];

		out_nest(to, NULL, OUT_OBJECT);
		out_u64(to, "port", "Port %" PRIu64, one->port);
		out_str(to, "address", " answers for %s", address_text(one, text));
		out_u64(to, "prefix", "/%" PRIu64, one->prefix);
		out_str(to, "mac", mac_text(one, mac) != NULL ? " with MAC address %s" : NULL,
			mac_text(one, mac));
		out_text(to, " in runs of engine measure\n");
		out_unnest(to);
	}
	out_unnest(to);
}
