/* Traffic classes in what a port is configured with. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct port;

/*
 * Make the port's conf say it, before it is configured; nothing where it has no classes.
 * Thread: control, all of this file.
 */
void port_dcb_conf_complete(struct port *p);

/* The port is configured: packets of the VLANs that testpmd uses there, 0..31, come in. */
void port_dcb_conf_done(const struct port *p);
