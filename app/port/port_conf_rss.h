/* Which header fields spread packets over the Rx queues: chosen for all ports, at once. */
#pragma once

struct err;
struct ports;

/*
 * Hash types of RSS by name, by number 1..63, "none", "default" or "level-inner"; acts at once on
 * every port.
 */
int port_conf_rss(struct ports *ps, const char *name, struct err *e);
