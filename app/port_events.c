/* Events of ports: noted by the interrupt thread, said and acted on by the control thread. */
#include "port_events.h"

#include "base.h"
#include "err.h"
#include "out.h"
#include "port.h"

#include <stdio.h>

static_assert(RTE_ETH_EVENT_MAX <= 32, "struct port keeps events in 32 bits");

/* Events worth a line by default, as in testpmd. */
static const struct {
	enum rte_eth_event_type type;
	const char *text;
} told[] = {
	{ RTE_ETH_EVENT_UNKNOWN, "unknown" },
	{ RTE_ETH_EVENT_INTR_LSC, "link state change" },
	{ RTE_ETH_EVENT_QUEUE_STATE, "queue state" },
	{ RTE_ETH_EVENT_INTR_RESET, "reset" },
	{ RTE_ETH_EVENT_IPSEC, "IPsec" },
	{ RTE_ETH_EVENT_MACSEC, "MACsec" },
	{ RTE_ETH_EVENT_INTR_RMV, "device removal" },
	{ RTE_ETH_EVENT_FLOW_AGED, "flow aged" },
	{ RTE_ETH_EVENT_ERR_RECOVERING, "error recovering" },
	{ RTE_ETH_EVENT_RECOVERY_SUCCESS, "error recovery successful" },
	{ RTE_ETH_EVENT_RECOVERY_FAILED, "error recovery failed" },
};

/* Thread: interrupt, or whoever attaches and detaches. Nothing but atomics here. */
static int
note(uint16_t id, enum rte_eth_event_type type, void *arg, void *ret_param)
{
	struct ports *ps = arg;

	if (id >= RTE_MAX_ETHPORTS || type >= RTE_ETH_EVENT_MAX)
		return 0;
	if (type == RTE_ETH_EVENT_INTR_RMV)
		atomic_store(&ps->port[id].removed, true);
	atomic_fetch_or(&ps->port[id].events, 1u << type);
	return 0;
}

void
port_events_listen(struct ports *ps)
{
	int type;

	if (ps->listening)
		return;
	for (type = RTE_ETH_EVENT_UNKNOWN; type < RTE_ETH_EVENT_MAX; type++)
		rte_eth_dev_callback_register(RTE_ETH_ALL, (enum rte_eth_event_type)type, note, ps);
	ps->listening = true;
}

void
port_events_ignore(struct ports *ps)
{
	int type;

	if (!ps->listening)
		return;
	for (type = RTE_ETH_EVENT_UNKNOWN; type < RTE_ETH_EVENT_MAX; type++)
		rte_eth_dev_callback_unregister(RTE_ETH_ALL, (enum rte_eth_event_type)type, note,
			ps);
	ps->listening = false;
}

void
port_events_closed(struct ports *ps)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);

	for (i = 0; i < n; i++) {
		struct port *p = &ps->port[ids[i]];

		if (rte_eth_dev_is_valid_port(ids[i]))
			continue;
		p->state = PORT_ABSENT;
		p->closed = true;
		out_say(ps->out, "Port %u is closed\n", ids[i]);
	}
}

/* Stop, close and detach a port whose device went away. Half of it fails: the device is gone. */
static void
part_with(struct ports *ps, uint16_t id)
{
	static int (*const steps[])(struct ports * ps, uint16_t port, struct err * e) = { port_stop,
		port_close, port_detach };
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		err_clear(&e);
		if (steps[i](ps, id, &e) != 0)
			out_warn(ps->out, "%s\n", e.text);
	}
	atomic_store(&ps->port[id].removed, false);
}

unsigned int
port_events_show(struct ports *ps)
{
	unsigned int waiting = 0;
	uint16_t id;

	for (id = 0; id < RTE_MAX_ETHPORTS; id++) {
		struct port *p = &ps->port[id];
		unsigned int events = atomic_exchange(&p->events, 0);

		for (size_t i = 0; events != 0 && i < ARRAY_SIZE(told); i++)
			if ((events & (1u << told[i].type)) != 0)
				out_say(ps->out, "\nPort %u: %s event\n", id, told[i].text);
		if (!atomic_load(&p->removed))
			continue;
		if (ps->forwarding)
			waiting++;
		else
			part_with(ps, id);
	}
	if (!ps->forwarding)
		port_events_closed(ps);
	return waiting;
}
