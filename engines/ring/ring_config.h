/* What the engine ring_pipeline keeps between runs: routes, and what processes share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/processes/ring_process.h"

struct ring_attach;
struct ring_shared;
struct routes;

struct ring_config {
	const struct routes *routes; /* for the stage l3fwd, taken at the next start */
	struct ring_shared *shared;  /* where processes find pipelines; NULL: nobody else does */
	struct ring_process process; /* this one among them */
	struct ring_attach *attach;  /* of a secondary process; NULL: this is the primary */
};
