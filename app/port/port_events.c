/* Ethdev events and kernel hotplug events: stored in the port by the interrupt thread, printed by
 * the control thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_events.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "port/port.h"

#include <rte_alarm.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_log.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static_assert(RTE_ETH_EVENT_MAX <= 32, "struct port keeps events in 32 bits");

/* testpmd's names and texts; quiet: printed only with --print-event. */
static const struct {
	enum rte_eth_event_type type;
	const char *word, *text; /* word NULL: selected only by "all" */
	bool quiet;
} kinds[] = {
	{ RTE_ETH_EVENT_UNKNOWN, "unknown", "unknown", false },
	{ RTE_ETH_EVENT_INTR_LSC, "intr_lsc", "link state change", false },
	{ RTE_ETH_EVENT_QUEUE_STATE, "queue_state", "queue state", false },
	{ RTE_ETH_EVENT_INTR_RESET, "intr_reset", "reset", false },
	{ RTE_ETH_EVENT_VF_MBOX, "vf_mbox", "VF mbox", true },
	{ RTE_ETH_EVENT_IPSEC, "ipsec", "IPsec", false },
	{ RTE_ETH_EVENT_MACSEC, "macsec", "MACsec", false },
	{ RTE_ETH_EVENT_INTR_RMV, "intr_rmv", "device removal", false },
	{ RTE_ETH_EVENT_NEW, "dev_probed", "device probed", true },
	{ RTE_ETH_EVENT_DESTROY, "dev_released", "device released", true },
	{ RTE_ETH_EVENT_FLOW_AGED, "flow_aged", "flow aged", false },
	{ RTE_ETH_EVENT_RX_AVAIL_THRESH, NULL, "RxQ available descriptors threshold reached",
		true },
	{ RTE_ETH_EVENT_ERR_RECOVERING, "err_recovering", "error recovering", false },
	{ RTE_ETH_EVENT_RECOVERY_SUCCESS, "recovery_success", "error recovery successful", false },
	{ RTE_ETH_EVENT_RECOVERY_FAILED, "recovery_failed", "error recovery failed", false },
};

/* The watch for cards that are gone. */
enum { WATCH_US = 250 * 1000 };

/* How long a handler of an interrupt is waited for: 2 s. */
enum { SETTLE_STEPS = 20000, SETTLE_US = 100 };

static bool
is_told(const struct ports *ps, size_t kind)
{
	return kinds[kind].quiet == ((ps->events_other >> kinds[kind].type & 1) != 0);
}

int
port_events_tell(struct ports *ps, const char *word, bool tell, struct err *e)
{
	const bool all = strcmp(word, "all") == 0;
	char words[256] = "";
	bool known = all;
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!all && (kinds[i].word == NULL || strcmp(kinds[i].word, word) != 0))
			continue;
		known = true;
		if (is_told(ps, i) != tell)
			ps->events_other ^= UINT32_C(1) << kinds[i].type;
	}
	if (known)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].word != NULL)
			at += (size_t)snprintf(words + at, sizeof(words) - at, "%s|",
				kinds[i].word);
	return err_set(e, EINVAL, "Invalid event: \"%s\": expected %sall", word, words);
}

/* A burst of a port whose card is gone. */
static uint16_t
burst_none(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	return 0;
}

/*
 * Workers see the pointers with their next burst, as with drivers that replace them. ethdev sets them
 * again when the port is stopped and when it is started.
 */
static void
bursts_end(uint16_t id)
{
	struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[id];

	__atomic_store_n(&ops->rx_pkt_burst, burst_none, __ATOMIC_RELAXED);
	__atomic_store_n(&ops->tx_pkt_burst, burst_none, __ATOMIC_RELAXED);
}

void
port_events_removed(struct ports *ps, uint16_t id)
{
	struct port *p = &ps->port[id];

	if (atomic_exchange(&p->removed, true))
		return;
	if (p->state == PORT_STARTED)
		bursts_end(id);
	atomic_fetch_or(&p->events, 1u << RTE_ETH_EVENT_INTR_RMV);
	rte_log(RTE_LOG_WARNING, RTE_LOGTYPE_USER1, "zcfwd: port %u: its card was removed%s\n", id,
		atomic_load(&ps->forwarding)
			? ": it neither receives nor sends; \"stop\" releases it"
			: "");
}

bool
port_events_slot_empty(const char *folder)
{
	char path[PATH_MAX];
	uint32_t words[2] = { UINT32_MAX, UINT32_MAX };
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/config", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno != EMFILE && errno != ENFILE;
	n = pread(fd, words, sizeof(words), 0);
	close(fd);
	/* Not the ids in word 0, which read as ones in virtual functions. */
	return n != (ssize_t)sizeof(words) || words[1] == UINT32_MAX;
}

static bool
slot_empty(const struct port *p)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "/sys/bus/pci/devices/%s",
		p->info.device != NULL ? rte_dev_name(p->info.device) : "");
	return port_events_slot_empty(folder);
}

void
port_events_watch(struct port *p)
{
	p->in_sysfs = !slot_empty(p);
}

