/* Port features (app/features/): their state, and their functions that are called when a port is
 * configured, started, stopped or closed, before each prompt, and when the program ends. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;
struct port;
struct ports;
struct text;

enum port_moment {
	PORT_CONFIGURED, /* rte_eth_dev_configure() succeeded */
	PORT_CHANGED,    /* the port was started or stopped, see its state */
	PORT_STOPPING,   /* before rte_eth_dev_stop() */
	PORT_CLOSING,    /* before the port closes: it is stopped */
	PORT_LEAVING,    /* after PORT_CLOSING, and before the port's device is detached */
	PORT_CLOSED,     /* right before rte_eth_dev_close() */
	PORT_MOMENTS
};

/*
 * A feature, listed in port_features in the meson.build of its folder. Functions may be NULL.
 * ports.reading is held during configure(), PORT_CONFIGURED, PORT_STOPPING and PORT_CLOSED.
 */
struct port_feature {
	const char *name;
	size_t state_size;                /* bytes for each port, zeroed when the port appears */
	size_t shared_size;               /* bytes for all ports together, zeroed before open() */
	void (*open)(struct ports *ps);   /* when the program begins */
	void (*prompt)(struct ports *ps); /* before each prompt of the shell */
	/* When the program ends, before the ports are closed; also if EAL was never started. */
	void (*end)(struct ports *ps);
	/* Complete p->conf before rte_eth_dev_configure(). An error ends the start of the port. */
	int (*configure)(struct ports *ps, struct port *p, struct err *e);
	/* Before the lcores of a run poll the queues of p. An error ends the start of the run. */
	int (*run)(struct ports *ps, struct port *p, struct err *e);
	void (*at[PORT_MOMENTS])(struct ports *ps, struct port *p);
	/*
	 * Add the queues that have a channel of a DMA device without naming it, "port 1 queue 0 tx";
	 * sets t->cut if some may be missing, without memory. Thread: control, or any that holds
	 * ports.reading.
	 */
	void (*dma_queues)(struct text *t, int16_t dma);
};

/*
 * Use the features of a list that ends with NULL: allocate their states and call open() of each.
 * Errors: ENOMEM.
 * Thread: control, all of this file, except for port_features_dma_queues().
 */
int port_features_open(struct ports *ps, const struct port_feature *const *list, struct err *e);
void port_features_close(struct ports *ps);

/* Return the state of a feature for a port, state_size bytes. */
void *port_feature_state(const struct port *p, const struct port_feature *f);

/* Return what a feature has for all ports together, shared_size bytes. */
void *port_feature_shared(const struct ports *ps, const struct port_feature *f);

/* Call prompt() or end() of all features. */
void port_features_prompt(struct ports *ps);
void port_features_end(struct ports *ps);

/* Call configure() of all features in list order, until one fails; its error is returned. */
int port_features_configure(struct ports *ps, struct port *p, struct err *e);
void port_features_at(struct ports *ps, struct port *p, enum port_moment moment);

/* Call dma_queues() of all features. Thread: as that. */
void port_features_dma_queues(const struct ports *ps, struct text *t, int16_t dma);

/* Call run() of all features for every port before a run. */
int port_features_run(struct ports *ps, struct err *e);
