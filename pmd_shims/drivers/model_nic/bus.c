/* Modelled devices on DPDK's PCI bus: a bus of our own lets EAL call us after all drivers were registered, and copies of the drivers probe them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/dpdk_private.h"
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/control.h"
#include "pmd_shims/drivers/model_nic/guest/guest.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/qemu/qemu.h"

#include <rte_errno.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Modelled devices are 0000:f0:PORT.0. The subsystem id distinguishes them from real ones. */
enum {
	PCI_BUS = 0xf0,
	CLASS_ETHERNET = 0x0200, /* followed by 0 for the programming interface */
	SUBSYSTEM_VENDOR = 0x4d4e,
	SUBSYSTEM_DEVICE = 0x4943,
};

/* Copies of the application's drivers for modelled devices: they make registers, interrupt and
 * configuration space, then the real driver probes. */

enum {
	CONFIG_SPACE = 4096,
	CONFIG_HEAD = 256, /* what PCI without Express has */
	DRIVERS_MAX = 16,
};

/* Both ends of the interrupt pipe and the PCI configuration space, while a device is in use. */
static struct wiring {
	int interrupt_read, interrupt_write, config;
} wirings[MODEL_PORTS_MAX];

static struct stand_in {
	struct rte_pci_driver driver;
	struct rte_pci_driver *original;
	struct rte_pci_id ids[MODEL_PORTS_MAX + 1];
} stand_ins[DRIVERS_MAX];

/* The PCI id of a port's device. */
static struct rte_pci_id
stand_in_id(unsigned port)
{
	const struct model_family *f = config_current.port[port].family;

	return (struct rte_pci_id){ .class_id = CLASS_ETHERNET << 8,
		.vendor_id = f->vendor_id,
		.device_id = f->device_id,
		.subsystem_vendor_id = SUBSYSTEM_VENDOR,
		.subsystem_device_id = SUBSYSTEM_DEVICE };
}

/* The model of a device; NULL for a real device. */
static struct model *
stand_in_model(const struct rte_pci_device *d)
{
	if (d->addr.domain != 0 || d->addr.bus != PCI_BUS || d->addr.function != 0 ||
		d->id.subsystem_vendor_id != SUBSYSTEM_VENDOR)
		return NULL;
	return model_port(d->addr.devid);
}

/* Fill a PCI configuration space: the few fields that drivers read, or those of a card outside. */
static void
config_fill(struct model *m, uint8_t *space)
{
	const struct rte_pci_id id = stand_in_id(m->port);
	const uint16_t ids[] = { id.vendor_id, id.device_id, 0x6 /* memory, bus master */ };
	const uint16_t class = CLASS_ETHERNET;
	const uint16_t subsystem[] = { SUBSYSTEM_VENDOR, SUBSYSTEM_DEVICE };

	if (m->family->config != NULL) {
		for (unsigned at = 0; at < CONFIG_HEAD; at += 4) {
			const uint32_t value = m->family->config(m, at);

			memcpy(space + at, &value, sizeof(value));
		}
		return;
	}
	memcpy(space, ids, sizeof(ids));
	memcpy(space + 0x0a, &class, sizeof(class));
	memcpy(space + 0x2c, subsystem, sizeof(subsystem));
}

/*
 * Make a PCI configuration space. Returns a file descriptor that EAL uses in place of /sys/.../config,
 * or -1.
 */
