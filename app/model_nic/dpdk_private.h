/* What EAL and the PCI bus share with drivers and packages do not ship: their layouts from 22.11 to
 * 25.11. bus.c checks them at run time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_bus.h>
#include <rte_bus_pci.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_interrupts.h>
#include <rte_memory.h>
#include <rte_pci.h>
#include <rte_version.h>

#include <stdbool.h>
#include <sys/queue.h>

/* Years and months of releases whose layouts are these. */
enum { DPDK_FIRST = 22 * 100 + 11, DPDK_LAST = 25 * 100 + 11 };

#if RTE_VERSION < RTE_VERSION_NUM(22, 11, 0, 0) || RTE_VERSION >= RTE_VERSION_NUM(26, 0, 0, 0)
#error "nobody has looked at the bus and device layouts of this DPDK: see dpdk_private.h"
#endif

/* lib/eal/include/dev_driver.h */
struct rte_driver {
	TAILQ_ENTRY(rte_driver) next;
	const char *name, *alias;
};

struct rte_device {
	TAILQ_ENTRY(rte_device) next;
	const char *name, *bus_info;
	const struct rte_driver *driver;
	const struct rte_bus *bus;
	int numa_node;
	struct rte_devargs *devargs;
};

/* lib/eal/include/bus_driver.h */
enum bus_scan_mode { SCAN_UNDEFINED, SCAN_ALLOWLIST, SCAN_BLOCKLIST };

struct rte_bus {
	TAILQ_ENTRY(rte_bus) next;
	const char *name;
	int (*scan)(void);
	int (*probe)(void);
	struct rte_device *(*find_device)(const struct rte_device *start, rte_dev_cmp_t compare,
		const void *data);
	int (*plug)(struct rte_device *device);
	int (*unplug)(struct rte_device *device);
	int (*parse)(const char *name, void *address);
	int (*devargs_parse)(struct rte_devargs *devargs);
	int (*dma_map)(struct rte_device *device, void *address, uint64_t iova, size_t len);
	int (*dma_unmap)(struct rte_device *device, void *address, uint64_t iova, size_t len);
	enum bus_scan_mode scan_mode;
	enum rte_iova_mode (*get_iommu_class)(void);
	rte_dev_iterate_t dev_iterate;
	int (*hot_unplug_handler)(struct rte_device *device);
	int (*sigbus_handler)(const void *address);
	int (*cleanup)(void);
};

/* EAL scans and probes this bus too. Before EAL starts. */
void rte_bus_register(struct rte_bus *bus);

/* drivers/bus/pci/bus_pci_driver.h and private.h */
enum pci_kernel_driver { KDRV_UIO_GENERIC = 3, KDRV_NONE = 5 };
enum pci_driver_flag { DRIVER_NEEDS_MAPPING = 1 << 0 };

struct rte_pci_device {
	TAILQ_ENTRY(rte_pci_device) next;
	struct rte_device device;
	struct rte_pci_addr addr;
	struct rte_pci_id id;
	struct rte_mem_resource mem_resource[PCI_MAX_RESOURCE];
	struct rte_intr_handle *intr_handle;
	struct rte_pci_driver *driver;
	uint16_t max_vfs;
	enum pci_kernel_driver kdrv;
	char name[PCI_PRI_STR_SIZE + 1];
	char *bus_info;
	struct rte_intr_handle *vfio_req_intr_handle;
	/* What the bus keeps behind a device of its own; from 23.07 on. */
	char behind[256];
};

struct rte_pci_driver {
	TAILQ_ENTRY(rte_pci_driver) next;
	struct rte_driver driver;
	int (*probe)(struct rte_pci_driver *driver, struct rte_pci_device *device);
	int (*remove)(struct rte_pci_device *device);
	int (*dma_map)(struct rte_pci_device *device, void *address, uint64_t iova, size_t len);
	int (*dma_unmap)(struct rte_pci_device *device, void *address, uint64_t iova, size_t len);
	const struct rte_pci_id *id_table; /* ended by vendor 0 */
	uint32_t drv_flags;
};

struct pci_bus {
	struct rte_bus bus;
	TAILQ_HEAD(, rte_pci_device) device_list;
	TAILQ_HEAD(, rte_pci_driver) driver_list;
};
