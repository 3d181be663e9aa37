/* Receives packets and frees them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/engine.h"

ENGINE_LOOP(rxonly, NULL, NULL, stream_absorb)

const struct engine engine_rxonly = {
	.name = "rxonly",
	.help = "receive packets and free them",
	.flags = ENGINE_NO_TX | ENGINE_MOVES,
	.loop = rxonly_loop,
};
