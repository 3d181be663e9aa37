/* Devices on their buses, with or without ports: parse device names (devargs) and show devices
 * (show device info). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/device.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "port/port.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BORDER "*********************"

static const struct {
	uint32_t bit;
	const char *name;
} speeds[] = {
	{ RTE_ETH_LINK_SPEED_FIXED, "Disable autonegotiate (fixed speed)" },
	{ RTE_ETH_LINK_SPEED_10M_HD, "10 Mbps half-duplex" },
	{ RTE_ETH_LINK_SPEED_10M, "10 Mbps full-duplex" },
	{ RTE_ETH_LINK_SPEED_100M_HD, "100 Mbps half-duplex" },
	{ RTE_ETH_LINK_SPEED_100M, "100 Mbps full-duplex" },
	{ RTE_ETH_LINK_SPEED_1G, "1 Gbps" },
	{ RTE_ETH_LINK_SPEED_2_5G, "2.5 Gbps" },
	{ RTE_ETH_LINK_SPEED_5G, "5 Gbps" },
	{ RTE_ETH_LINK_SPEED_10G, "10 Gbps" },
	{ RTE_ETH_LINK_SPEED_20G, "20 Gbps" },
	{ RTE_ETH_LINK_SPEED_25G, "25 Gbps" },
	{ RTE_ETH_LINK_SPEED_40G, "40 Gbps" },
	{ RTE_ETH_LINK_SPEED_50G, "50 Gbps" },
	{ RTE_ETH_LINK_SPEED_56G, "56 Gbps" },
	{ RTE_ETH_LINK_SPEED_100G, "100 Gbps" },
	{ RTE_ETH_LINK_SPEED_200G, "200 Gbps" },
	{ COMPAT_LINK_SPEED_400G, "400 Gbps" },
	{ COMPAT_LINK_SPEED_800G, "800 Gbps" },
};

static void
speeds_show(struct out *o, uint32_t capability)
{
	unsigned int i;

	out_text(o, "\n\tDevice speed capability:");
	out_nest(o, "speeds", OUT_ARRAY);
	if (capability == RTE_ETH_LINK_SPEED_AUTONEG)
		out_str(o, "", " %s", "Autonegotiate (all speeds)");
	for (i = 0; i < ARRAY_SIZE(speeds); i++)
		if ((capability & speeds[i].bit) != 0)
			out_str(o, "", " %s  ", speeds[i].name);
	out_unnest(o);
}

static void
port_show(struct out *o, uint16_t id)
{
	char name[RTE_ETH_NAME_MAX_LEN] = "", mac_text[RTE_ETHER_ADDR_FMT_SIZE];
	struct rte_eth_dev_info info;
	struct rte_ether_addr mac;

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "port", "\n\tPort id: %-2" PRIu64, id);
	if (rte_eth_macaddr_get(id, &mac) == 0) {
		rte_ether_format_addr(mac_text, sizeof(mac_text), &mac);
		out_str(o, "mac", "\n\tMAC address: %s", mac_text);
	}
	compat_port_name(id, name);
	out_str(o, "name", "\n\tDevice name: %s", name);
	if (rte_eth_dev_info_get(id, &info) == 0)
		speeds_show(o, info.speed_capa);
	out_text(o, "\n");
	out_unnest(o);
}

static void
one_show(struct out *o, const struct rte_device *dev)
{
	const struct rte_devargs *devargs = rte_dev_devargs(dev);
	const char *bus_info = rte_dev_bus_info(dev);
	uint16_t id;

	out_nest(o, NULL, OUT_OBJECT);
	out_text(o, "\n%s Infos for device ", BORDER);
	out_str(o, "name", "%s " BORDER "\n", rte_dev_name(dev));
	out_str(o, "bus", "Bus name: %s", rte_bus_name(rte_dev_bus(dev)));
	out_str(o, "bus_info", "\nBus information: %s", bus_info != NULL ? bus_info : "");
	out_str(o, "driver", "\nDriver name: %s", rte_driver_name(rte_dev_driver(dev)));
	out_str(o, "devargs", "\nDevargs: %s",
		devargs != NULL && devargs->args != NULL ? devargs->args : "");
	out_i64(o, "socket", "\nConnect to socket: %" PRId64 "\n", rte_dev_numa_node(dev));
	out_nest(o, "ports", OUT_ARRAY);
	RTE_ETH_FOREACH_DEV_OF(id, dev)
	{
		port_show(o, id);
	}
	out_unnest(o);
	out_unnest(o);
}

/* Show the devices of a bus that have a driver, or only name. Returns the number shown. */
static unsigned int
bus_show(struct out *o, const struct rte_bus *bus, const char *name)
{
	struct rte_dev_iterator it;
	struct rte_device *dev;
	unsigned int n = 0;
	char filter[64];

	snprintf(filter, sizeof(filter), "bus=%s", rte_bus_name(bus));
	RTE_DEV_FOREACH(dev, filter, &it)
	{
		if (rte_dev_driver(dev) == NULL ||
			(name != NULL && strcmp(name, rte_dev_name(dev)) != 0))
			continue;
		one_show(o, dev);
		n++;
	}
	return n;
}

