/* Both ends of a pipeline for tests of its rings: numbered packets come in by a driver, and have to go out in their order. */
#pragma once

#include "ring_link.h"

/* A driver that gives numbered packets, though none to whom asks for less than it deals in, and one that wants them in order. */
struct ring_wire {
	uint16_t least;   /* receives multiples of it only, as vector functions do */
	uint16_t waiting; /* packets that are there */
	uint16_t asked;   /* by the last receive call */
	unsigned int calls;
	uint32_t next_in, next_out; /* numbers */
	uint32_t skipped;           /* numbers that may be missing: packets that were dropped */
};

extern struct ring_wire ring_wire;

/* The driver's functions, and their place at the ports of the rig. */
uint16_t ring_wire_rx(void *queue, struct rte_mbuf **pkts, uint16_t n);
uint16_t ring_wire_tx(void *queue, struct rte_mbuf **pkts, uint16_t n);

/* Begin with number 0. least: the driver gives multiples of so many. */
void ring_wire_plug(uint16_t least);

/* A ring in a mode, and a stream between the rig's ports; closing it, the pool is full. */
struct ring_link *ring_wire_link(unsigned int size, enum ring_mode mode);
struct stream *ring_wire_stream(uint16_t burst);
void ring_wire_close(struct stream *s);
