/* The life of ports through the commands: while packets are forwarded, with drivers that fail, attached,
 * detached, removed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_life.h"

#include "base/err.h"
#include "fixtures/port_faults.h"
#include "fixtures/unit.h"
#include "port/port_attach.h"
#include "port/port_events.h"

#include <rte_dev.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ATTACHING "Attaching a new port...\n"
#define ATTACHED(port, ports) "Port " #port " is attached. Now total ports is " #ports "\nDone\n"
#define DETACHED "Device is detached\nNow total ports is 2\nDone\n"
#define LSC "\nPort 1: link state change event\n"
#define MBOX "\nPort 1: VF mbox event\n"
#define THRESHOLD "\nPort 1: RxQ available descriptors threshold reached event\n"

TEST(table)
{
	struct app *app = *state;
	const struct ports *ps = &app->ports;
	uint16_t ids[RTE_MAX_ETHPORTS];
	struct err e;

	err_clear(&e);
	assert_int_equal(port_ids(ps, ids), 2);
	assert_true(port_is_started(ps, 0) && port_is_started(ps, 1));
	assert_int_equal(port_check_all_stopped(ps, &e), -EBUSY);
	assert_null(port_at(ps, 2));
	assert_null(port_at(ps, UINT16_MAX));
	assert_int_equal(port_missing(ps, 9, &e), -ENODEV);
	assert_string_equal(e.text, "Invalid port 9");
	assert_string_equal(port_fixture_results(), "The valid ports array is [ 0 1 ]\n");
	assert_false(port_is_started(ps, 9) || port_is_started(ps, UINT16_MAX));
	assert_true(port_flush_rx(&app->ports, ids, 1) >= UINT16_MAX);
}

/*
 * Commands that are refused while packets are forwarded. Those for starting, stopping, closing and
 * resetting ports are not here: tests/contract compares them with testpmd.
 */
TEST(forwarding)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "device detach net_null0", "Removing a device...\n", "Port 0 not stopped\n" },
		{ "port config all rxq 2", "",
			"Please stop all ports first: use \"stop\", then \"port stop all\"\n" },
		{ "port config 0 rx_offload vlan_strip on", "",
			"Error: Can't config offload when Port 0 is not stopped\n" },
		{ "port 0 rxq 0 stop", "", "Please stop forwarding first\n" },
		{ "port 0 rxq 0 setup", "", "Please stop forwarding first\n" },
		{ "port 0 rxq 0 deferred_start on", STOP_FIRST },
		{ "set eth-peer 0 02:00:00:00:00:77", "", "Please stop forwarding first\n" },
		{ "set port 0 gro on", "",
			"Before enable/disable GRO, please stop forwarding first\n" },
		{ "set gro flush 2", "",
			"Before change flush interval for GRO, please stop forwarding first.\n" },
		{ "set port 0 gso on", "", "before enabling GSO, please stop forwarding first\n" },
		{ "set port 0 gso off", "",
			"before disabling GSO, please stop forwarding first\n" },
		{ "set gso segsz 1000", "",
			"Before setting GSO segsz, please first stop forwarding\n" },
	};

	app->ports.forwarding = true;
	PORT_FIXTURE_ROWS(steps);
	app->ports.forwarding = false;
}

