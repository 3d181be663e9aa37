/* Copies of the application's drivers for modelled devices: they make registers, interrupt and
 * configuration space, then the real driver probes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/stand_in.h"

#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/control.h"
#include "pmd_shims/drivers/model_nic/model_life.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CONFIG_SPACE = 4096,
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

struct rte_pci_id
stand_in_id(unsigned port)
{
	const struct model_family *f = config_current.port[port].family;

	return (struct rte_pci_id){ .class_id = CLASS_ETHERNET << 8,
		.vendor_id = f->vendor_id,
		.device_id = f->device_id,
		.subsystem_vendor_id = SUBSYSTEM_VENDOR,
		.subsystem_device_id = SUBSYSTEM_DEVICE };
}

struct model *
stand_in_model(const struct rte_pci_device *d)
{
	if (d->addr.domain != 0 || d->addr.bus != PCI_BUS || d->addr.function != 0 ||
		d->id.subsystem_vendor_id != SUBSYSTEM_VENDOR)
		return NULL;
	return model_port(d->addr.devid);
}

/*
 * Make a PCI configuration space with the few fields that drivers read. Returns a file descriptor
 * that EAL uses in place of /sys/.../config, or -1.
 */
static int
config_space(unsigned port)
{
	struct rte_pci_id id = stand_in_id(port);
	uint8_t space[CONFIG_SPACE] = { 0 };
	const uint16_t ids[] = { id.vendor_id, id.device_id, 0x6 /* memory, bus master */ };
	const uint16_t class = CLASS_ETHERNET;
	const uint16_t subsystem[] = { SUBSYSTEM_VENDOR, SUBSYSTEM_DEVICE };
	int fd = memfd_create("model_nic config", MFD_CLOEXEC);

	memcpy(space, ids, sizeof(ids));
	memcpy(space + 0x0a, &class, sizeof(class));
	memcpy(space + 0x2c, subsystem, sizeof(subsystem));
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
	w->config = config_space(m->port);
	if (w->config < 0 || rte_intr_fd_set(d->intr_handle, w->interrupt_read) != 0 ||
		rte_intr_dev_fd_set(d->intr_handle, w->config) != 0 ||
		rte_intr_type_set(d->intr_handle, RTE_INTR_HANDLE_UIO_INTX) != 0)
		return -EIO;
	/* Not earlier: EAL requires physical addresses if a scan finds UIO devices. */
	d->kdrv = KDRV_UIO_GENERIC;
	d->mem_resource[0].addr = m->bar_driver;
	d->mem_resource[0].len = m->family->bar_len;
	d->mem_resource[0].phys_addr = (uint64_t)(uintptr_t)m->bar_driver;
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
	unsigned n = 0;

	for (unsigned i = 0; i < config_current.ports; i++) {
		struct rte_pci_id id = stand_in_id(i);

		if (id_matches(original->id_table, &id))
			s->ids[n++] = id;
	}
	if (n == 0)
		return false;
	s->original = original;
	s->driver = *original;
	s->driver.id_table = s->ids;
	s->driver.probe = stand_in_probe;
	s->driver.remove = stand_in_remove;
	s->driver.drv_flags &= ~(uint32_t)DRIVER_NEEDS_MAPPING;
	TAILQ_INSERT_BEFORE(PCI_DRIVER_ENTRY(original), PCI_DRIVER_ENTRY(&s->driver), next);
	return true;
}

void
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
