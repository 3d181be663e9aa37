/* Events of ethdev and of the kernel's hotplug: registered, remembered by the interrupt thread,
 * told by the control thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Register for the events of all ports, once; and stop listening. Thread: control, all of this
 * file.
 */
void port_events_listen(struct ports *ps);
void port_events_ignore(struct ports *ps);

/* Say what happened to a port since the last call ("Port 0: link state change event"). */
void port_events_say(struct ports *ps, uint16_t id);

/* Take ports out of the table whose ethdev is gone, and say so ("Port 0 is closed"). */
void port_events_closed(struct ports *ps);

/*
 * Tell of events of a kind ("intr_lsc", "vf_mbox", ..., "all"), or no longer, as --print-event and
 * --mask-event do. By default all are told but VF messages, birth, end and thresholds. EINVAL for a
 * word that names none, with those that do.
 */
int port_events_tell(struct ports *ps, const char *word, bool tell, struct err *e);

/*
 * Watch for devices that come and go when the setting hot-plug is on: port_handle_events() detaches
 * those that went. Errors: what EAL said.
 */
int port_events_hotplug_begin(struct ports *ps, struct err *e);

/* Watch no longer. */
void port_events_hotplug_end(struct ports *ps);