TEST(drivers_fail)
{
	struct app *app = *state;
	static const struct {
		int *fault, value;
		struct port_fixture_row row;
	} faults[] = {
		{ &port_faults.configure, -EINVAL,
			{ "port start all", CONFIGURING(0),
				"Fail to configure port 0: driver net_null, 2 Rx and 1 Tx queues: Invalid argument\n" } },
		{ &port_faults.info, -EIO,
			{ "port start all", CONFIGURING(0),
				"Error during getting device (port 0) info: Input/output error\n" } },
		{ &port_faults.txq, -EINVAL,
			{ "port start all", CONFIGURING(0),
				"Fail to configure port 0 tx queues: queue 0, driver net_null: Invalid argument\n" } },
		{ &port_faults.rxq, -ENOMEM,
			{ "port start all", NULL,
				"Fail to configure port 0 rx queues: queue 0, driver net_null: no memory; 8191 of 8191 buffers are free "
				"in pool mb_pool_0; use a larger --total-num-mbufs\n" } },
		{ &port_faults.start, -EIO,
			{ "port start all", CONFIGURING(1) MAC(1) CHECKING "Done\n",
				"Fail to start port 0: Input/output error (driver net_null)\n" } },
		{ NULL, 0, { "port start 0", STARTED_0 } },
		{ &port_faults.stop, -EIO,
			{ "port stop all", STOPPED,
				"rte_eth_dev_stop failed for port 0: Input/output error (driver net_null)\n" } },
	};

	port_fixture_says("port stop all", STOPPED, "");
	port_fixture_says("port config all rxq 2", "", "");
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		if (faults[i].fault != NULL)
			*faults[i].fault = faults[i].value;
		port_fixture_rows(&faults[i].row, 1);
		port_faults_calm(state);
	}
	assert_int_equal(app->ports.port[0].state, PORT_STARTED);
	assert_int_equal(app->ports.port[1].state, PORT_STOPPED);
	port_fixture_says("port stop all", STOPPED, "");
	port_faults.reset = 1;
	port_fixture_says("port reset 0", "Resetting ports...\nDone\n", "");
	port_fixture_says("port config all rxq 1", "", "");
	port_fixture_says("port start all", CONFIGURED, "");
}

TEST(links)
{
	struct rte_eth_link link;
	char up[RTE_ETH_LINK_MAX_STR_LEN], polled[256];

	/* DPDK's own words, that grow from release to release. */
	assert_int_equal(rte_eth_link_get_nowait(1, &link), 0);
	rte_eth_link_to_str(up, sizeof(up), &link);
	assert_ptr_equal(strstr(up, "Link up at 10 Gbps FDX Fixed"), up);
	snprintf(polled, sizeof(polled),
		"Stopping ports...\n" CHECKING "Port 0 Link down\nPort 1 %s\nDone\n", up);
	port_faults.down = true;
	port_fixture_says("port stop 0", STOPPED, "");
	port_fixture_set("link-check", "off");
	port_fixture_says("port start 0", MAC(0) "Done\n", "");
	port_fixture_set("link-check", "on");
	port_faults.down = false;
	/* Links that are polled are shown. */
	port_fixture_set("no-lsc-interrupt", "on");
	port_fixture_says("port stop 0", polled, "");
	port_fixture_set("no-lsc-interrupt", "off");
	port_fixture_says("port start 0", STARTED_0, "");
}

/* Arguments, and ports that are closed before they are detached. */
TEST(hotplug)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "port attach net_null7,copy=1", ATTACHING ATTACHED(2, 3), NULL },
		{ "port detach 2",
			"Removing a device...\nPort 2 is closed\nDevice is detached\nNow total ports is 2\nDone\n",
			"Port was not closed\n" },
		{ "port detach 2", "", "Invalid port_id=2\n" },
		{ "port attach net_null7", ATTACHING ATTACHED(2, 3), NULL },
		{ "port close 2", "Closing ports...\nPort 2 is closed\nDone\n", NULL },
		{ "port close 2", "", "Invalid port 2: expected 0 or 1\n" },
		{ "port start 2", "", "Invalid port 2: expected 0 or 1\n" },
		{ "port attach net_null7", ATTACHING,
			"Failed to attach port net_null7: already attached as port 2, which is closed; use \"port detach\" first\n" },
		{ "port detach 2", "Removing a device...\n" DETACHED, NULL },
		{ "port attach net_null7", ATTACHING ATTACHED(2, 3), NULL },
		{ "device detach net_null7",
			"Removing a device...\nPort 2 is closed\nDevice net_null7 is detached\nNow total ports is 2\n"
			"Done\n",
			NULL },
	};

	PORT_FIXTURE_ROWS(steps);
	assert_int_equal(app->run.choice.n_ports, 2);
}

