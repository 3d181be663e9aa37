/* Attach and detach devices with their ports: by command, and after a device was removed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_attach.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "memory/extmem.h"
#include "memory/extmem_device.h"
#include "memory/pool_memory.h"
#include "pmd_shims/close_faults.h"
#include "pmd_shims/left_out.h"
#include "port/device.h"
#include "port/dma_devices.h"
#include "port/port.h"
#include "port/port_events.h"
#include "port/port_feature.h"
#include "port/port_life.h"
#include "port/port_setup.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_eal.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/*
 * True if a new port shall be initialised: with port-setup event every new port, with iterator only
 * ports that match the argument of port attach.
 */
static bool
is_meant(const struct ports *ps, uint16_t id, const char *devargs)
{
	struct rte_dev_iterator iterator;
	bool meant = false;
	uint16_t other;

	if (setting_u64(ps->settings, "port-setup") == 0)
		return true;
	RTE_ETH_FOREACH_MATCHING_DEV(other, devargs, &iterator)
	meant |= other == id;
	return meant;
}

/*
 * Initialise the ports that are new since known was filled (known[id]: the port existed). Returns
 * their number.
 */
static unsigned int
welcome(struct ports *ps, const bool *known, const char *devargs, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_probe(ps), total = 0, came = 0;

	port_ids(ps, ids);
	for (i = 0; i < n; i++)
		total += known[ids[i]];
	for (i = 0; i < n; i++) {
		struct port *p = port_at(ps, ids[i]);

		if (known[p->id] || !is_meant(ps, p->id, devargs))
			continue;
		came++;
		if (port_setup_prepare(ps, p, e) == 0)
			port_setup_promiscuous(ps, p);
		port_events_say(ps, p->id);
		out_say(ps->out, "Port %u is attached. Now total ports is %u\n", p->id,
			total + came);
		out_say(ps->out, "Done\n");
	}
	return came;
}

/* EAL would forward the request to the primary, whose workers would not expect the change. */
static int
primary_check(struct err *e)
{
	return rte_eal_process_type() != RTE_PROC_SECONDARY
		? 0
		: err_set(e, EPERM, "only the primary process can attach and detach devices");
}

/*
 * Find the device of a bus and name through one of its ports, open or closed; NULL if it has no
 * port.
 */
static struct rte_device *
device_find(const struct ports *ps, const struct rte_devargs *parsed, uint16_t *id)
{
	for (*id = 0; *id < RTE_MAX_ETHPORTS; (*id)++) {
		const struct port *p = &ps->port[*id];
		struct rte_device *device = p->info.device;

		if ((p->state != PORT_ABSENT || p->closed) && device != NULL &&
			rte_dev_bus(device) == parsed->bus &&
			strcmp(rte_dev_name(device), parsed->name) == 0)
			return device;
	}
	return NULL;
}

static int
no_bus(const char *devargs, struct err *e)
{
	return err_set(e, EINVAL,
		"Failed to attach port %s: no bus accepts it; use a bus address or net_NAME",
		devargs);
}

/* Report why there is no new port. ret: result of the probe. */
static int
attach_fail(const struct ports *ps, const char *devargs, const struct rte_devargs *parsed, int ret,
	struct err *e)
{
	uint16_t id;

	if (ret != 0 && ret != -EEXIST && rte_eth_dev_count_total() >= RTE_MAX_ETHPORTS)
		return err_set(e, ENOSPC,
			"Failed to attach port %s: all %u ports exist, " PORT_LIMIT, devargs,
			RTE_MAX_ETHPORTS);
	if (ret == -EFAULT || ret == -EINVAL)
		return no_bus(devargs, e);
	if (ret != 0 && ret != -EEXIST)
		return err_set(e, abs(ret), "Failed to attach port %s: %s", devargs,
			strerror(abs(ret)));
	if (device_find(ps, parsed, &id) == NULL)
		return err_set(e, EEXIST,
			"Failed to attach port %s: the device is already probed and has no new port",
			devargs);
	return err_set(e, EEXIST, "Failed to attach port %s: already attached as port %u%s",
		devargs, id,
		ps->port[id].closed ? ", which is closed; use \"port detach\" first" : "");
}

/* Probe a device and initialise its ports. */
static int
attach_parsed(struct ports *ps, const char *devargs, const struct rte_devargs *parsed,
	struct err *e)
{
	bool known[RTE_MAX_ETHPORTS] = { false };
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_probe(ps);
	int ret;

	port_ids(ps, ids);
	for (i = 0; i < n; i++)
		known[ids[i]] = true;
	pthread_mutex_lock(&ps->reading);
	/*
	 * Bus, name and arguments are passed separately, because some buses need arguments but do
	 * not get any in the form with keys (bus=...).
	 */
	ret = rte_eal_hotplug_add(rte_bus_name(parsed->bus), parsed->name,
		parsed->args != NULL ? parsed->args : "");
	pthread_mutex_unlock(&ps->reading);
	/*
	 * Unlike testpmd's event mode this also finds ports that a driver adds to a device that was
	 * probed earlier.
	 */
	if (welcome(ps, known, devargs, e) > 0)
		return -e->code;
	return attach_fail(ps, devargs, parsed, ret, e);
}

