/* Mode pinned: the pool in external memory into which ports receive. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct engine_ports;
struct err;
struct rte_mempool;

/*
 * prepare() of struct engine: with mode pinned, a pool in the memory that is set, or in a region
 * that the engine creates, accessible by all ports. Errors: those of pinned_prepare().
 */
int extbuf_pinned_prepare(const void *config, const struct engine_ports *ports,
	struct rte_mempool **pool, struct err *e);