/* EAL's parser takes keys and values that name no device, or leaves their arguments NULL. */
TEST(identifiers)
{
	static const char *const nameless[] = { "bus", "class", ",bus", "bus,name=net_null7",
		"bus/class=eth", "class=eth", "class=eth,mac=02:00:00:00:00:10", "bus=vdev",
		"bus=vdev,name", "bus=vdev,name=", "bus=vdev/class=eth", "bus=pci", "bus=pci,addr",
		"bus=ifpga", "bus=", "bus=bogus,name=net_null7", "class=bogus", "name=net_null7",
		"driver=net_null", ",", "=", "/" };
	static const struct port_fixture_row steps[] = {
		{ "port attach bus=vdev,name=net_null0", ATTACHING,
			"Failed to attach port bus=vdev,name=net_null0: already attached as port 0\n" },
		{ "device detach bus=vdev,name=net_null0", "Removing a device...\n",
			"Port 0 not stopped\n" },
		{ "device detach net_null0,mac=02:00:00:00:00:99", "Removing a device...\n",
			"Port 0 not stopped\n" },
		{ "device detach bus=pci,addr=0000:7f:1f.7", "Removing a device...\n",
			"Failed to detach device 0000:7f:1f.7(pci): Invalid argument\n" },
		{ "port attach bus=ifpga,name=x", ATTACHING,
			"Failed to attach port bus=ifpga,name=x: no bus accepts it; use a bus address or net_NAME\n" },
		{ "port attach bus=vdev,name=net_null7/class=eth", ATTACHING ATTACHED(2, 3), NULL },
		{ "device detach bus=vdev,name=net_null7/class=eth",
			"Removing a device...\nPort 2 is closed\n"
			"Device bus=vdev,name=net_null7/class=eth is detached\nNow total ports is 2\nDone\n",
			NULL },
	};
	char line[128], failures[256];

	for (size_t i = 0; i < ARRAY_SIZE(nameless); i++) {
		snprintf(line, sizeof(line), "port attach %s", nameless[i]);
		snprintf(failures, sizeof(failures),
			"Failed to attach port %s: no bus accepts it; use a bus address or net_NAME\n",
			nameless[i]);
		port_fixture_says(line, ATTACHING, failures);
		snprintf(line, sizeof(line), "device detach %s", nameless[i]);
		snprintf(failures, sizeof(failures), "cannot parse identifier %s\n", nameless[i]);
		port_fixture_says(line, "Removing a device...\n", failures);
	}
	PORT_FIXTURE_ROWS(steps);
}

TEST(events_chosen)
{
	static const unsigned int mbox = 1u << RTE_ETH_EVENT_VF_MBOX,
				  lsc = 1u << RTE_ETH_EVENT_INTR_LSC,
				  threshold = 1u << RTE_ETH_EVENT_RX_AVAIL_THRESH;
	static const struct {
		const char *word;
		bool tell;
		const char *text;
	} rows[] = {
		{ "vf_mbox", true, LSC MBOX },
		{ "intr_lsc", false, MBOX },
		{ "intr_lsc", false, MBOX },
		{ "all", true, LSC MBOX THRESHOLD },
		{ "all", true, LSC MBOX THRESHOLD },
		{ "vf_mbox", false, LSC THRESHOLD },
		{ "all", false, "" },
		{ "intr_lsc", true, LSC },
	};
	struct app *app = *state;
	struct ports *ps = &app->ports;
	struct err e;

	atomic_fetch_or(&ps->port[1].events, mbox | lsc | threshold);
	assert_int_equal(port_handle_events(ps), 0);
	assert_string_equal(port_fixture_results(), LSC);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(port_events_tell(ps, rows[i].word, rows[i].tell, NULL), 0);
		atomic_fetch_or(&ps->port[1].events, mbox | lsc | threshold);
		assert_int_equal(port_handle_events(ps), 0);
		assert_string_equal(port_fixture_results(), rows[i].text);
	}
	err_clear(&e);
	assert_int_equal(port_events_tell(ps, "intr", true, &e), -EINVAL);
	assert_non_null(strstr(e.text, "Invalid event: \"intr\": expected unknown|intr_lsc|"));
	assert_int_equal(port_events_tell(ps, "", true, NULL), -EINVAL);
	ps->events_other = 0;
	/* Birth and end are told where they happen. */
	assert_int_equal(port_events_tell(ps, "dev_probed", true, NULL), 0);
	assert_int_equal(port_events_tell(ps, "dev_released", true, NULL), 0);
	port_fixture_says("port attach net_null5",
		ATTACHING "\nPort 2: device probed event\n" ATTACHED(2, 3), "");
	port_fixture_says("port close 2",
		"Closing ports...\n\nPort 2: device released event\nPort 2 is closed\nDone\n", "");
	port_fixture_says("port detach 2", "Removing a device...\n" DETACHED, "");
	ps->events_other = 0;
}

