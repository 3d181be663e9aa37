/* Features of ports, in app/features/: what each keeps for a port, and what the core of ports calls
 * when a port is configured, starts, stops or closes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

struct err;
struct port;
struct ports;

enum port_moment {
	PORT_CONFIGURED, /* rte_eth_dev_configure() succeeded */
	PORT_CHANGED,    /* it was started or stopped, as its state says */
	PORT_STOPPING,   /* before rte_eth_dev_stop() */
	PORT_CLOSING,    /* stopped, before streams and captures leave it */
	PORT_CLOSED,     /* right before rte_eth_dev_close() */
	PORT_MOMENTS
};

/*
 * One word of port_features in the meson.build of its folder. Functions may be NULL. ports.reading is
 * held during configure(), PORT_CONFIGURED, PORT_STOPPING and PORT_CLOSED.
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
 * Use the features of a list that ends with NULL, and allocate their states. Errors: ENOMEM. Thread:
 * control, all of this file.
 */
int port_features_open(struct ports *ps, const struct port_feature *const *list, struct err *e);
void port_features_close(struct ports *ps);

/* What a feature of the list keeps for a port. */
void *port_feature_state(const struct port *p, const struct port_feature *f);

/* Call all features in the order of the list; the first error ends it. */
int port_features_configure(struct ports *ps, struct port *p, struct err *e);
void port_features_at(struct ports *ps, struct port *p, enum port_moment moment);

/* Call them for every port before a run. */
int port_features_run(struct ports *ps, struct err *e);
