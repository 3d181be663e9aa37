/* Forwards packets unchanged. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/engine.h"

ENGINE_LOOPS(io, NULL, NULL, NULL)

const struct engine engine_io = {
	.name = "io",
	.help = "forward packets unchanged",
	.flags = ENGINE_MOVES,
	.loop = io_loop,
	.recycling = io_recycling,
};