TEST(events)
{
	struct app *app = *state;
	struct ports *ps = &app->ports;

	port_fixture_says("port attach net_null8", ATTACHING ATTACHED(2, 3), "");
	port_handle_events(ps);
	assert_string_equal(port_fixture_results(), "");
	atomic_fetch_or(&ps->port[1].events, 1u << RTE_ETH_EVENT_INTR_LSC);
	assert_int_equal(port_handle_events(ps), 0);
	assert_string_equal(port_fixture_results(), "\nPort 1: link state change event\n");
	atomic_store(&ps->port[2].removed, true);
	atomic_fetch_or(&ps->port[2].events, 1u << RTE_ETH_EVENT_INTR_RMV);
	ps->forwarding = true;
	assert_int_equal(port_handle_events(ps), 1);
	assert_string_equal(port_fixture_results(), "\nPort 2: device removal event\n");
	assert_non_null(port_at(ps, 2));
	ps->forwarding = false;
	assert_int_equal(port_handle_events(ps), 0);
	assert_string_equal(port_fixture_results(),
		"Stopping ports...\nDone\nClosing ports...\nPort 2 is closed\nDone\nRemoving a device...\n"
		"Device is detached\nNow total ports is 2\nDone\n");
	assert_null(port_at(ps, 2));
	port_fixture_failures();
}

/* Packets that one burst of port 1 receives from, or sends to, its own queue 0. */
static unsigned int
burst(bool rx)
{
	struct rte_mbuf *pkts[4];
	uint16_t n;

	if (rx) {
		n = rte_eth_rx_burst(1, 0, pkts, 4);
		rte_pktmbuf_free_bulk(pkts, n);
		return n;
	}
	assert_int_equal(rte_pktmbuf_alloc_bulk(rte_mempool_lookup("mb_pool_0"), pkts, 4), 0);
	n = rte_eth_tx_burst(1, 0, pkts, 4);
	rte_pktmbuf_free_bulk(pkts + n, 4 - n);
	return n;
}

