/* Configuration of single queues, and of offloads of queues and whole ports. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/* Descriptors of one queue, 0: the setting's. */
int port_conf_ring_size(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint64_t n,
	struct err *e);

/* Start or stop one queue of a started port; not while forwarding. */
int port_conf_queue_run(struct ports *ps, uint16_t id, bool rx, uint16_t queue, bool start,
	struct err *e);

/* Leave the queue stopped when the port starts. Port stopped. */
int port_conf_queue_deferred(struct ports *ps, uint16_t id, bool rx, uint16_t queue, bool on,
	struct err *e);

/* Set the queue up now, with its present configuration; not while forwarding. */
int port_conf_queue_setup(struct ports *ps, uint16_t id, bool rx, uint16_t queue, struct err *e);

/*
 * Switch offloads (RTE_ETH_{RX,TX}_OFFLOAD_* bits) of a port or PORT_ALL, or of one queue. Ports
 * stopped.
 */
int port_conf_offload(struct ports *ps, uint16_t id, bool rx, uint64_t offload, bool on,
	struct err *e);
int port_conf_queue_offload(struct ports *ps, uint16_t id, bool rx, uint16_t queue,
	uint64_t offload, bool on, struct err *e);
