/* Hotplug events of the kernel: noted by the interrupt thread, acted on by port_events_show(). */
#include "port/port_hotplug.h"

#include "base/err.h"
#include "port/port.h"

#include <rte_dev.h>
#include <rte_log.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Thread: interrupt. */
static void
note(const char *device, enum rte_dev_event_type type, void *arg)
{
	struct ports *ps = arg;
	uint16_t id;

	if (type == RTE_DEV_EVENT_ADD)
		rte_log(RTE_LOG_NOTICE, RTE_LOGTYPE_USER1,
			"zcfwd: device %s has been added: port attach %s\n", device, device);
	else if (type == RTE_DEV_EVENT_REMOVE && rte_eth_dev_get_port_by_name(device, &id) == 0)
		atomic_store(&ps->port[id].removed, true);
}

int
port_hotplug_begin(struct ports *ps, struct err *e)
{
	int ret;

	if (!setting_on(ps->settings, "hot-plug"))
		return 0;
	ret = rte_dev_hotplug_handle_enable();
	if (ret != 0)
		return err_set(e, abs(ret), "hot-plug: fail to enable hotplug handling: %s",
			strerror(abs(ret)));
	ret = rte_dev_event_monitor_start();
	if (ret != 0)
		return err_set(e, abs(ret), "hot-plug: fail to start device event monitoring: %s",
			strerror(abs(ret)));
	ret = rte_dev_event_callback_register(NULL, note, ps);
	if (ret != 0)
		return err_set(e, abs(ret), "hot-plug: fail to register for device events: %s",
			strerror(abs(ret)));
	ps->hotplug = true;
	return 0;
}

void
port_hotplug_end(struct ports *ps)
{
	if (!ps->hotplug)
		return;
	rte_dev_event_monitor_stop();
	rte_dev_event_callback_unregister(NULL, note, ps);
	rte_dev_hotplug_handle_disable();
	ps->hotplug = false;
}