/* A device that EAL says was removed: no burst moves a packet until the port was stopped. */
TEST(removed)
{
	struct app *app = *state;
	struct ports *ps = &app->ports;
	struct port *p = &ps->port[1];

	assert_int_equal(burst(true), 4);
	assert_int_equal(burst(false), 4);
	ps->forwarding = true;
	rte_dev_event_callback_process("net_null1", RTE_DEV_EVENT_ADD);
	rte_dev_event_callback_process("net_null9", RTE_DEV_EVENT_REMOVE);
	assert_false(atomic_load(&p->removed) || atomic_load(&ps->port[0].removed));
	rte_dev_event_callback_process("net_null1", RTE_DEV_EVENT_REMOVE);
	assert_true(atomic_load(&p->removed) && !atomic_load(&ps->port[0].removed));
	assert_int_equal(burst(true), 0);
	assert_int_equal(burst(false), 0);
	assert_int_equal(port_handle_events(ps), 1);
	assert_string_equal(port_fixture_results(), "\nPort 1: device removal event\n");
	rte_dev_event_callback_process("net_null1", RTE_DEV_EVENT_REMOVE);
	assert_int_equal(port_handle_events(ps), 1);
	assert_string_equal(port_fixture_results(), "");
	/* As if it was back: the driver's own bursts come with a start. */
	ps->forwarding = false;
	atomic_store(&p->removed, false);
	port_fixture_says("port stop 1", STOPPED, "");
	port_fixture_says("port start 1", MAC(1) CHECKING "Done\n", "");
	assert_int_equal(burst(true), 4);
	assert_int_equal(burst(false), 4);
}

/* The slot of a PCI device as /sys has it: a folder with a file config. */
TEST(slots)
{
	static const struct {
		const char *config; /* NULL: no file */
		size_t n;
		bool empty;
	} rows[] = {
		{ "\x86\x80\xd3\x10\x06\x00\x10\x00", 8, false },
		/* A virtual function, whose ids read as ones. */
		{ "\xff\xff\xff\xff\x04\x00\x10\x00", 8, false },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff", 8, true },
		{ "\x86\x80\xd3\x10", 4, true },
		{ "", 0, true },
		{ NULL, 0, true },
	};
	char folder[] = "/tmp/slot-XXXXXX", path[64];

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/config", folder);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		FILE *f = rows[i].config != NULL ? fopen(path, "w") : NULL;

		if (f == NULL)
			assert_int_equal(remove(path), 0);
		else if (fwrite(rows[i].config, 1, rows[i].n, f) != rows[i].n || fclose(f) != 0)
			fail_msg("%s", path);
		assert_int_equal(port_events_slot_empty(folder), rows[i].empty);
	}
	assert_int_equal(rmdir(folder), 0);
	/* Ports on other buses are not looked for in /sys. */
	assert_false(((struct app *)*state)->ports.port[1].in_sysfs);
}

/* The watch: a driver that knows that its card is gone, and a slot that was there at the start. */
TEST(watched)
{
	struct app *app = *state;
	struct ports *ps = &app->ports;

	port_faults.gone = true;
	for (int i = 0; i < 5000 && !atomic_load(&ps->port[1].removed); i++)
		usleep(1000);
	assert_true(atomic_load(&ps->port[1].removed) && !atomic_load(&ps->port[0].removed));
	port_faults.gone = false;
	atomic_store(&ps->port[1].removed, false);
	atomic_store(&ps->port[1].events, 0);
	pthread_mutex_lock(&ps->reading);
	ps->port[1].in_sysfs = true; /* where net_null1 is not any more */
	pthread_mutex_unlock(&ps->reading);
	for (int i = 0; i < 5000 && !atomic_load(&ps->port[1].removed); i++)
		usleep(1000);
	assert_true(atomic_load(&ps->port[1].removed));
	port_handle_events(ps);
	assert_null(port_at(ps, 1));
	port_fixture_results();
	port_fixture_failures();
	port_fixture_says("port attach net_null1", ATTACHING ATTACHED(1, 2), "");
}

/* The last one: there are no ports afterwards. */
TEST(quit)
{
	struct app *app = *state;
	port_quit(&app->ports);
	assert_string_equal(port_fixture_results(),
		"\nStopping port 0...\nStopping ports...\nDone\n\nStopping port 1...\nStopping ports...\nDone\n"
		"\nShutting down port 0...\nClosing ports...\nPort 0 is closed\nDone\n"
		"\nShutting down port 1...\nClosing ports...\nPort 1 is closed\nDone\n");
	assert_string_equal(port_fixture_failures(), "");
}

TESTS(.setup = port_faults_setup, .teardown = port_fixture_teardown, .before = port_faults_calm);
