/* Modelled devices on DPDK's PCI bus: a bus of our own lets EAL call us after all drivers were
 * registered. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Its scan appends devices to the PCI bus's list, and inserts in front of each driver for them a
 * copy that creates the registers before the driver probes. Real devices are never probed by the
 * copies, which match only our subsystem id.
 */
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/control.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/model_nic_devices.h"
#include "pmd_shims/drivers/model_nic/mover.h"
#include "pmd_shims/drivers/model_nic/stand_in.h"

#include <rte_cycles.h>
#include <rte_log.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pci_bus *pci;
static int (*pci_scan)(void);
static bool present; /* the devices belong on the PCI bus */

static void
complain(const char *text)
{
	fprintf(stderr, "model_nic: %s\n", text);
}

/* Use DPDK's log, so that an application which redirects it gets the models' lines too. */
static void
log_line(const char *line)
{
	rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1, "%s", line);
}

static struct rte_pci_device *
device_find(unsigned port)
{
	struct rte_pci_device *d;

	PCI_DEVICE_FOREACH(d, pci)
	{
		if (stand_in_model(d) != NULL && d->addr.devid == port)
			return d;
	}
	return NULL;
}

/* The device arguments from -a or an attach; NULL: none. */
static struct rte_devargs *
devargs_find(const struct rte_pci_addr *address)
{
	struct rte_devargs *a;

	RTE_EAL_DEVARGS_FOREACH("pci", a)
	{
		struct rte_pci_addr other;

		if (pci->bus.parse(a->name, &other) == 0 && other.domain == address->domain &&
			other.bus == address->bus && other.devid == address->devid &&
			other.function == address->function)
			return a;
	}
	return NULL;
}

/* Apply EAL's options as for real devices: -a lists the allowed devices, -b the blocked ones. */
static bool
device_wanted(const struct rte_devargs *a)
{
	if (pci->bus.scan_mode == SCAN_ALLOWLIST)
		return a != NULL && a->policy == RTE_DEV_ALLOWED;
	return a == NULL || a->policy != RTE_DEV_BLOCKED;
}

static int
device_add(unsigned port)
{
	struct rte_pci_device *d = device_find(port);
	const struct rte_pci_addr address = { .bus = PCI_BUS, .devid = (uint8_t)port };
	struct rte_devargs *devargs = devargs_find(&address);

	if (d != NULL) {
		if (d->device.driver == NULL)
			d->device.devargs = devargs;
		return 0;
	}
	if (!device_wanted(devargs))
		return 0;
	/* The bus frees both. */
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return -ENOMEM;
	d->id = stand_in_id(port);
	d->addr = address;
	snprintf(d->name, sizeof(d->name), PCI_PRI_FMT, 0u, PCI_BUS, (uint8_t)port, 0u);
	if (asprintf(&d->bus_info, "vendor_id=%x, device_id=%x, model_nic=%s", d->id.vendor_id,
		    d->id.device_id, config_current.port[port].family->name) < 0) {
		free(d);
		return -ENOMEM;
	}
	d->kdrv = KDRV_NONE;
	d->device.name = d->name;
	d->device.bus_info = d->bus_info;
	d->device.bus = &pci->bus;
	d->device.numa_node = SOCKET_ID_ANY;
	d->device.devargs = devargs;
	TAILQ_INSERT_TAIL(PCI_DEVICES(pci), PCI_DEVICE_ENTRY(d), next);
	return 0;
}

static int
devices_add(void)
{
	for (unsigned i = 0; i < config_current.ports; i++)
		if (device_add(i) != 0)
			return -ENOMEM;
	return 0;
}

/*
 * EAL scans the bus again before an attach, which brings detached devices back. Without sysfs the
 * bus's own scan logs an error and fails; this is ignored, since modelled devices do not need it.
 */
static int
pci_scan_too(void)
{
	pci_scan();
	return devices_add();
}

/* Check that the application's DPDK has the struct layouts of dpdk_private.h. */
static bool
pci_known(void)
{
	int version = rte_version_year() * 100 + rte_version_month();
	struct rte_pci_driver *d;

	if (version < DPDK_FIRST || version > DPDK_LAST) {
		fprintf(stderr, "model_nic: %s: expected DPDK %u.%u to %u.%u\n", rte_version(),
			DPDK_FIRST / 100, DPDK_FIRST % 100, DPDK_LAST / 100, DPDK_LAST % 100);
		return false;
	}
	pci = (struct pci_bus *)(void *)rte_bus_find_by_name("pci");
	if (pci == NULL) {
		complain("the application has no PCI bus");
		return false;
	}
	if (strcmp(pci->bus.name, "pci") != 0 || *PCI_DEVICES(pci)->tqh_last != NULL ||
		*PCI_DRIVERS(pci)->tqh_last != NULL) {
		complain("unexpected layout of the PCI bus's structures");
		return false;
	}
	PCI_DRIVER_FOREACH(d, pci)
	{
		if (rte_driver_name(&d->driver) != d->driver.name || d->id_table == NULL) {
			complain("unexpected layout of a PCI driver's structure");
			return false;
		}
	}
	return true;
}

/*
 * While a driver waits the card has to make progress, even if the models' thread is late. net_ixgbe
 * switches a queue off and on by a register that does not trap, waits for 1 ms each time, and frees
 * the queue's mbufs in between.
 */
static void (*delay_before)(unsigned int us);

static void
delay(unsigned int us)
{
	delay_before(us);
	models_settle();
}

static void
delay_hook(void)
{
	delay_before = rte_delay_us;
	rte_delay_us_callback_register(delay);
}

static void
finish(void)
{
	mover_stop();
	control_report_write();
	models_close();
}

/*
 * An invalid configuration ends the application: EAL ignores a bus whose scan fails and would
 * continue without the requested devices.
 */
static void
start(void)
{
	char why[512];

	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		complain("no devices: not supported in a secondary process");
		return;
	}
	if (model_nic_devices_default(why, sizeof(why)) != 0) {
		complain(why);
		exit(EXIT_FAILURE);
	}
	if (config_current.ports == 0) {
		complain("no devices: MODEL_NIC is not set");
		return;
	}
	if (!pci_known())
		exit(EXIT_FAILURE);
	atexit(finish);
	delay_hook();
	stand_ins_add(pci);
	pci_scan = pci->bus.scan;
	pci->bus.scan = pci_scan_too;
	control_register();
	present = true;
}

static int
scan(void)
{
	static bool started;

	if (!started)
		start();
	started = true;
	return present ? devices_add() : 0;
}

static int
probe(BUS_PROBE_ARGS)
{
	return 0;
}

static struct rte_device *
find_device(BUS_FIND_ARGS)
{
	return NULL;
}

/* The model reads and writes the application's memory by virtual addresses. */
static enum rte_iova_mode
iommu_class(void)
{
	return present ? RTE_IOVA_VA : RTE_IOVA_DC;
}

static struct rte_bus bus = {
	.name = "model_nic",
	.scan = scan,
	.probe = probe,
	.find_device = find_device,
	.get_iommu_class = iommu_class,
};

__attribute__((constructor)) static void
bus_add(void)
{
	rte_bus_register(&bus);
	model_log_by(log_line);
}
