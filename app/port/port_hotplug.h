/* Devices that are pulled while the program runs, as --hot-plug asks. */
#pragma once

struct err;
struct ports;

/*
 * Watch for devices that come and go when the setting hot-plug is on: ports of one that went are
 * parted with before the next prompt. Errors: what EAL said. Thread: control, all of this file.
 */
int port_hotplug_begin(struct ports *ps, struct err *e);

/* Watch no longer. */
void port_hotplug_end(struct ports *ps);
