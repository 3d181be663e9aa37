/* Mode pinned: the pool in external memory that ports receive into. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct engine_ports;
struct err;
struct rte_mempool;

/*
 * As prepare() of struct engine: with mode pinned a pool in the memory that the settings name, or
 * in a region of the engine's own, which all ports reach. Errors: ENOENT, EINVAL, ERANGE of
 * settings; what memory and devices say.
 */
int extbuf_pinned_prepare(const void *config, const struct engine_ports *ports,
	struct rte_mempool **pool, struct err *e);
