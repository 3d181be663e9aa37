/* What the engine ring_pipeline keeps between runs: routes, and what processes share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/l3fwd/ring_routes.h"

struct ring_attach;
struct ring_shared;

struct ring_config {
	struct ring_routes routes;  /* of the stage l3fwd, taken at the next start */
	struct ring_shared *shared; /* where processes find pipelines; NULL: nobody else does */
	struct ring_attach *attach; /* of a secondary process; NULL: this is the primary */
};