static int
any_bus(const struct rte_bus *bus, const void *ctx)
{
	return 0;
}

int
device_show(struct ports *ps, const struct args *a, struct err *e)
{
	const char *name = arg_is(a, "device", "all") ? NULL : arg_str(a, "device", NULL);
	struct rte_devargs devargs = { 0 };
	struct rte_bus *bus = NULL;
	unsigned int n = 0;

	if (name != NULL && !device_parse(&devargs, name))
		return err_set(e, EINVAL,
			"cannot parse identifier %s: expected a bus address or a name such as net_null0; "
			"use \"show device info all\" for a list",
			name);
	out_nest(ps->out, "devices", OUT_ARRAY);
	while ((bus = rte_bus_find(bus, any_bus, NULL)) != NULL)
		if (name == NULL || devargs.bus == bus)
			n += bus_show(ps->out, bus, name != NULL ? devargs.name : NULL);
	out_unnest(ps->out);
	rte_devargs_reset(&devargs);
	if (name != NULL && n == 0)
		return err_set(e, ENODEV,
			"no device %s with a driver; use \"show device info all\" for a list",
			name);
	return 0;
}

void
device_limit_warn(const struct ports *ps)
{
	char names[64] = "";
	struct rte_dev_iterator it;
	struct rte_device *dev;
	unsigned int n = 0;

	if (rte_eth_dev_count_total() < RTE_MAX_ETHPORTS)
		return;
	RTE_DEV_FOREACH(dev, "bus=vdev", &it)
	{
		if (rte_dev_is_probed(dev))
			continue;
		if (n++ == 0)
			snprintf(names, sizeof(names), "%s", rte_dev_name(dev));
	}
	if (n > 0)
		out_warn(ps->out, "%s has no port%s: all %u ports exist, " PORT_LIMIT "\n", names,
			n > 1 ? ", nor have others after it" : "", RTE_MAX_ETHPORTS);
}

/* True if the first key is bus or class without a value; empty keys before it are ignored. */
static bool
no_value(const char *identifier)
{
	static const char *const keys[] = { "bus", "class" };
	const char *key = identifier + strspn(identifier, ",");
	const size_t n = strcspn(key, "=,/");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (key[n] != '=' && n == strlen(keys[i]) && strncmp(key, keys[i], n) == 0)
			return true;
	return false;
}

bool
device_parse(struct rte_devargs *d, const char *identifier)
{
	memset(d, 0, sizeof(*d));
	if (no_value(identifier) || rte_devargs_parsef(d, "%s", identifier) != 0)
		return false;
	if (d->bus != NULL && d->name[0] != '\0')
		return true;
	rte_devargs_reset(d);
	return false;
}
