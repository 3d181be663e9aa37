/* Map external memory for DMA by the ports' devices; also used for packet pools in such memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ethdev.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct extmem;
struct extmems;

/*
 * Return the name of a port that would stop transmitting once memory is registered with EAL, or
 * NULL. Thread: control, for all of this file.
 */
const char *extmem_device_silenced(char name[RTE_ETH_NAME_MAX_LEN]);

/*
 * Return whether a device to be attached could not transmit with registered memory. devargs: as for
 * port attach.
 */
bool extmem_device_silent(const char *devargs);

/* Map a region for DMA by the devices of all ports that support it; m->devices gets the results. */
void extmem_device_map_all(struct extmem *m);

/* Unmap a region from all devices. */
void extmem_device_unmap_all(struct extmem *m);

/*
 * Ensure that a port can transmit from a region or receive into it. EOPNOTSUPP: the driver cannot
 * share it; ENOMEM; errors of rte_dev_dma_map().
 */
int extmem_reach(struct extmem *m, uint16_t port, struct err *e);

/*
 * Refuse to attach a device that could not transmit with the registered memory. devargs: as for
 * port attach. EBUSY.
 */
int extmem_driver_check(const struct extmems *all, const char *devargs, struct err *e);
