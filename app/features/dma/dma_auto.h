/* The placement that acts now, for show dma placement. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/dma/dma_place.h"

#include <stdbool.h>

struct app;

/*
 * Read the placement in force: the channels, lcores and pools that the queues have, and their present
 * loads. Returns false if none acts or without memory; else *queue and p->place are to be freed.
 * Thread: control.
 */
bool dma_auto_present(struct app *app, struct dma_topology *t, struct dma_queue **queue,
	unsigned int *n, struct dma_places *p);
