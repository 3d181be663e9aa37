/* Physical properties of a port: LED, loopback, speed lanes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_link.h"

#include "base/err.h"
#include "base/out.h"
#include "compat.h"
#include "port/port.h"
#include "port/port_info.h"
#include "port/port_setup.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPEEDS_MAX 32

int
port_link_led(struct ports *ps, uint16_t id, bool on, struct err *e)
{
	int ret;

	if (port_at(ps, id) == NULL)
		return err_set(e, ENODEV, "Error: Invalid port number %u", id);
	ret = on ? rte_eth_led_on(id) : rte_eth_led_off(id);
	return ret >= 0 ? 0
			: err_set(e, -ret, "Error: Unable to change LED state for port %u: %s", id,
				  strerror(-ret));
}

/* The ports that a command names; all must be prepared and stopped. */
static int
stopped(struct ports *ps, uint16_t id, uint16_t *ids, unsigned int *n, struct err *e)
{
	unsigned int i;
	int ret = port_named(ps, id, ids, n, e);

	if (ret != 0)
		return ret;
	if (id == PORT_ALL && !port_all_stopped(ps))
		return err_set(e, EBUSY, "Please stop all ports first");
	for (i = 0; i < *n; i++)
		if (port_setup_stopped(ps, ids[i], e) == NULL)
			return -e->code;
	return 0;
}

int
port_link_loopback(struct ports *ps, uint16_t id, uint32_t mode, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n;
	int ret = stopped(ps, id, ids, &n, e);

	for (i = 0; ret == 0 && i < n; i++) {
		struct port *p = port_at(ps, ids[i]);

		p->conf.lpbk_mode = mode;
		p->configured = false;
	}
	return ret;
}

static int
lanes_failed(const struct port *p, int ret, const char *what, struct err *e)
{
	if (ret == -ENOSYS)
		return err_set(e, ENOSYS, "speed lanes: needs DPDK 24.11, this is %s",
			rte_version());
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "Function not implemented");
	return err_set(e, -ret, "%s speed lanes failed: port %u (driver %s): %s", what, p->id,
		p->info.driver_name, strerror(-ret));
}

int
port_link_lanes(struct ports *ps, uint16_t id, uint32_t lanes, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n;
	int ret = stopped(ps, id, ids, &n, e);

	for (i = 0; ret == 0 && i < n; i++) {
		struct port *p = port_at(ps, ids[i]);
		int set_ret = compat_speed_lanes_set(p->id, lanes);

		if (set_ret < 0)
			ret = lanes_failed(p, set_ret, "Set", e);
		else
			p->configured = false;
	}
	return ret;
}

/* Show one speed and its possible lane counts, the numbers of the set bits. */
static void
lanes_show(struct out *o, const struct compat_speed_lanes *speed)
{
	unsigned int bit;

	out_nest(o, NULL, OUT_OBJECT);
	port_info_speed(o, "%-17s ", speed->speed);
	out_nest(o, "lanes", OUT_ARRAY);
	for (bit = 0; bit < 32; bit++)
		if ((speed->lanes & RTE_BIT32(bit)) != 0)
			out_u64(o, "", "%-2" PRIu64 " ", bit);
	out_unnest(o);
	out_unnest(o);
	out_text(o, "\n");
}

int
port_link_lanes_show(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	struct compat_speed_lanes speeds[SPEEDS_MAX];
	int i, n;

	if (p == NULL)
		return -ENODEV;
	n = compat_speed_lanes_get(id, speeds, SPEEDS_MAX);
	if (n < 0)
		return lanes_failed(p, n, "Get", e);
	out_u64(ps->out, "port", NULL, id);
	out_text(ps->out, "\n%-15s %-10s", "Supported-speeds", "Valid-lanes");
	out_text(ps->out, "\n-----------------------------------\n");
	out_nest(ps->out, "speeds", OUT_ARRAY);
	for (i = 0; i < RTE_MIN(n, SPEEDS_MAX); i++)
		lanes_show(ps->out, &speeds[i]);
	out_unnest(ps->out);
	return 0;
}
