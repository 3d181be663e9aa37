/* Mode auto: sets the threshold of the virtqueue's vchan to the autotuned one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_autotune.h"

#include <rte_cycles.h>

#include <string.h>

static void
set(struct vhost_autotune *a, uint32_t bytes)
{
	const struct dma_min_len both = { bytes, bytes };

	a->in_force = bytes;
	dma_adaptive_set_min_len(a->dma, a->vchan, both);
}

void
vhost_autotune_open(struct vhost_autotune *a, int16_t dma, uint16_t vchan, unsigned int descriptors)
{
	struct dma_min_len now = { 0 };

	dma_adaptive_min_len(dma, vchan, &now);
	a->dma = dma;
	a->vchan = vchan;
	set(a,
		threshold_autotune_open(&a->threshold, now.near, descriptors, rte_get_tsc_hz(),
			true));
}

void
vhost_autotune_close(struct vhost_autotune *a)
{
	memset(a, 0, sizeof(*a));
}

void
vhost_autotune_lengths(struct vhost_autotune *a, struct rte_mbuf *const *pkts, uint16_t n)
{
	if (!threshold_autotune_wants_lengths(&a->threshold))
		return;
	/* Each segment of a packet is a copy of its own. */
	for (uint16_t i = 0; i < n; i++)
		threshold_autotune_length(&a->threshold, pkts[i]->data_len);
}

void
vhost_autotune_poll(struct vhost_autotune *a, uint64_t begin, uint64_t now, uint16_t packets,
	bool collected)
{
	const uint32_t bytes = threshold_autotune_poll(&a->threshold, begin, now, packets,
		packets > 0 || collected);

	if (bytes != a->in_force)
		set(a, bytes);
}
