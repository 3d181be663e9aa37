/* What stands before the drivers that serve our devices, and how those are known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/dpdk_private.h"

struct model;

/* Our devices: 0000:f0:PORT.0. The subsystem's id tells them from real ones. */
enum {
	PCI_BUS = 0xf0,
	CLASS_ETHERNET = 0x0200, /* and 0 for the programming interface below it */
	SUBSYSTEM_VENDOR = 0x4d4e,
	SUBSYSTEM_DEVICE = 0x4943,
};

/* What a port's device is found by. */
struct rte_pci_id stand_in_id(unsigned port);

/* The model behind a device, NULL for a real one. */
struct model *stand_in_model(const struct rte_pci_device *d);

/*
 * Put before each driver that serves our devices a copy which serves nothing else. Once, when every
 * driver is there.
 */
void stand_ins_add(struct pci_bus *pci);
