/* Initialises and ends a stream of the engine gpu: the device, its kernel, memory for batches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct engine_ports;
struct err;
struct rte_mempool;
struct stream;

/* prepare(), init(), fini() and forget() of struct engine. */
int gpu_setup_prepare(const void *config, const struct engine_ports *ports,
	struct rte_mempool **pool, struct err *e);
int gpu_setup(struct stream *s, struct err *e);
void gpu_setup_end(struct stream *s);
void gpu_setup_forget(struct stream *s);
