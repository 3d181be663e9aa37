/* What others ask of a dma_adaptive by the number of its device: thresholds, counts, nodes, and to take
 * over from an engine that does not answer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"

#include "pmd_shims/drivers/dma_adaptive/dma_adaptive_priv.h"

#include <errno.h>

static struct dma_adaptive *
adaptive_of(int16_t dev)
{
	if (!rte_dma_is_valid(dev) || rte_dma_fp_objs[dev].copy != dma_adaptive_copy)
		return NULL;
	return rte_dma_fp_objs[dev].dev_private;
}

/* Find a vchan. Returns 0, or -ENODEV or -EINVAL as dma_adaptive_min_len() does. */
static int
vchan_of(int16_t dev, uint16_t vchan, struct dma_adaptive **a, struct dma_adaptive_vchan **v)
{
	*a = adaptive_of(dev);
	if (*a == NULL)
		return -ENODEV;
	if (vchan >= (*a)->n_vchans)
		return -EINVAL;
	*v = &(*a)->vchan[vchan];
	return 0;
}

bool
dma_adaptive_is(int16_t dev)
{
	return adaptive_of(dev) != NULL;
}

int16_t
dma_adaptive_engine(int16_t dev)
{
	const struct dma_adaptive *a = adaptive_of(dev);

	return a != NULL ? a->engine : -1;
}

int
dma_adaptive_min_len(int16_t dev, uint16_t vchan, struct dma_min_len *now)
{
	struct dma_adaptive_vchan *v;
	struct dma_adaptive *a;
	int ret = vchan_of(dev, vchan, &a, &v);

	if (ret == 0)
		*now = dma_adaptive_thresholds_of(v);
	return ret;
}

int
dma_adaptive_set_min_len(int16_t dev, uint16_t vchan, struct dma_min_len want)
{
	struct dma_adaptive_vchan *v;
	struct dma_adaptive *a;
	int ret = vchan_of(dev, vchan, &a, &v);

	if (ret != 0)
		return ret;
	rte_spinlock_lock(&a->lock);
	dma_adaptive_thresholds(a, v, want);
	rte_spinlock_unlock(&a->lock);
	return 0;
}

int
dma_adaptive_stats(int16_t dev, uint16_t vchan, struct dma_adaptive_stats *to)
{
	struct dma_adaptive_vchan *v;
	struct dma_adaptive *a;
	int ret = vchan_of(dev, vchan, &a, &v);
	_Atomic(uint64_t) *from, *word;

	if (ret != 0)
		return ret;
	from = &v->stats.cpu_copies;
	word = &to->cpu_copies;
	for (size_t i = 0; i < sizeof(*to) / sizeof(*word); i++)
		atomic_store_explicit(&word[i],
			atomic_load_explicit(&from[i], memory_order_relaxed), memory_order_relaxed);
	return 0;
}

void
dma_adaptive_keep(int16_t dev, bool keep)
{
	struct dma_adaptive *a = adaptive_of(dev);

	if (a != NULL)
		a->keeps = keep;
}

int
dma_adaptive_take_over(int16_t dev)
{
	struct dma_adaptive *a = adaptive_of(dev);
	int ret;

	if (a == NULL)
		return -ENODEV;
	for (uint16_t i = 0; i < a->n_vchans; i++)
		dma_adaptive_collect(a, i);
	ret = rte_dma_is_valid(a->engine) ? rte_dma_stop(a->engine) : 0;
	if (ret != 0)
		return ret;
	rte_spinlock_lock(&a->lock);
	a->lost = true;
	dma_adaptive_see_nodes(a); /* sets thresholds */
	rte_spinlock_unlock(&a->lock);
	for (uint16_t i = 0; i < a->n_vchans; i++)
		if (!dma_adaptive_finish(a, i))
			ret = -ENOTSUP;
	return ret;
}

int
dma_adaptive_node_range(int16_t dev, uint64_t begin, uint64_t len, int node)
{
	struct dma_adaptive *a = adaptive_of(dev);
	int ret;

	if (a == NULL)
		return -ENODEV;
	rte_spinlock_lock(&a->lock);
	ret = dma_adaptive_nodes_set(&a->nodes, begin, len, node);
	if (ret == 0)
		dma_adaptive_see_nodes(a);
	rte_spinlock_unlock(&a->lock);
	return ret;
}