/* Thread: interrupt, which must not wait for a lock that a driver's start may hold for seconds. */
static void
watch(void *arg)
{
	struct ports *ps = arg;

	if (pthread_mutex_trylock(&ps->reading) == 0) {
		for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
			const struct port *p = &ps->port[id];

			if (p->state == PORT_STARTED && !atomic_load(&p->removed) &&
				((p->in_sysfs && slot_empty(p)) || rte_eth_dev_is_removed(id) == 1))
				port_events_removed(ps, id);
		}
		pthread_mutex_unlock(&ps->reading);
	}
	rte_eal_alarm_set(WATCH_US, watch, ps);
}

/* Thread: the interrupt thread or control, during attach and detach; so only atomics are used. */
static int
note(uint16_t id, enum rte_eth_event_type type, void *arg, void *ret_param)
{
	struct ports *ps = arg;

	if (id >= RTE_MAX_ETHPORTS || type >= RTE_ETH_EVENT_MAX)
		return 0;
	if (type == RTE_ETH_EVENT_INTR_RMV)
		port_events_removed(ps, id);
	if (type == RTE_ETH_EVENT_INTR_LSC)
		atomic_store(&ps->port[id].link_tsc, rte_rdtsc());
	atomic_fetch_or(&ps->port[id].events, 1u << type);
	return 0;
}

/* Thread: any. */
static void
note_device(const char *device, enum rte_dev_event_type type, void *arg)
{
	struct ports *ps = arg;
	uint16_t id;

	if (type == RTE_DEV_EVENT_ADD)
		rte_log(RTE_LOG_NOTICE, RTE_LOGTYPE_USER1,
			"zcfwd: new device %s; use \"port attach %s\"\n", device, device);
	else if (type == RTE_DEV_EVENT_REMOVE && rte_eth_dev_get_port_by_name(device, &id) == 0)
		port_events_removed(ps, id);
}

void
port_events_listen(struct ports *ps)
{
	int type;

	if (ps->listening)
		return;
	for (type = RTE_ETH_EVENT_UNKNOWN; type < RTE_ETH_EVENT_MAX; type++)
		rte_eth_dev_callback_register(RTE_ETH_ALL, (enum rte_eth_event_type)type, note, ps);
	/* Also of other parts of this process, and of vfio-pci when the kernel asks for a device. */
	rte_dev_event_callback_register(NULL, note_device, ps);
	rte_eal_alarm_set(WATCH_US, watch, ps);
	ps->listening = true;
}

void
port_events_ignore(struct ports *ps)
{
	int type;

	if (!ps->listening)
		return;
	rte_eal_alarm_cancel(watch, ps);
	rte_dev_event_callback_unregister(NULL, note_device, ps);
	for (type = RTE_ETH_EVENT_UNKNOWN; type < RTE_ETH_EVENT_MAX; type++)
		rte_eth_dev_callback_unregister(RTE_ETH_ALL, (enum rte_eth_event_type)type, note,
			ps);
	ps->listening = false;
}

/* Thread: interrupt. */
static void
pass(void *arg)
{
	atomic_store((atomic_bool *)arg, true);
}

void
port_events_settle(const struct port *p)
{
	atomic_bool passed;

	if (p->info.dev_flags == NULL || (*p->info.dev_flags & RTE_ETH_DEV_INTR_LSC) == 0)
		return;
	/* The first pass may precede the handler of an interrupt that arrived with it. */
	for (unsigned int n = 0; n < 2; n++) {
		atomic_init(&passed, false);
		if (rte_eal_alarm_set(1, pass, &passed) != 0)
			return;
		for (unsigned int i = 0; i < SETTLE_STEPS && !atomic_load(&passed); i++)
			rte_delay_us_sleep(SETTLE_US);
		rte_eal_alarm_cancel(pass, &passed);
	}
}

void
port_events_say(struct ports *ps, uint16_t id)
{
	const unsigned int events = atomic_exchange(&ps->port[id].events, 0);

	for (size_t i = 0; events != 0 && i < ARRAY_SIZE(kinds); i++)
		if ((events & (1u << kinds[i].type)) != 0 && is_told(ps, i))
			out_say(ps->out, "\nPort %u: %s event\n", id, kinds[i].text);
}

void
port_events_closed(struct ports *ps)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);

	for (i = 0; i < n; i++) {
		struct port *p = &ps->port[ids[i]];

		if (rte_eth_dev_is_valid_port(ids[i]))
			continue;
		p->state = PORT_ABSENT;
		p->closed = true;
		port_events_say(ps, ids[i]);
		out_say(ps->out, "Port %u is closed\n", ids[i]);
	}
}

int
port_events_hotplug_begin(struct ports *ps, struct err *e)
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
	port_events_listen(ps);
	ps->hotplug = true;
	return 0;
}

void
port_events_hotplug_end(struct ports *ps)
{
	if (!ps->hotplug)
		return;
	rte_dev_event_monitor_stop();
	rte_dev_hotplug_handle_disable();
	ps->hotplug = false;
}
