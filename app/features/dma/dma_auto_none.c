/* No placement acts without the driver for guests, which is built from DPDK's source. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_auto.h"

bool
dma_auto_present(struct app *app, struct dma_topology *t, struct dma_queue **queue, unsigned int *n,
	struct dma_places *p)
{
	return false;
}
