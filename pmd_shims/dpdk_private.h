/* Structs that EAL and the PCI bus share with drivers, which DPDK's packages do not ship: layouts
 * of 22.11 to 26.03, and of 26.07 and 26.11.0-rc0, where lists of devices and drivers moved into
 * EAL. bus.c checks them at run time. */
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

#define LISTS_IN_EAL (RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0))

/* Releases with these layouts, 100 * year + month. */
enum {
	DPDK_FIRST = LISTS_IN_EAL ? 26 * 100 + 7 : 22 * 100 + 11,
	DPDK_LAST = LISTS_IN_EAL ? 26 * 100 + 11 : 26 * 100 + 3,
};

#if RTE_VERSION < RTE_VERSION_NUM(22, 11, 0, 0) || RTE_VERSION > RTE_VERSION_NUM(26, 11, 0, 0)
#error "unknown bus and device layouts of this DPDK: see dpdk_private.h"
#endif

/* lib/eal/include/dev_driver.h */
struct rte_driver {
	TAILQ_ENTRY(rte_driver) next;
	const char *name, *alias;
#if LISTS_IN_EAL
	const struct rte_bus *bus;
#endif
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

#if LISTS_IN_EAL
typedef int (*rte_dev_cmp_t)(const struct rte_device *device, const void *data);

struct rte_bus {
	TAILQ_ENTRY(rte_bus) next;
	const char *name;
	bool allow_multi_probe;
	int (*scan)(void);
	int (*probe)(struct rte_bus *bus);
	struct rte_device *(*find_device)(const struct rte_bus *bus, const struct rte_device *start,
		rte_dev_cmp_t compare, const void *data);
	bool (*match)(const struct rte_driver *driver, const struct rte_device *device);
	int (*probe_device)(struct rte_driver *driver, struct rte_device *device);
	int (*unplug_device)(struct rte_device *device);
	int (*parse)(const char *name, void *address);
	int (*dev_compare)(const char *one, const char *other);
	int (*devargs_parse)(struct rte_devargs *devargs);
	int (*dma_map)(struct rte_device *device, void *address, uint64_t iova, size_t len);
	int (*dma_unmap)(struct rte_device *device, void *address, uint64_t iova, size_t len);
	enum bus_scan_mode scan_mode;
	enum rte_iova_mode (*get_iommu_class)(void);
	void *(*dev_iterate)(const struct rte_bus *bus, const void *start, const char *text,
		const struct rte_dev_iterator *it);
	int (*hot_unplug_handler)(struct rte_device *device);
	int (*sigbus_handler)(const void *address);
	void (*free_device)(struct rte_device *device);
	int (*cleanup)(struct rte_bus *bus);
	TAILQ_HEAD(, rte_device) device_list;
	TAILQ_HEAD(, rte_driver) driver_list;
};
#else
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
#endif

/* Let EAL scan and probe this bus too; to be called before EAL starts. */
void rte_bus_register(struct rte_bus *bus);

/* drivers/bus/pci/bus_pci_driver.h and private.h */
enum pci_kernel_driver { KDRV_UIO_GENERIC = 3, KDRV_NONE = 5 };
enum pci_driver_flag { DRIVER_NEEDS_MAPPING = 1 << 0 };

struct rte_pci_device {
#if !LISTS_IN_EAL
	TAILQ_ENTRY(rte_pci_device) next;
#endif
	struct rte_device device;
	struct rte_pci_addr addr;
	struct rte_pci_id id;
	struct rte_mem_resource mem_resource[PCI_MAX_RESOURCE];
	struct rte_intr_handle *intr_handle;
#if !LISTS_IN_EAL
	struct rte_pci_driver *driver;
#endif
	uint16_t max_vfs;
	enum pci_kernel_driver kdrv;
	char name[PCI_PRI_STR_SIZE + 1];
	char *bus_info;
	struct rte_intr_handle *vfio_req_intr_handle;
	/* Room for the bus's own data behind a device; since 23.07. */
	char behind[256];
};

struct rte_pci_driver {
#if !LISTS_IN_EAL
	TAILQ_ENTRY(rte_pci_driver) next;
#endif
	struct rte_driver driver;
	int (*probe)(struct rte_pci_driver *driver, struct rte_pci_device *device);
	int (*remove)(struct rte_pci_device *device);
	int (*dma_map)(struct rte_pci_device *device, void *address, uint64_t iova, size_t len);
	int (*dma_unmap)(struct rte_pci_device *device, void *address, uint64_t iova, size_t len);
	const struct rte_pci_id *id_table; /* ended by vendor 0 */
	uint32_t drv_flags;
};

#if LISTS_IN_EAL
/* Devices and drivers of the PCI bus begin with the members that are in its lists. */
struct pci_bus {
	struct rte_bus bus;
};

#define PCI_DEVICES(pci) (&(pci)->bus.device_list)
#define PCI_DRIVERS(pci) (&(pci)->bus.driver_list)
#define PCI_DEVICE_ENTRY(d) (&(d)->device)
#define PCI_DRIVER_ENTRY(d) (&(d)->driver)
#define PCI_DRIVER_OF(d) ((struct rte_pci_driver *)(uintptr_t)(d)->device.driver)
#define BUS_PROBE_ARGS struct rte_bus *own
#define BUS_FIND_ARGS \
	const struct rte_bus *own, const struct rte_device *from, rte_dev_cmp_t compare, \
		const void *data
#else
struct pci_bus {
	struct rte_bus bus;
	TAILQ_HEAD(, rte_pci_device) device_list;
	TAILQ_HEAD(, rte_pci_driver) driver_list;
};

#define PCI_DEVICES(pci) (&(pci)->device_list)
#define PCI_DRIVERS(pci) (&(pci)->driver_list)
#define PCI_DEVICE_ENTRY(d) (d)
#define PCI_DRIVER_ENTRY(d) (d)
#define PCI_DRIVER_OF(d) ((d)->driver)
#define BUS_PROBE_ARGS void
#define BUS_FIND_ARGS const struct rte_device *from, rte_dev_cmp_t compare, const void *data
#endif

/* Loops over the bus's lists; d: a struct rte_pci_device * or struct rte_pci_driver *. */
#define PCI_DEVICE_FOREACH(d, pci) \
	for ((d) = (void *)TAILQ_FIRST(PCI_DEVICES(pci)); (d) != NULL; \
		(d) = (void *)TAILQ_NEXT(PCI_DEVICE_ENTRY(d), next))
#define PCI_DRIVER_FOREACH(d, pci) \
	for ((d) = (void *)TAILQ_FIRST(PCI_DRIVERS(pci)); (d) != NULL; \
		(d) = (void *)TAILQ_NEXT(PCI_DRIVER_ENTRY(d), next))
