/* What the drivers of ports make of external buffers: the verdicts shown, and fast free not asked
 * for where it would do harm. */
#pragma once

#include <stdint.h>

struct err;
struct out;
struct port;
struct ports;

/*
 * Answer show port P extbuf: each queue's function, and for each use ok, mended or refused, with
 * the reason. JSON: {"ports":[{"port", "driver", "rx":[{"queue", "function", "known", "pool",
 * "pinned_pool", "pinned":{"verdict", "reason"}, ...}], "tx":[...]}]}. id: PORT_ALL: all. Errors:
 * ENODEV; EBUSY for a stopped port. Thread: control, all of this file.
 */
int port_extbuf_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * The transmit offloads that a port may be asked for, of those wanted: without fast free where all
 * pools are pinned (mp-alloc=xbuf) and nobody knows that the driver bears with that; a line says
 * so. Source: RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE, whose rules leave external buffers out since
 * 24.11.
 */
uint64_t port_extbuf_offloads(const struct ports *ps, const struct port *p, uint64_t wanted);
