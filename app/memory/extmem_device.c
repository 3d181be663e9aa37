/* Map external memory for DMA by the ports' devices, and find drivers that cannot access it or
 * would stop transmitting because of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem_device.h"

#include "base/err.h"
#include "compat.h"
#include "memory/extmem_buffers.h"
#include "memory/memory_lock.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* This driver shares memory with its peer as files: all memory that EAL knows, or none. */
#define DRIVER_OF_FILES "net_virtio_user"
#define FAMILY_OF_FILES "virtio_user" /* its alias, which device names may use */
#define FAMILY_OF_KEYS "mlx5_"        /* drivers whose devices need a key for each region */

/* Get the port's device and driver. Returns false if they are unknown. */
static bool
port_info(uint16_t port, struct rte_eth_dev_info *info)
{
	return rte_eth_dev_info_get(port, info) == 0 && info->device != NULL;
}

const char *
extmem_device_silenced(char name[RTE_ETH_NAME_MAX_LEN])
{
	struct rte_eth_dev_info info;
	uint16_t port;

	RTE_ETH_FOREACH_DEV(port)
		if (port_info(port, &info) && strcmp(info.driver_name, DRIVER_OF_FILES) == 0 &&
			compat_port_name(port, name) == 0)
			return name;
	return NULL;
}

/* Call each for every IOVA-contiguous piece of the region, until it fails. */
static int
pieces(struct extmem *m, struct rte_device *device,
	int (*each)(struct rte_device *device, void *addr, uint64_t iova, size_t bytes))
{
	uint64_t at = 0, bytes;

	for (; at < m->mapped; at += bytes) {
		bytes = m->page;
		while (at + bytes < m->mapped &&
			extmem_iova(m, m->addr + at, bytes + m->page) != RTE_BAD_IOVA)
			bytes += m->page;
		if (each(device, m->addr + at, extmem_iova(m, m->addr + at, bytes), bytes) != 0)
			return -rte_errno;
	}
	return 0;
}

static struct extmem_device *
device_of(const struct extmem *m, const char *name)
{
	for (unsigned int i = 0; i < m->n_devices; i++)
		if (strcmp(m->devices[i].name, name) == 0)
			return &m->devices[i];
	return NULL;
}

/* Map a region for a device and store the result in m->devices. NULL: no memory. */
static struct extmem_device *
device_map(struct extmem *m, struct rte_device *device)
{
	struct extmem_device *d = device_of(m, rte_dev_name(device)), *more;

	if (d != NULL)
		return d;
	more = realloc(m->devices, (m->n_devices + 1) * sizeof(*more));
	if (more == NULL)
		return NULL;
	m->devices = more;
	d = &more[m->n_devices++];
	snprintf(d->name, sizeof(d->name), "%s", rte_dev_name(device));
	d->code = m->registered ? -pieces(m, device, rte_dev_dma_map) : ENOTSUP;
	return d;
}

void
extmem_device_map_all(struct extmem *m)
{
	struct rte_eth_dev_info info;
	uint16_t port;

	RTE_ETH_FOREACH_DEV(port)
		if (m->type != EXTMEM_HEAP && port_info(port, &info))
			device_map(m, info.device);
}

/* Removed devices have dropped their mappings already. */
void
extmem_device_unmap_all(struct extmem *m)
{
	struct rte_eth_dev_info info;
	uint16_t port;

	RTE_ETH_FOREACH_DEV(port) {
		struct extmem_device *d =
			port_info(port, &info) ? device_of(m, rte_dev_name(info.device)) : NULL;

		if (d != NULL && d->code == 0) {
			pieces(m, info.device, rte_dev_dma_unmap);
			d->code = ENOTSUP; /* do not unmap again for a second port of the device */
		}
	}
	free(m->devices);
	m->devices = NULL;
	m->n_devices = 0;
}

/*
 * Return whether the port's device reaches external memory only if EAL knows the memory: hardware
 * gets its mappings from there, and mlx5 looks up the key of an attached buffer there. Ports of
 * software read and write as this process does.
 */
static bool
finds_by_registration(const struct rte_eth_dev_info *info)
{
	return strcmp(rte_bus_name(rte_dev_bus(info->device)), "vdev") != 0 ||
		strncmp(info->driver_name, FAMILY_OF_KEYS, strlen(FAMILY_OF_KEYS)) == 0;
}

int
extmem_reach(struct extmem *m, uint16_t port, struct err *e)
{
	struct rte_eth_dev_info info;
	struct extmem_device *d;
	char limit[MEMORY_LOCK_CHARS];

	if (m->type == EXTMEM_HEAP || !port_info(port, &info))
		return 0;
	if (strcmp(info.driver_name, DRIVER_OF_FILES) == 0)
		return err_set(e, EOPNOTSUPP,
			"port %u (%s) can share only EAL's own memory with its peer, not memory %s: use type heap",
			port, info.driver_name, m->name);
	d = device_map(m, info.device);
	if (d == NULL)
		return err_set(e, ENOMEM, "memory %s: no memory to map it for %s", m->name,
			info.driver_name);
	if (!m->registered && finds_by_registration(&info))
		return err_set(e, EOPNOTSUPP,
			"port %u (%s) cannot reach memory %s, because it is not registered with EAL (%s): use type heap",
			port, info.driver_name, m->name, m->why);
	if (d->code != 0 && d->code != ENOTSUP)
		return err_set(e, d->code, "port %u (%s) cannot reach memory %s: %s%s%s", port,
			info.driver_name, m->name, strerror(d->code),
			d->code == ENOMEM && memory_lock_limit(limit)[0] != '\0' ? ": " : "",
			d->code == ENOMEM ? memory_lock_limit(limit) : "");
	return 0;
}

bool
extmem_device_silent(const char *devargs)
{
	return strstr(devargs, FAMILY_OF_FILES) != NULL;
}

int
extmem_driver_check(const struct extmems *all, const char *devargs, struct err *e)
{
	for (const struct extmem *m = all->first; m != NULL; m = m->next)
		if (m->registered && extmem_device_silent(devargs))
			return err_set(e, EBUSY,
				"memory %s is registered with EAL, which would stop %s from transmitting: use \"extmem delete %s\" first",
				m->name, FAMILY_OF_FILES, m->name);
	return 0;
}
