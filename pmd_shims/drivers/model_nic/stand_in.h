/* Copies of drivers that serve only modelled devices, and the identification of these devices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/dpdk_private.h"

struct model;

/* Modelled devices are 0000:f0:PORT.0. The subsystem id distinguishes them from real ones. */
enum {
	PCI_BUS = 0xf0,
	CLASS_ETHERNET = 0x0200, /* followed by 0 for the programming interface */
	SUBSYSTEM_VENDOR = 0x4d4e,
	SUBSYSTEM_DEVICE = 0x4943,
};

/* The PCI id of a port's device. */
struct rte_pci_id stand_in_id(unsigned port);

/* The model of a device; NULL for a real device. */
struct model *stand_in_model(const struct rte_pci_device *d);

/*
 * Insert, in front of each driver that can serve modelled devices, a copy that serves only these.
 * To be called once, when all drivers are registered.
 */
void stand_ins_add(struct pci_bus *pci);