int
port_attach(struct ports *ps, const char *devargs, struct err *e)
{
	struct rte_devargs parsed;
	int ret;

	if (primary_check(e) != 0 ||
		(ps->extmems != NULL && extmem_driver_check(ps->extmems, devargs, e) != 0) ||
		pool_memory_device_check((enum pool_alloc)setting_u64(ps->settings, "mp-alloc"),
			devargs, e) != 0)
		return -e->code;
	out_say(ps->out, "Attaching a new port...\n");
	if (!device_parse(&parsed, devargs))
		return left_out_device(left_out_drivers, devargs, e) != 0 ? -e->code
									  : no_bus(devargs, e);
	ret = attach_parsed(ps, devargs, &parsed, e);
	rte_devargs_reset(&parsed);
	return ret;
}

/* True if a port of the device is started; e then names the port. */
static bool
device_busy(const struct ports *ps, const struct rte_device *device, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);

	for (i = 0; i < n; i++) {
		const struct port *p = port_at(ps, ids[i]);

		if (p->info.device == device && p->state == PORT_STARTED) {
			err_set(e, EBUSY, "Port %u not stopped", p->id);
			return true;
		}
	}
	return false;
}

/*
 * Tell the features of all ports of a device that is about to be removed, and free the packets that
 * their driver would leak.
 */
static void
device_leaves(struct ports *ps, const struct rte_device *device)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);

	for (i = 0; i < n; i++)
		if (port_at(ps, ids[i])->info.device == device) {
			port_features_at(ps, port_at(ps, ids[i]), PORT_LEAVING);
			close_faults_free(ids[i], port_at(ps, ids[i])->info.driver_name);
			port_events_settle(port_at(ps, ids[i]));
		}
}

/* Remove all ports of a removed device from the table, including closed ones. */
static void
device_gone(struct ports *ps, const struct rte_device *device)
{
	uint16_t id;

	port_events_closed(ps);
	for (id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (ps->port[id].info.device == device) {
			ps->port[id].closed = false;
			ps->port[id].info.device = NULL;
			port_keep_free(&ps->port[id]);
		}
}

static void
left_say(const struct ports *ps)
{
	uint16_t ids[RTE_MAX_ETHPORTS];

	out_say(ps->out, "Now total ports is %u\n", port_ids(ps, ids));
	out_say(ps->out, "Done\n");
}

int
port_detach(struct ports *ps, uint16_t id, struct err *e)
{
	struct port *p = id < RTE_MAX_ETHPORTS ? &ps->port[id] : NULL;
	struct rte_device *device;
	int ret;

	if (p == NULL || (p->state == PORT_ABSENT && !p->closed))
		return err_set(e, ENODEV, "Invalid port_id=%u", id);
	if (p->state == PORT_STARTED)
		return err_set(e, EBUSY, "Port not stopped");
	if (p->state == PORT_STOPPED)
		out_warn(ps->out, "Port was not closed\n");
	device = p->info.device;
	if (device == NULL)
		return err_set(e, ENODEV, "Device already removed");
	out_say(ps->out, "Removing a device...\n");
	if (device_busy(ps, device, e))
		return -EBUSY;
	device_leaves(ps, device);
	pthread_mutex_lock(&ps->reading);
	ret = rte_dev_remove(device);
	pthread_mutex_unlock(&ps->reading);
	if (ret < 0)
		return err_set(e, abs(ret), "Failed to detach port %u (driver %s): %s", id,
			p->info.driver_name, strerror(abs(ret)));
	device_gone(ps, device);
	out_say(ps->out, "Device is detached\n");
	left_say(ps);
	return 0;
}

int
port_detach_device(struct ports *ps, const char *devargs, struct err *e)
{
	struct rte_device *device;
	struct rte_devargs parsed;
	uint16_t id;
	int ret;

	if (primary_check(e) != 0)
		return -e->code;
	out_say(ps->out, "Removing a device...\n");
	if (!device_parse(&parsed, devargs))
		return err_set(e, EINVAL, "cannot parse identifier %s", devargs);
	device = device_find(ps, &parsed, &id);
	if ((device != NULL && device_busy(ps, device, e)) ||
		dma_devices_removable(ps, parsed.name, e) != 0) {
		rte_devargs_reset(&parsed);
		return -EBUSY;
	}
	if (device != NULL)
		device_leaves(ps, device);
	pthread_mutex_lock(&ps->reading);
	ret = rte_eal_hotplug_remove(rte_bus_name(parsed.bus), parsed.name);
	pthread_mutex_unlock(&ps->reading);
	if (ret != 0) {
		err_set(e, abs(ret), "Failed to detach device %s(%s): %s", parsed.name,
			rte_bus_name(parsed.bus), strerror(abs(ret)));
	} else {
		device_gone(ps, device);
		out_say(ps->out, "Device %s is detached\n", devargs);
		left_say(ps);
	}
	rte_devargs_reset(&parsed);
	return ret;
}

/* Stop, close and detach a port whose device was removed. Errors are expected and ignored. */
static void
part_with(struct ports *ps, uint16_t id)
{
	static int (*const steps[])(struct ports * ps, uint16_t port, struct err * e) = { port_stop,
		port_close, port_detach };
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		err_clear(&e);
		if (steps[i](ps, id, &e) != 0)
			out_warn(ps->out, "%s\n", e.text);
	}
	atomic_store(&ps->port[id].removed, false);
}

unsigned int
port_handle_events(struct ports *ps)
{
	unsigned int waiting = 0;
	uint16_t id;

	for (id = 0; id < RTE_MAX_ETHPORTS; id++) {
		struct port *p = &ps->port[id];

		port_events_say(ps, id);
		if (!atomic_load(&p->removed))
			continue;
		if (ps->forwarding)
			waiting++;
		else
			part_with(ps, id);
	}
	if (!ps->forwarding)
		port_events_closed(ps);
	return waiting;
}
