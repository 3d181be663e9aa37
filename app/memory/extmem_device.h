/* Map external memory for DMA by the ports' devices; also for packet pools that lie in such
 * memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ethdev.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct extmem;
struct extmems;

/*
 * A port whose driver would fall silent beside registered memory: its name, or NULL. Thread:
 * control, all of this file.
 */
const char *extmem_device_silenced(char name[RTE_ETH_NAME_MAX_LEN]);

/* Whether a device would, that is to be attached. devargs: it, as attach has it. */
bool extmem_device_silent(const char *devargs);

/*
 * Let the devices of all ports reach a region, as far as they take a mapping; devices of m has what
 * came of it.
 */
void extmem_device_map_all(struct extmem *m);

/* End that. */
void extmem_device_unmap_all(struct extmem *m);

/*
 * See to it that a port can transmit from a region or receive into it. EOPNOTSUPP with the reason,
 * what the driver said.
 */
int extmem_reach(struct extmem *m, uint16_t port, struct err *e);

/*
 * Refuse to attach a device that would be silent, from then on, beside the memory that is
 * registered. devargs: it, as attach has it. EBUSY.
 */
int extmem_driver_check(const struct extmems *all, const char *devargs, struct err *e);
