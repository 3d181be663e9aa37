/* Between the bus and what stands before its drivers. */
#pragma once

#include "model_nic/dpdk_private.h"
#include "model_nic/model.h"

/* Our devices: 0000:f0:PORT.0. The subsystem's id tells them from real ones. */
enum {
	PCI_BUS = 0xf0,
	CLASS_ETHERNET = 0x0200, /* and 0 for the programming interface below it */
	SUBSYSTEM_VENDOR = 0x4d4e,
	SUBSYSTEM_DEVICE = 0x4943,
};

/* What a port's device is found by. */
struct rte_pci_id bus_id(unsigned port);

/* The model behind a device, NULL for a real one. */
struct model *bus_model(const struct rte_pci_device *d);

/*
 * Put before each driver that serves our devices a copy which serves nothing else. Once, when every
 * driver is there.
 */
void stand_ins_add(struct pci_bus *pci);
