/* The configuration of ring_pipeline that outlives runs: routes, and sharing between processes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/processes/ring_process.h"

struct ring_attach;
struct ring_shared;
struct routes;

struct ring_config {
	const struct routes *routes; /* for stage l3fwd, read at start */
	struct ring_shared *shared;  /* where secondaries find the pipeline; NULL: not shared */
	struct ring_process process; /* this process */
	struct ring_attach *attach;  /* state of a secondary; NULL: this is the primary */
};
