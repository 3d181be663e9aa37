/* A port whose device went away is stopped, closed and detached, unless packets are forwarded. */
#include "port/port_events_show.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_attach.h"
#include "port/port_events.h"
#include "port/port_life.h"

#include <stdatomic.h>

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

		port_events_say(ps, id);
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
