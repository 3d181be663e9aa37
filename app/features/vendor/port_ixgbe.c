/* Functions of net_ixgbe beyond ethdev: MACsec and bypass. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/vendor/port_ixgbe.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/vendor/port_driver.h"
#include "port/port.h"
#include "port/port_conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OWN(function) PORT_DRIVER_OWN("net_ixgbe", rte_pmd_ixgbe_##function)
#define LACKS .lacks = "not supported on port %u"

#ifdef RTE_NET_IXGBE
#define FORM(function, type) \
	static_assert(sizeof((type)NULL == &rte_pmd_ixgbe_##function), "unexpected signature")
#else
#define FORM(function, type) static_assert(1, "not in this DPDK")
#endif

typedef int (*just_port)(uint16_t);
typedef int (*two_switches)(uint16_t, uint8_t, uint8_t);
typedef int (*tx_channel)(uint16_t, uint8_t *);
typedef int (*rx_channel)(uint16_t, uint8_t *, uint16_t);
typedef int (*association)(uint16_t, uint8_t, uint8_t, uint32_t, uint8_t *);
typedef int (*value)(uint16_t, uint32_t);
typedef int (*value_get)(uint16_t, uint32_t *);
typedef int (*event_get)(uint16_t, uint32_t, uint32_t *);
typedef int (*event_set)(uint16_t, uint32_t, uint32_t);

FORM(macsec_enable, two_switches);
FORM(macsec_disable, just_port);
FORM(macsec_config_txsc, tx_channel);
FORM(macsec_config_rxsc, rx_channel);
FORM(macsec_select_txsa, association);
FORM(macsec_select_rxsa, association);
FORM(bypass_init, just_port);
FORM(bypass_state_show, value_get);
FORM(bypass_state_set, value_get);
FORM(bypass_event_show, event_get);
FORM(bypass_event_store, event_set);
FORM(bypass_wd_timeout_store, value);

static const uint64_t none[3];

/* The port, which must be stopped; NULL with e filled. */
static struct port *
stopped(struct ports *ps, uint16_t id, struct err *e)
{
	struct port *p = port_find(ps, id, e);

	if (p != NULL && p->state == PORT_STARTED) {
		err_set(e, EBUSY, "Please stop port %u first", id);
		return NULL;
	}
	return p;
}

static bool
has_macsec(const struct port *p, struct err *e)
{
	const bool has = (p->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MACSEC_INSERT) != 0;

	if (!has)
		err_set(e, ENOTSUP, "not supported on port %u (%s)", p->id, p->info.driver_name);
	return has;
}

int
port_ixgbe_macsec_on(struct ports *ps, uint16_t id, bool encrypt, bool replay_protect,
	struct err *e)
{
	static const struct port_driver_op op = { { OWN(macsec_enable) }, LACKS };
	const struct port *p = stopped(ps, id, e);
	port_driver_call call;

	if (p == NULL || !has_macsec(p, e))
		return -e->code;
	call = port_driver_find(ps, id, &op, NULL, e);
	if (call == NULL ||
		port_driver_result(ps, id, &op, none,
			((two_switches)call)(id, encrypt, replay_protect), e) != 0)
		return -e->code;
	return port_conf_offload(ps, id, false, RTE_ETH_TX_OFFLOAD_MACSEC_INSERT, true, e);
}

int
port_ixgbe_macsec_off(struct ports *ps, uint16_t id, struct err *e)
{
	static const struct port_driver_op op = { { OWN(macsec_disable) }, LACKS };
	const struct port *p = stopped(ps, id, e);
	port_driver_call call;

	if (p == NULL || !has_macsec(p, e))
		return -e->code;
	call = port_driver_find(ps, id, &op, NULL, e);
	if (call == NULL || port_driver_result(ps, id, &op, none, ((just_port)call)(id), e) != 0)
		return -e->code;
	return port_conf_offload(ps, id, false, RTE_ETH_TX_OFFLOAD_MACSEC_INSERT, false, e);
}

int
port_ixgbe_macsec_channel(struct ports *ps, uint16_t id, bool tx, const struct rte_ether_addr *mac,
	uint16_t number, struct err *e)
{
	static const struct port_driver_op ops[] = { { { OWN(macsec_config_rxsc) }, LACKS },
		{ { OWN(macsec_config_txsc) }, LACKS } };
	const struct port_driver_op *op = &ops[tx];
	struct rte_ether_addr to = *mac;
	port_driver_call call = port_driver_find(ps, id, op, NULL, e);
	int ret;

	if (call == NULL)
		return -e->code;
	ret = tx ? ((tx_channel)call)(id, to.addr_bytes)
		 : ((rx_channel)call)(id, to.addr_bytes, number);
	return port_driver_result(ps, id, op, none, ret, e);
}

int
port_ixgbe_macsec_association(struct ports *ps, uint16_t id, bool tx,
	const struct port_ixgbe_association *with, struct err *e)
{
	static const struct port_driver_op ops[] = { { { OWN(macsec_select_rxsa) },
							     "invalid idx %u or an %u", LACKS },
		{ { OWN(macsec_select_txsa) }, "invalid idx %u or an %u", LACKS } };
	const struct port_driver_op *op = &ops[tx];
	const uint64_t n[3] = { with->index, with->number };
	struct port_ixgbe_association to = *with;
	port_driver_call call = port_driver_find(ps, id, op, NULL, e);

	if (call == NULL)
		return -e->code;
	return port_driver_result(ps, id, op, n,
		((association)call)(id, to.index, to.number, to.packet, to.key), e);
}

