/* What happens to ports by itself, or as a consequence of detaching; between the files of the port only. */
#pragma once

struct ports;

/* Register for the events of all ports, once; and stop listening. Thread: control, all of this file. */
void port_events_listen(struct ports *ps);
void port_events_ignore(struct ports *ps);

/* Take ports out of the table whose ethdev is gone, and say so ("Port 0 is closed"). */
void port_events_closed(struct ports *ps);
