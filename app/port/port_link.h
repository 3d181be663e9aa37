/* Links of ports: check them as testpmd does, wait for them, set them up and down. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct interrupt;
struct port;
struct ports;

#define PORT_LINK_WAIT_S 9 /* the limit of testpmd's check */

/*
 * After ports were started or stopped: wait for the links of the started ports among ids[0..n),
 * unless link-check is off: up to 9 s, or 100 ms with link interrupts; without these, show all links.
 * Prints testpmd's lines. Thread: control, all of this file.
 */
void port_links_check(struct ports *ps, const uint16_t *ids, unsigned int n);

/* Before a started port stops: remember whether it loses its link by that. */
void port_link_stopping(struct port *p);

/*
 * Before a run: wait up to 9 s for the links of those started ports among ids[0..n) whose link_due is
 * set, unless link-check is off, and read all of them once otherwise. No port is waited for twice
 * after one start. show: say what is waited for, and warn of each port whose link is down then.
 * interrupt: may be NULL. Errors: EINTR a signal, which remains pending.
 */
int port_links_await(struct ports *ps, const uint16_t *ids, unsigned int n,
	struct interrupt *interrupt, bool show, struct err *e);

/*
 * Wait until the link of port id, or of every port for PORT_ALL, is up (or down), at most that many
 * seconds, and show the links. A port whose driver does not report links counts as up. JSON:
 * {"ports": [{"port", "link_up", "link_mbps"}], "waited_s"}; link_up is null if unknown. Errors name
 * each port: ENODEV no such port; ENETDOWN it is not started; ETIMEDOUT; EINTR a signal on
 * interrupt, which remains pending; ENOTSUP the driver reports no links; errors of the driver.
 */
int port_link_wait(struct ports *ps, uint16_t id, bool up, double seconds,
	struct interrupt *interrupt, struct err *e);

/* Set the link of one port up or down. */
int port_link_up(struct ports *ps, uint16_t id, struct err *e);
int port_link_down(struct ports *ps, uint16_t id, struct err *e);