int
port_ixgbe_bypass(struct ports *ps, uint16_t id, struct err *e)
{
	static const struct port_driver_op op = { { OWN(bypass_init) } };
	const struct port *p = port_find(ps, id, e);
	port_driver_call call;

	if (p == NULL)
		return -e->code;
	if (p->state == PORT_STARTED)
		return err_set(e, EBUSY,
			"Cannot change bypass configuration while port is started, please stop it and retry");
	call = port_driver_find(ps, id, &op, NULL, e);
	if (call == NULL)
		return -e->code;
	return port_driver_result(ps, id, &op, none, ((just_port)call)(id), e);
}

#define NO_BYPASS .lacks = "Bypass is not enabled on this port."

/* Read the current mode. This reports ports without bypass for all commands. */
static int
mode_get(struct ports *ps, uint16_t id, uint32_t *mode, struct err *e)
{
	static const struct port_driver_op op = { { OWN(bypass_state_show) }, NO_BYPASS };
	port_driver_call call = port_driver_find(ps, id, &op, NULL, e);

	if (call == NULL)
		return -e->code;
	return port_driver_result(ps, id, &op, none, ((value_get)call)(id, mode), e);
}

/* Modes in the order of the command's words; the driver numbers them from 1. */
static const char *const modes[] = { "UNKNOWN", "normal", "bypass", "isolate" };
static const char *const timeouts[] = { "off", "1.5", "2", "3", "4", "8", "16", "32" };
static const char *const events[] = { "NONE", "OS/board on", "power supply on", "OS/board off",
	"power supply off", "timeout" };

int
port_ixgbe_bypass_mode(struct ports *ps, uint16_t id, uint32_t mode, struct err *e)
{
	static const struct port_driver_op op = { { OWN(bypass_state_set) }, NO_BYPASS };
	uint32_t now, wanted = mode + 1;
	port_driver_call call;

	if (mode_get(ps, id, &now, e) != 0)
		return -e->code;
	call = port_driver_find(ps, id, &op, NULL, e);
	if (call == NULL)
		return -e->code;
	if (((value_get)call)(id, &wanted) != 0)
		return err_set(e, EIO, "Failed to set bypass mode for port = %u.", id);
	return 0;
}

int
port_ixgbe_bypass_event(struct ports *ps, uint16_t id, uint32_t event, uint32_t mode, struct err *e)
{
	static const struct port_driver_op timeout_op = { { OWN(bypass_wd_timeout_store) },
		NO_BYPASS };
	static const struct port_driver_op event_op = { { OWN(bypass_event_store) }, NO_BYPASS };
	port_driver_call timeout_set, call;
	uint32_t now;

	if (mode_get(ps, id, &now, e) != 0)
		return -e->code;
	timeout_set = port_driver_find(ps, id, &timeout_op, NULL, e);
	call = port_driver_find(ps, id, &event_op, NULL, e);
	if (call == NULL || timeout_set == NULL)
		return -e->code;
	if (event + 1 == ARRAY_SIZE(events)) {
		const int ret = ((value)timeout_set)(id, ps->bypass_timeout);

		if (ret != 0)
			return err_set(e, abs(ret),
				"Failed to set timeout value %u for port %u, errto code: %d.",
				ps->bypass_timeout, id, ret);
	}
	if (((event_set)call)(id, event, mode + 1) != 0)
		return err_set(e, EIO, "Failed to set bypass event for port = %u.", id);
	return 0;
}

void
port_ixgbe_bypass_timeout(struct ports *ps, uint32_t timeout)
{
	ps->bypass_timeout = timeout;
}

static const char *
mode_name(uint32_t mode)
{
	return mode < ARRAY_SIZE(modes) ? modes[mode] : modes[0];
}

static void
events_show(struct ports *ps, uint16_t id, event_get get)
{
	struct out *o = ps->out;
	uint32_t i, mode;

	out_nest(o, "events", OUT_ARRAY);
	for (i = 1; i < ARRAY_SIZE(events); i++) {
		if (get(id, i, &mode) != 0) {
			out_warn(o, "\tFailed to get bypass mode for event = %s\n", events[i]);
			continue;
		}
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "event", "\tbypass event: %-16s", events[i]);
		out_str(o, "mode", " = %s\n", mode_name(mode));
		out_unnest(o);
	}
	out_unnest(o);
}

int
port_ixgbe_bypass_show(struct ports *ps, uint16_t id, struct err *e)
{
	static const struct port_driver_op op = { { OWN(bypass_event_show) }, NO_BYPASS };
	port_driver_call call;
	uint32_t mode;

	if (mode_get(ps, id, &mode, e) != 0)
		return -e->code;
	call = port_driver_find(ps, id, &op, NULL, e);
	if (call == NULL)
		return -e->code;
	out_u64(ps->out, "port", NULL, id);
	out_str(ps->out, "mode", "\tbypass mode    = %s\n", mode_name(mode));
	out_str(ps->out, "timeout", "\tbypass timeout = %s\n",
		timeouts[ps->bypass_timeout % ARRAY_SIZE(timeouts)]);
	events_show(ps, id, (event_get)call);
	return 0;
}
