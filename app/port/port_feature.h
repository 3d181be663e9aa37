/* Port features (app/features/): their state per port, and their functions that are called when a
 * port is configured, started, stopped or closed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

struct err;
struct port;
struct ports;

enum port_moment {
	PORT_CONFIGURED, /* rte_eth_dev_configure() succeeded */
	PORT_CHANGED,    /* the port was started or stopped, see its state */
	PORT_STOPPING,   /* before rte_eth_dev_stop() */
	PORT_CLOSING,    /* stopped, before its streams and captures end */
	PORT_CLOSED,     /* right before rte_eth_dev_close() */
	PORT_MOMENTS
};

/*
 * A feature, listed in port_features in the meson.build of its folder. Functions may be NULL.
 * ports.reading is held during configure(), PORT_CONFIGURED, PORT_STOPPING and PORT_CLOSED.
 */
struct port_feature {
	const char *name;
	size_t state_size; /* bytes for each port, zeroed when the port appears */
	/* Complete p->conf before rte_eth_dev_configure(). An error ends the start of the port. */
	int (*configure)(struct ports *ps, struct port *p, struct err *e);
	/* Before the lcores of a run poll the queues of p. An error ends the start of the run. */
	int (*run)(struct ports *ps, struct port *p, struct err *e);
	void (*at[PORT_MOMENTS])(struct ports *ps, struct port *p);
};

/*
 * Use the features of a list that ends with NULL, and allocate their states. Errors: ENOMEM.
 * Thread: control, all of this file.
 */
int port_features_open(struct ports *ps, const struct port_feature *const *list, struct err *e);
void port_features_close(struct ports *ps);

/* Return the state of a feature for a port, state_size bytes. */
void *port_feature_state(const struct port *p, const struct port_feature *f);

/* Call configure() of all features in list order, until one fails; its error is returned. */
int port_features_configure(struct ports *ps, struct port *p, struct err *e);
void port_features_at(struct ports *ps, struct port *p, enum port_moment moment);

/* Call run() of all features for every port before a run. */
int port_features_run(struct ports *ps, struct err *e);
