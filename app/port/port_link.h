/* Links: waiting for them, as testpmd does after start and stop; switching them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Wait up to 9 s for links of started ports unless the setting link-check is off; testpmd's
 * "Checking link statuses..." text.
 */
void port_link_wait(struct ports *ps);

/* The link of one port. */
int port_link_set(struct ports *ps, uint16_t id, bool up, struct err *e);