static int
config_space(struct model *m)
{
	uint8_t space[CONFIG_SPACE] = { 0 };
	int fd = memfd_create("model_nic config", MFD_CLOEXEC);

	config_fill(m, space);
	if (fd >= 0 && write(fd, space, sizeof(space)) != (ssize_t)sizeof(space)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void
wiring_close(struct model *m)
{
	struct wiring *w = &wirings[m->port];
	int *fds[] = { &w->interrupt_read, &w->interrupt_write, &w->config };

	m->interrupt_fd = -1;
	for (unsigned i = 0; i < 3; i++) {
		if (*fds[i] > 0)
			close(*fds[i]);
		*fds[i] = 0;
	}
}

static void
bars_set(const struct model *m, struct rte_pci_device *d)
{
	const struct model_family *f = m->family;
	uint8_t *at = m->bar_driver;

	for (unsigned i = 0; i == 0 || (i < 2 && f->bars[i].len != 0); i++) {
		struct rte_mem_resource *r = &d->mem_resource[f->bars[i].index];

		r->addr = at;
		r->len = f->bars[i].len != 0 ? f->bars[i].len : f->bar_len;
		r->phys_addr = (uint64_t)(uintptr_t)at;
		at += r->len;
	}
}

/*
 * Make the interrupt and configuration space. An interrupt is 4 bytes in a pipe, as from a UIO
 * device, the only kind that needs no kernel support.
 */
static int
wiring_open(struct model *m, struct rte_pci_device *d)
{
	struct wiring *w = &wirings[m->port];
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
		return -errno;
	w->interrupt_read = fds[0];
	m->interrupt_fd = w->interrupt_write = fds[1];
	w->config = config_space(m);
	if (w->config < 0 || rte_intr_fd_set(d->intr_handle, w->interrupt_read) != 0 ||
		rte_intr_dev_fd_set(d->intr_handle, w->config) != 0 ||
		rte_intr_type_set(d->intr_handle, RTE_INTR_HANDLE_UIO_INTX) != 0)
		return -EIO;
	/* Not earlier: EAL requires physical addresses if a scan finds UIO devices. */
	d->kdrv = KDRV_UIO_GENERIC;
	bars_set(m, d);
	return 0;
}

static void
device_off(struct model *m, struct rte_pci_device *d)
{
	model_power_off(m);
	wiring_close(m);
	d->kdrv = KDRV_NONE;
	memset(d->mem_resource, 0, sizeof(d->mem_resource));
}

static int
stand_in_probe(struct rte_pci_driver *driver, struct rte_pci_device *d)
{
	struct stand_in *s = (struct stand_in *)(void *)driver;
	struct model *m = stand_in_model(d);
	int ret;

	if (m == NULL)
		return 1;
	if (rte_eal_iova_mode() != RTE_IOVA_VA) {
		fputs("model_nic: the application uses physical addresses: use --iova-mode=va\n",
			stderr);
		return -ENOTSUP;
	}
	ret = model_power_on(m);
	if (ret == 0)
		ret = wiring_open(m, d);
	if (ret != 0)
		fprintf(stderr, "model_nic: port %u: %s\n", m->port, strerror(-ret));
	else
		ret = s->original->probe(driver, d);
	if (ret != 0)
		device_off(m, d);
	else
		model_log(m, 1, "%s probed by %s", d->name, driver->driver.name);
	return ret;
}

static int
stand_in_remove(struct rte_pci_device *d)
{
	struct stand_in *s = (struct stand_in *)(void *)PCI_DRIVER_OF(d);
	struct model *m = stand_in_model(d);
	int ret = s->original->remove != NULL ? s->original->remove(d) : 0;

	if (m != NULL && ret >= 0) {
		device_off(m, d);
		control_report_write();
		model_log(m, 1, "%s removed", d->name);
	}
	return ret;
}

/* Memory that a card outside shall reach; modelled cards reach all of the process. */
static int
stand_in_dma_map(struct rte_pci_device *d, void *address, uint64_t iova, size_t len)
{
	struct model *m = stand_in_model(d);
	int ret = -ENOTSUP;

	if (m != NULL && iova == (uint64_t)(uintptr_t)address)
		ret = m->family->reach(m, address, len);
	if (ret != 0)
		rte_errno = -ret;
	return ret;
}

static int
stand_in_dma_unmap(struct rte_pci_device *d, void *address, uint64_t iova, size_t len)
{
	return 0;
}

static bool
id_matches(const struct rte_pci_id *table, const struct rte_pci_id *id)
{
	for (; table != NULL && table->vendor_id != 0; table++)
		if ((table->vendor_id == id->vendor_id || table->vendor_id == RTE_PCI_ANY_ID) &&
			(table->device_id == id->device_id || table->device_id == RTE_PCI_ANY_ID) &&
			(table->subsystem_vendor_id == RTE_PCI_ANY_ID ||
				table->subsystem_vendor_id == id->subsystem_vendor_id) &&
			(table->class_id == id->class_id || table->class_id == RTE_CLASS_ANY_ID))
			return true;
	return false;
}

/* Insert in front of a driver a copy of it that serves only modelled devices. */
static bool
stand_in_add(struct stand_in *s, struct rte_pci_driver *original)
{
	bool reaches = true;
	unsigned n = 0;

	for (unsigned i = 0; i < config_current.ports; i++) {
		struct rte_pci_id id = stand_in_id(i);

		if (!id_matches(original->id_table, &id))
			continue;
		s->ids[n++] = id;
		reaches &= config_current.port[i].family->reach != NULL;
	}
	if (n == 0)
		return false;
	s->original = original;
	s->driver = *original;
	s->driver.id_table = s->ids;
	s->driver.probe = stand_in_probe;
	s->driver.remove = stand_in_remove;
	if (reaches) {
		s->driver.dma_map = stand_in_dma_map;
		s->driver.dma_unmap = stand_in_dma_unmap;
	}
	s->driver.drv_flags &= ~(uint32_t)DRIVER_NEEDS_MAPPING;
	TAILQ_INSERT_BEFORE(PCI_DRIVER_ENTRY(original), PCI_DRIVER_ENTRY(&s->driver), next);
	return true;
}

/*
 * Insert, in front of each driver that can serve modelled devices, a copy that serves only these.
 * To be called once, when all drivers are registered.
 */
static void
stand_ins_add(struct pci_bus *pci)
{
	struct rte_pci_driver *d;
	unsigned n = 0;

	PCI_DRIVER_FOREACH(d, pci)
	{
		if (n < DRIVERS_MAX && d->probe != stand_in_probe && stand_in_add(&stand_ins[n], d))
			n++;
	}
	for (unsigned i = 0; i < config_current.ports; i++) {
		const struct model_family *f = config_current.port[i].family;
		struct rte_pci_id id = stand_in_id(i);
		bool found = false;

		for (unsigned j = 0; j < n; j++)
			found = found || id_matches(stand_ins[j].ids, &id);
		if (!found)
			fprintf(stderr,
				"model_nic: port %u: the application has no driver for %s\n", i,
				f->text);
	}
}

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

static void
device_name(unsigned port, char *name, size_t size)
{
	snprintf(name, size, PCI_PRI_FMT, 0u, PCI_BUS, (uint8_t)port, 0u);
}

/* Report a removal as vfio-pci does when the kernel asks for a device. */
static void
removed(const struct model *m)
{
	char name[PCI_PRI_STR_SIZE];

	device_name(m->port, name, sizeof(name));
	rte_dev_event_callback_process(name, RTE_DEV_EVENT_REMOVE);
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

	if (config_current.port[port].guest[0] != '\0')
		return 0;
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
	device_name(port, d->name, sizeof(d->name));
	if (asprintf(&d->bus_info, "vendor_id=%x, device_id=%x, model_nic=%s", d->id.vendor_id,
		    d->id.device_id, config_current.port[port].family->name) < 0) {
		free(d);
		return -ENOMEM;
	}
	d->max_vfs = (uint16_t)config_functions(&config_current, port, MODEL_PORTS_MAX);
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
	guest_end();
	qemu_wires_end();
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
	for (unsigned i = 0; i < config_current.ports; i++)
		if (config_current.port[i].guest[0] != '\0' && guest_serve(model_port(i)) != 0)
			exit(EXIT_FAILURE);
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
	/* The bus of another release may be another struct. */
	if (rte_version_year() != RTE_VER_YEAR || rte_version_month() != RTE_VER_MONTH) {
		fprintf(stderr,
			"model_nic: %s: expected DPDK %u.%02u: there are no modelled NICs\n",
			rte_version(), RTE_VER_YEAR, RTE_VER_MONTH);
		return;
	}
	rte_bus_register(&bus);
	model_log_by(log_line);
	model_gone_by(removed);
}
