/* The device argument dmas: parsed when the port is probed, but looked up when it is configured, so
 * that the DMA devices may be probed later. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_dmas.h"

#include <rte_common.h>
#include <rte_dmadev.h>
#include <rte_vhost_async.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
forget(struct vhost_dma *d)
{
	d->name[0] = '\0';
	d->dev = -1;
}

/* Parse one "txq0@NAME". */
static int
parse_one(struct vhost_dmas *d, const char *word, uint16_t queues, char *why, unsigned int size)
{
	const char *at = strchr(word, '@');
	struct vhost_dma *to;
	char *end;
	unsigned long queue;
	bool rx = strncmp(word, "rxq", 3) == 0;

	if (at == NULL || (!rx && strncmp(word, "txq", 3) != 0) || word[3] < '0' || word[3] > '9' ||
		at[1] == '\0' || strlen(at + 1) >= VHOST_DMAS_NAME) {
		snprintf(why, size, "dmas: %s: expected txqN@DEVICE or rxqN@DEVICE", word);
		return -EINVAL;
	}
	queue = strtoul(word + 3, &end, 10);
	if (end != at || queue >= queues) {
		snprintf(why, size, "dmas: %s: expected a queue in 0..%u", word, queues - 1);
		return -EINVAL;
	}
	to = rx ? &d->rxq[queue] : &d->txq[queue];
	if (to->name[0] != '\0') {
		snprintf(why, size, "dmas: %s: the queue already has %s", word, to->name);
		return -EINVAL;
	}
	snprintf(to->name, sizeof(to->name), "%s", at + 1);
	return 0;
}

int
vhost_dmas_parse(struct vhost_dmas *d, const char *text, uint16_t queues, char *why,
	unsigned int size)
{
	char *copy, *rest, *word;
	size_t n;
	int ret = 0;

	for (unsigned int i = 0; i < RTE_DIM(d->rxq); i++) {
		forget(&d->rxq[i]);
		forget(&d->txq[i]);
	}
	if (text == NULL)
		return 0;
	n = strlen(text);
	if (n < 2 || text[0] != '[' || text[n - 1] != ']') {
		snprintf(why, size, "dmas=%s: expected [txq0@DEVICE;rxq0@DEVICE]", text);
		return -EINVAL;
	}
	copy = strdup(text + 1);
	if (copy == NULL) {
		snprintf(why, size, "dmas=%s: no memory", text);
		return -ENOMEM;
	}
	copy[n - 2] = '\0';
	for (word = strtok_r(copy, ";", &rest); ret == 0 && word != NULL;
		word = strtok_r(NULL, ";", &rest))
		ret = parse_one(d, word, queues, why, size);
	free(copy);
	return ret;
}

/* Entry i of all queues: the receive queues, then the transmit queues. */
static struct vhost_dma *
nth(struct vhost_dmas *d, unsigned int i)
{
	return i < RTE_DIM(d->rxq) ? &d->rxq[i] : &d->txq[i - RTE_DIM(d->rxq)];
}

#define ALL (2 * RTE_DIM(((struct vhost_dmas *)NULL)->rxq))

/* Assign a vchan to each queue that names the same device as entry first. Returns their number. */
static uint16_t
share(struct vhost_dmas *d, unsigned int first, int16_t dev)
{
	uint16_t vchans = 0;

	for (unsigned int i = first; i < ALL; i++)
		if (strcmp(nth(d, i)->name, nth(d, first)->name) == 0) {
			nth(d, i)->dev = dev;
			nth(d, i)->vchan = vchans++;
		}
	return vchans;
}

static int
start(int16_t dev, const struct rte_dma_info *info, uint16_t vchans)
{
	const struct rte_dma_conf conf = { .nb_vchans = vchans };
	const struct rte_dma_vchan_conf vchan = { .direction = RTE_DMA_DIR_MEM_TO_MEM,
		.nb_desc = info->max_desc };
	int ret = rte_dma_configure(dev, &conf);

	for (uint16_t i = 0; ret == 0 && i < vchans; i++)
		ret = rte_dma_vchan_setup(dev, i, &vchan);
	if (ret == 0)
		ret = rte_dma_start(dev);
	for (uint16_t i = 0; ret == 0 && i < vchans; i++)
		if (rte_vhost_async_dma_configure(dev, i) != 0)
			ret = -ENOMEM;
	return ret;
}

static int
take(struct vhost_dmas *d, unsigned int first, char *why, unsigned int size)
{
	const char *name = nth(d, first)->name;
	int16_t dev = (int16_t)rte_dma_get_dev_id_by_name(name);
	struct rte_dma_info info;
	uint16_t vchans;
	int ret;

	if (dev < 0 || rte_dma_info_get(dev, &info) != 0) {
		snprintf(why, size, "dmas: no DMA device %s", name);
		return -ENODEV;
	}
	vchans = share(d, first, dev);
	if (vchans > info.max_vchans)
		ret = -ENOSPC;
	else
		ret = start(dev, &info, vchans);
	if (ret == -EBUSY)
		snprintf(why, size, "dmas: DMA device %s is in use", name);
	else if (ret == -ENOSPC)
		snprintf(why, size,
			"dmas: DMA device %s has %u vchans, but %u queues need one each", name,
			info.max_vchans, vchans);
	else if (ret != 0)
		snprintf(why, size, "dmas: DMA device %s: %s", name, strerror(-ret));
	for (unsigned int i = first; ret != 0 && i < ALL; i++)
		if (nth(d, i)->dev == dev)
			nth(d, i)->dev = -1;
	return ret;
}

int
vhost_dmas_take(struct vhost_dmas *d, char *why, unsigned int size)
{
	int ret = 0;

	for (unsigned int i = 0; ret == 0 && i < ALL; i++)
		if (nth(d, i)->name[0] != '\0' && nth(d, i)->dev < 0)
			ret = take(d, i, why, size);
	if (ret != 0)
		vhost_dmas_release(d);
	return ret;
}

void
vhost_dmas_release(struct vhost_dmas *d)
{
	for (unsigned int i = 0; i < ALL; i++) {
		struct vhost_dma *v = nth(d, i);

		if (v->dev < 0)
			continue;
		rte_vhost_async_dma_unconfigure(v->dev, v->vchan);
		/* Stop the device only after its last vchan was unconfigured. */
		for (unsigned int k = i + 1; k < ALL && v->dev >= 0; k++)
			if (nth(d, k)->dev == v->dev)
				v->dev = -1;
		if (v->dev >= 0)
			rte_dma_stop(v->dev);
		v->dev = -1;
	}
}
