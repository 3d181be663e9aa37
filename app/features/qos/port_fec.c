/* Show and set forward error correction of a port's link. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_fec.h"

#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "port/port.h"
#include "port/port_info.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
unreadable(const struct port *p, int ret, const char *what, struct err *e)
{
	return err_set(e, abs(ret), "port %u (%s): cannot read the %s: %s", p->id,
		p->info.driver_name, what, strerror(abs(ret)));
}

static const struct {
	uint32_t capability;
	const char *name;
} fec_modes[] = {
	{ RTE_ETH_FEC_MODE_CAPA_MASK(NOFEC), "off" },
	{ RTE_ETH_FEC_MODE_CAPA_MASK(AUTO), "auto" },
	{ RTE_ETH_FEC_MODE_CAPA_MASK(BASER), "baser" },
	{ RTE_ETH_FEC_MODE_CAPA_MASK(RS), "rs" },
	{ COMPAT_FEC_LLRS, "llrs" },
};

static int
fec_failed(const struct port *p, int ret, struct err *e)
{
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "Function not implemented");
	return unreadable(p, ret, "FEC mode", e);
}

int
port_fec_show(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	uint32_t capability;
	unsigned int i;
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = rte_eth_fec_get(id, &capability);
	if (ret < 0)
		return fec_failed(p, ret, e);
	for (i = 0; capability != 0 && i < ARRAY_SIZE(fec_modes); i++) {
		if (capability != fec_modes[i].capability)
			continue;
		out_u64(ps->out, "port", NULL, id);
		out_str(ps->out, "fec", "%s\n", fec_modes[i].name);
		return 0;
	}
	return err_set(e, EPROTO, "port %u: unknown FEC mode 0x%x", id, capability);
}

static void
fec_speed_show(struct out *o, const struct rte_eth_fec_capa *speed)
{
	unsigned int i;

	out_nest(o, NULL, OUT_OBJECT);
	port_info_speed(o, "%s : ", speed->speed);
	out_nest(o, "fec", OUT_ARRAY);
	for (i = 0; i < ARRAY_SIZE(fec_modes); i++)
		if ((speed->capa & fec_modes[i].capability) != 0)
			out_str(o, "", "%s ", fec_modes[i].name);
	out_unnest(o);
	out_unnest(o);
	out_text(o, "\n");
}

int
port_fec_capabilities(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	struct rte_eth_fec_capa *speeds;
	int i, ret, n;

	if (p == NULL)
		return -ENODEV;
	n = rte_eth_fec_get_capability(id, NULL, 0);
	if (n < 0)
		return fec_failed(p, n, e);
	speeds = calloc(n + 1, sizeof(*speeds));
	if (speeds == NULL)
		return err_set(e, ENOMEM, "no memory for %d FEC capabilities", n);
	ret = rte_eth_fec_get_capability(id, speeds, n);
	if (ret < 0) {
		fec_failed(p, ret, e);
		free(speeds);
		return ret;
	}
	out_u64(ps->out, "port", NULL, id);
	out_text(ps->out, "FEC capabilities:\n");
	out_nest(ps->out, "speeds", OUT_ARRAY);
	for (i = 0; i < RTE_MIN(n, ret); i++)
		fec_speed_show(ps->out, &speeds[i]);
	out_unnest(ps->out);
	free(speeds);
	return 0;
}

/* The capability bit of a mode's name; 0: unknown name. */
static uint32_t
mode_find(const char *mode)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fec_modes); i++)
		if (strcmp(fec_modes[i].name, mode) == 0)
			return fec_modes[i].capability;
	return 0;
}

int
port_fec_set(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	const char *mode = arg_str(a, "mode", "");
	const struct port *p = port_find(ps, id, e);
	const uint32_t capability = mode_find(mode);
	int ret;

	if (p == NULL)
		return -ENODEV;
	if (capability == 0)
		return err_set(e, EINVAL, "Unknown fec mode: %s for port %u", mode, id);
	ret = rte_eth_fec_set(id, capability);
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "Function not implemented");
	if (ret < 0)
		return err_set(e, -ret, "Set FEC mode failed: port %u (driver %s): %s", id,
			p->info.driver_name, strerror(-ret));
	return 0;
}

static const struct cmd_row show_rows[] = {
	{ "show port <port:port> fec_mode", arg_on_port, "show the forward error correction in use",
		NULL, ARG_ON_PORT(port_fec_show), .shows = true },
	{ "show port <port:port> fec capabilities", arg_on_port,
		"show forward error correction by link speed", NULL,
		ARG_ON_PORT(port_fec_capabilities), .shows = true },
};

const struct cmd_table cmds_fec_show = { "display", "forward error correction", show_rows,
	ARRAY_SIZE(show_rows), CMD_DISPLAY };

static const struct cmd_row rows[] = {
	{ "set port <port:port> fec_mode <mode:str>", arg_on_ports,
		"set forward error correction: auto, off, rs, baser or llrs", NULL,
		ARG_ON_PORTS(port_fec_set) },
};

const struct cmd_table cmds_fec = { "ports", "forward error correction", rows, ARRAY_SIZE(rows),
	CMD_OFFLOADS };
