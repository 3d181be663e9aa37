/* UDP ports by which a NIC recognizes tunnels. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_tunnel.h"

#include "base/base.h"
#include "base/err.h"
#include "port/port.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum rte_eth_tunnel_type type;
} types[] = {
	{ "vxlan", RTE_ETH_TUNNEL_TYPE_VXLAN },
	{ "geneve", RTE_ETH_TUNNEL_TYPE_GENEVE },
	{ "vxlan-gpe", RTE_ETH_TUNNEL_TYPE_VXLAN_GPE },
	{ "ecpri", RTE_ETH_TUNNEL_TYPE_ECPRI },
};

int
port_tunnel_udp(struct ports *ps, uint16_t id, const char *type, uint16_t udp_port, bool add,
	struct err *e)
{
	struct rte_eth_udp_tunnel tunnel = { .udp_port = udp_port };
	unsigned int i = 0;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	while (type != NULL && i < ARRAY_SIZE(types) && strcmp(types[i].name, type) != 0)
		i++;
	if (i == ARRAY_SIZE(types))
		return err_set(e, EINVAL, "Invalid tunnel type %s", type);
	tunnel.prot_type = types[i].type;
	ret = add ? rte_eth_dev_udp_tunnel_port_add(id, &tunnel)
		  : rte_eth_dev_udp_tunnel_port_delete(id, &tunnel);
	if (ret >= 0)
		return 0;
	return err_set(e, -ret, "udp tunneling %sadd error: (%s)", type != NULL ? "port " : "",
		strerror(-ret));
}
