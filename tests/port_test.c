/* Ports: their life and their configuration through the commands, word for word as testpmd answers, and with drivers that fail. */
#include "port.h"

#include "app.h"
#include "base.h"
#include "engine.h"
#include "err.h"
#include "grammar.h"
#include "lists.h"
#include "out.h"
#include "port_conf.h"
#include "port_stats.h"
#include "types_app.h"

#include <rte_eal.h>
#include <rte_gso.h>

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

extern const struct engine engine_csum;
extern const struct cmd_table cmds_port, cmds_port_conf, cmds_port_offload;

static const struct cmd_table *const tables[] = { &cmds_port, &cmds_port_conf, &cmds_port_offload };

static struct bed {
	struct app app;
	FILE *results, *failures;
	char *text, *failed;
	size_t n_text, n_failed;
} * bed;

/* What the drivers answer on port `port` instead of doing something; 0: their own. */
static struct {
	int start, stop, configure, rxq, txq, mtu, reset, queue;
	uint16_t port;
	bool down;
	uint64_t rx_can, tx_can;
} fake;

/* Stand in front of DPDK's function of that name. */
#define OWN(function) (*(void **)(&own) = dlsym(RTLD_NEXT, #function))

int
rte_eth_dev_start(uint16_t id)
{
	int (*own)(uint16_t);

	OWN(rte_eth_dev_start);
	return id == fake.port && fake.start != 0 ? fake.start : own(id);
}

int
rte_eth_dev_stop(uint16_t id)
{
	int (*own)(uint16_t);

	OWN(rte_eth_dev_stop);
	return id == fake.port && fake.stop != 0 ? fake.stop : own(id);
}

int
rte_eth_dev_configure(uint16_t id, uint16_t n_rxq, uint16_t n_txq, const struct rte_eth_conf *conf)
{
	int (*own)(uint16_t, uint16_t, uint16_t, const struct rte_eth_conf *);
	struct rte_eth_conf plain = *conf;

	OWN(rte_eth_dev_configure);
	if (id == fake.port && fake.configure != 0)
		return fake.configure;
	plain.rxmode.offloads &= ~fake.rx_can;
	plain.txmode.offloads &= ~fake.tx_can;
	return own(id, n_rxq, n_txq, &plain);
}

int
rte_eth_rx_queue_setup(uint16_t id, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_rxconf *conf, struct rte_mempool *mp)
{
	int (*own)(uint16_t, uint16_t, uint16_t, unsigned int, const struct rte_eth_rxconf *,
		struct rte_mempool *);
	struct rte_eth_rxconf plain = *conf;

	OWN(rte_eth_rx_queue_setup);
	plain.offloads &= ~fake.rx_can;
	return id == fake.port && fake.rxq != 0 ? fake.rxq : own(id, queue, n, socket, &plain, mp);
}

int
rte_eth_tx_queue_setup(uint16_t id, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_txconf *conf)
{
	int (*own)(uint16_t, uint16_t, uint16_t, unsigned int, const struct rte_eth_txconf *);
	struct rte_eth_txconf plain = *conf;

	OWN(rte_eth_tx_queue_setup);
	plain.offloads &= ~fake.tx_can;
	return id == fake.port && fake.txq != 0 ? fake.txq : own(id, queue, n, socket, &plain);
}

int
rte_eth_dev_set_mtu(uint16_t id, uint16_t mtu)
{
	int (*own)(uint16_t, uint16_t);

	OWN(rte_eth_dev_set_mtu);
	return id == fake.port && fake.mtu != 0 ? fake.mtu : own(id, mtu);
}

/* What net_null does with its queues depends on the release. */
int
rte_eth_dev_rx_queue_start(uint16_t id, uint16_t queue)
{
	return fake.queue;
}

int
rte_eth_dev_rx_queue_stop(uint16_t id, uint16_t queue)
{
	return fake.queue;
}

int
rte_eth_dev_reset(uint16_t id)
{
	int (*own)(uint16_t);

	OWN(rte_eth_dev_reset);
	return id == fake.port && fake.reset != 0 ? fake.reset - 1 : own(id);
}

int
rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int (*own)(uint16_t, struct rte_eth_dev_info *);
	int ret;

	OWN(rte_eth_dev_info_get);
	ret = own(id, info);
	info->rx_offload_capa |= fake.rx_can;
	info->tx_offload_capa |= fake.tx_can;
	info->max_rx_queues = 300;
	info->rx_desc_lim.nb_max = 4096;
	info->rx_desc_lim.nb_min = 8;
	info->min_mtu = 68;
	info->max_mtu = 9000;
	info->max_rx_pktlen = 9018;
	return ret;
}

int
rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link)
{
	int (*own)(uint16_t, struct rte_eth_link *);
	int ret;

	OWN(rte_eth_link_get_nowait);
	ret = own(id, link);
	if (fake.down)
		link->link_status = RTE_ETH_LINK_DOWN;
	return ret;
}

static const char *
caught(FILE *file, char **text)
{
	fputc('\0', file);
	fflush(file);
	rewind(file);
	return *text;
}

/* Run a line and compare what it printed: results, then failures, whose last line is the error's. */
static void
says(const char *line, const char *results, const char *failures)
{
	const struct cmd_row *row = NULL;
	static struct args args;
	struct err e;
	int ret = 0;

	err_clear(&e);
	out_begin(bed->app.out, line);
	if (grammar_parse(bed->app.grammar, line, &row, &args, &e) == 0)
		ret = row->run(&bed->app, &args, &e);
	out_end(bed->app.out, &e, NULL);
	print_message("# %s\n", line);
	assert_int_equal(ret, -e.code);
	assert_string_equal(caught(bed->results, &bed->text), results);
	assert_string_equal(caught(bed->failures, &bed->failed), failures);
}

struct step {
	const char *line, *results, *failures;
};

#define STEPS(steps) run_steps(steps, ARRAY_SIZE(steps))

static void
run_steps(const struct step *steps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		says(steps[i].line, steps[i].results != NULL ? steps[i].results : "",
			steps[i].failures != NULL ? steps[i].failures : "");
}

#define CHECKING "Checking link statuses...\n"
#define CONFIGURING(n) "Configuring Port " #n " (socket 0)\n"
#define MAC(n) "Port " #n ": 02:00:00:00:00:1" #n "\n"
#define STOPPED "Stopping ports...\n" CHECKING "Done\n"
#define STARTED MAC(0) MAC(1) CHECKING "Done\n"
#define CONFIGURED CONFIGURING(0) MAC(0) CONFIGURING(1) MAC(1) CHECKING "Done\n"

static void
life(void **state)
{
	static const struct step steps[] = {
		{ "port start 9", "", "Invalid port 9\n" },
		{ "port stop 9", "", "Invalid port 9\n" },
		{ "port close 9", "", "Invalid port 9\n" },
		{ "port reset 9", "", "Invalid port 9\n" },
		{ "port start 0", "Done\n",
			"Port 0 is now not stopped\nPlease stop the ports first\n" },
		{ "port start all", "Done\n",
			"Port 0 is now not stopped\nPort 1 is now not stopped\nPlease stop the ports first\n" },
		{ "port stop 0", STOPPED, NULL },
		{ "port stop 0", "Stopping ports...\nDone\n", NULL },
		{ "port start all", MAC(0) CHECKING "Done\n", "Port 1 is now not stopped\n" },
		{ "port close 1", "Closing ports...\nDone\n",
			"Cannot close started device (port 1)\n" },
		{ "port reset 0", "", "Can not reset port(s), please stop port(s) first.\n" },
		{ "port stop all", STOPPED, NULL },
		{ "port reset 0", "Resetting ports...\nDone\n",
			"Failed to reset port 0. diag=-95\n" },
		{ "port start all", STARTED, NULL },
	};

	STEPS(steps);
}

static void
forwarding(void **state)
{
	static const struct step steps[] = {
		{ "port stop 0", "Stopping ports...\nDone\n",
			"Please remove port 0 from forwarding configuration.\n" },
		{ "port stop all", "Stopping ports...\nDone\n",
			"Please remove port 0 from forwarding configuration.\n"
			"Please remove port 1 from forwarding configuration.\n" },
		{ "port close 0", "Closing ports...\nDone\n",
			"Please remove port 0 from forwarding configuration.\n" },
		{ "port reset 0", "", "Can not reset port(s), please stop port(s) first.\n" },
		{ "port detach 0", "", "Port not stopped\n" },
		{ "device detach net_null0", "Removing a device...\n", "Port 0 not stopped\n" },
		{ "port config all rxq 2", "", "Please stop all ports first\n" },
		{ "port config 0 rx_offload vlan_strip on", "",
			"Error: Can't config offload when Port 0 is not stopped\n" },
		{ "port 0 rxq 0 stop", "", "Please stop forwarding first\n" },
		{ "port 0 rxq 0 setup", "", "Please stop forwarding first\n" },
		{ "port 0 rxq 0 deferred_start on", "", "Please stop port 0 first\n" },
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

	bed->app.ports.forwarding = true;
	STEPS(steps);
	bed->app.ports.forwarding = false;
}

static void
queues(void **state)
{
	static const struct step steps[] = {
		{ "port config all rxq 2", "", "Please stop all ports first\n" },
		{ "port stop all", STOPPED, NULL },
		{ "port config all rxq 301", "",
			"Fail: input rxq (301) can't be greater than max_rx_queues (300) of port 0\n" },
		{ "port config all rxq 300", "", "rxq 300: want 0..256 queues\n" },
		{ "port config all rxd 9999", "",
			"Fail: input rxd (9999) can't be greater than max_rxds (4096) of port 0\n" },
		{ "port config all rxd 7", "",
			"Fail: input rxd (7) can't be less than min_rxds (8) of port 0\n" },
		{ "port config all rxq 0", NULL, NULL },
		{ "port config all txq 0", "",
			"Warning: Either rx or tx queues should be non zero\n" },
		{ "port config 0 rxq 0 ring_size 64", "",
			"Invalid RX queue 0 (must be < nb_rxq=0)\n" },
		{ "port 0 rxq 0 rx_offload keep_crc off", "", "port 0 has no Rx queues\n" },
		{ "port config all rxq 4", NULL, NULL },
		{ "port config all txq 3", NULL, NULL },
		{ "port config all rxd 256", NULL, NULL },
		{ "port config 1 rxq 3 ring_size 64", NULL, NULL },
		{ "port config all rxfreet 16", NULL, NULL },
		{ "port config 1 rxq 3 ring_size 16", "",
			"Invalid rx ring_size, must > rx_free_thresh: 16\n" },
		{ "port config all txpt 3", NULL, NULL },
		{ "port config all drop-en on", NULL, NULL },
		{ "port 1 txq 2 deferred_start on", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};
	const struct port *p = &bed->app.ports.port[1];
	struct rte_eth_rxconf rx;
	struct rte_eth_txconf tx;
	uint16_t n;

	STEPS(steps);
	assert_int_equal(p->n_rxq, 4);
	assert_int_equal(p->n_txq, 3);
	port_rxconf(p, 3, &rx, &n);
	assert_int_equal(n, 64);
	assert_int_equal(rx.rx_free_thresh, 16);
	assert_int_equal(rx.rx_drop_en, 1);
	port_rxconf(p, 2, &rx, &n);
	assert_int_equal(n, 256);
	port_txconf(p, 2, &tx, &n);
	assert_int_equal(n, 0);
	assert_int_equal(tx.tx_thresh.pthresh, 3);
	assert_int_equal(tx.tx_deferred_start, 1);
	assert_true(p->txq[2].stopped);
	assert_int_equal(port_descriptors(&bed->app.ports),
		7 * 256 + 64 + 6 * RTE_ETH_DEV_FALLBACK_TX_RINGSIZE);
}

static void
queues_back(void **state)
{
	static const struct step steps[] = {
		{ "port 0 rxq 4 start", "", "Invalid RX queue 4 (must be < nb_rxq=4)\n" },
		{ "port 9 rxq 0 start", "", "Invalid port 9\n" },
		{ "port 0 rxq 0 setup", "",
			"Failed to setup RX queue: Fail to configure port 0 rx queues: queue 0, driver net_null: "
			"Device or resource busy\n" },
		{ "port stop 1", STOPPED, NULL },
		{ "port 1 rxq 0 start", "", "Please start port 1 first\n" },
		{ "port 1 txq 2 deferred_start off", NULL, NULL },
		{ "port 1 txq 3 deferred_start off", "",
			"Invalid TX queue 3 (must be < nb_txq=3)\n" },
		{ "port 1 rxq 0 setup", NULL, NULL },
		/* Queues alone are set up anew. */
		{ "port start 1", MAC(1) CHECKING "Done\n", NULL },
		{ "port stop all", STOPPED, NULL },
		{ "port config all rxd 0", NULL, NULL },
		{ "port config all rxq 1", NULL, NULL },
		{ "port config all txq 1", NULL, NULL },
		{ "port config all drop-en off", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};
	struct rte_eth_rxconf rx;
	uint16_t n;

	static const struct step broken[] = {
		{ "port 0 rxq 0 stop", "",
			"port 0, Rx queue 0: driver net_null does not stop it: Input/output error\n" },
		{ "port 0 rxq 0 start", "",
			"port 0, Rx queue 0: driver net_null does not start it: Input/output error\n" },
	};

	says("port 0 rxq 0 stop", "", "");
	assert_true(bed->app.ports.port[0].rxq[0].stopped);
	says("port 0 rxq 0 start", "", "");
	assert_false(bed->app.ports.port[0].rxq[0].stopped);
	fake.queue = -ENOTSUP;
	says("port 0 rxq 0 stop", "", "Function not supported in PMD\n");
	fake.queue = -EIO;
	STEPS(broken);
	assert_false(bed->app.ports.port[0].rxq[0].stopped);
	STEPS(steps);
	port_rxconf(&bed->app.ports.port[1], 3, &rx, &n);
	assert_int_equal(n, 0);
	assert_int_equal(rx.rx_drop_en, 0);
	assert_false(bed->app.ports.port[1].txq[2].stopped);
}

static void
lengths(void **state)
{
	static const struct step steps[] = {
		{ "port config mtu 9 1500", "", "Invalid port 9\n" },
		{ "port config mtu 0 67", "", "MTU (67) < device min MTU (68) for port_id 0\n" },
		{ "port config mtu 0 9001", "",
			"MTU (9001) > device max MTU (9000) for port_id 0\n" },
		{ "port config mtu 0 1400", NULL, NULL },
		{ "port config all max-pkt-len 1000", "", "Please stop all ports first\n" },
		{ "port stop all", STOPPED, NULL },
		{ "port config all max-pkt-len 63", "", "max-pkt-len can not be less than 64\n" },
		{ "port config all max-pkt-len 99999", "",
			"MTU (99981) > device max MTU (9000) for port_id 0\n" },
		{ "port config all max-pkt-len 1018", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};
	static const struct step refused[] = {
		{ "port config mtu 1 1200", "", "Set MTU failed. diag=-16\n" },
		{ "port stop all", STOPPED, NULL },
		{ "port config all max-pkt-len 2018", "",
			"Failed to set MTU to 2000 for port 1: Device or resource busy\n" },
		{ "port start all", STARTED, NULL },
	};
	const struct port *p = bed->app.ports.port;

	STEPS(steps);
	assert_int_equal(p[0].mtu, 1000);
	assert_int_equal(p[1].mtu, 1000);
	fake.port = 1;
	fake.mtu = -EBUSY;
	STEPS(refused);
	assert_int_equal(p[0].mtu, 1000);
	assert_int_equal(p[1].mtu, 1000);
	assert_int_equal(setting_u64(bed->app.settings, "max-pkt-len"), 1018);
}

static void
burst_and_speed(void **state)
{
	static const struct step steps[] = {
		{ "port config all burst 64", "", "Please stop all ports first\n" },
		{ "port config 0 speed 10000 duplex full", "", "Please stop port 0 first\n" },
		{ "port config all speed 10000 duplex full", "", "Please stop all ports first\n" },
		{ "port stop all", STOPPED, NULL },
		{ "port config all burst 600", "", "burst must be >= 1 && <= 512\n" },
		{ "port config all burst 0", "",
			"PMD does not recommend a burst size.\nUser provided value must be between 1 and 512\n" },
		{ "port config all burst 64", NULL, NULL },
		{ "port config all speed 10 duplex half", NULL, NULL },
		{ "port config all speed 10000 duplex half", "",
			"Invalid speed/duplex parameters\n" },
		{ "port config 9 speed 10000 duplex full", "", "Invalid port 9\n" },
		{ "port config 0 speed 10000 duplex full", NULL, NULL },
		{ "port config all speed auto duplex auto", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};

	STEPS(steps);
	assert_int_equal(setting_u64(bed->app.settings, "burst"), 64);
	assert_int_equal(bed->app.ports.port[0].conf.link_speeds, RTE_ETH_LINK_SPEED_AUTONEG);
}

static void
rss(void **state)
{
	static const struct step steps[] = {
		{ "port config all rss foo", "", "Unknown parameter\n" },
		{ "port config all rss 99", "",
			"flowtype_id should be greater than 0 and less than 64.\n" },
		{ "port config all rss 1x", "",
			"flowtype_id should be greater than 0 and less than 64.\n" },
		{ "port config all rss udp", "",
			"Configuration of RSS hash at ethernet port 0 failed with error (95): Operation not supported.\n"
			"Configuration of RSS hash at ethernet port 1 failed with error (95): Operation not supported.\n" },
		{ "port stop all", STOPPED, NULL },
		{ "port config all rxq 2", NULL, NULL },
		{ "port start all", CONFIGURED, NULL },
	};
	const struct ports *ps = &bed->app.ports;
	char expected[64];

	STEPS(steps);
	assert_int_equal(ps->port[0].conf.rxmode.mq_mode, RTE_ETH_MQ_RX_RSS);
	assert_int_equal(ps->port[0].conf.rx_adv_conf.rss_conf.rss_hf,
		RTE_ETH_RSS_IP & ps->port[0].info.flow_type_rss_offloads);
	snprintf(expected, sizeof(expected), "rss_hf %#llx\n", (unsigned long long)RTE_ETH_RSS_UDP);
	if ((RTE_ETH_RSS_UDP & ~ps->port[0].info.flow_type_rss_offloads) == 0) {
		says("port config all rss udp", expected, "");
		assert_int_equal(ps->rss_hf, RTE_ETH_RSS_UDP);
		says("port config all rss none", "rss_hf 0\n", "");
		says("port config all rss default", "", "");
	}
	says("port stop all", STOPPED, "");
	says("port config all rxq 1", "", "");
	says("port start all", CONFIGURED, "");
}

static void
addresses(void **state)
{
	static const struct step steps[] = {
		{ "mac_addr add 0 02:00:00:00:00:09", "",
			"mac_addr_cmd error: (Operation not supported)\n" },
		{ "mac_addr add 9 02:00:00:00:00:09", "",
			"mac_addr_cmd error: (No such device)\n" },
		{ "mac_addr remove 0 02:00:00:00:00:09", "",
			"mac_addr_cmd error: (Operation not supported)\n" },
		{ "mac_addr set 0 01:00:00:00:00:0B", "",
			"mac_addr_cmd error: (Invalid argument)\n" },
		{ "mac_addr set 0 02:00:00:00:00:0B", NULL, NULL },
		{ "mcast_addr add 0 02:00:5e:00:00:01", "",
			"Invalid multicast addr 02:00:5E:00:00:01\n" },
		{ "mcast_addr add 9 01:00:5e:00:00:01", "", "Invalid port 9\n" },
		{ "mcast_addr add 0 01:00:5e:00:00:01", "",
			"rte_eth_dev_set_mc_addr_list(port=0, nb=1) failed. diag=-95\n" },
		{ "mcast_addr remove 0 01:00:5e:00:00:01", "",
			"multicast address not filtered by port 0\n" },
		{ "set eth-peer 0 02:00:00:00:00:77", NULL, NULL },
		{ "set eth-peer 9 02:00:00:00:00:77", "", "Error: Invalid port number 9\n" },
		{ "set eth-peer 0 zz", "", "Error: Invalid ethernet address: zz\n" },
		{ "set promisc all on", NULL, NULL },
		{ "set promisc 9 off", "",
			"Error during disabling promiscuous mode for port 9: No such device\n" },
		{ "set promisc all off", "",
			"Error during disabling promiscuous mode for port 0: Operation not supported\n"
			"Error during disabling promiscuous mode for port 1: Operation not supported\n" },
		{ "set allmulti 0 off", "",
			"Error during disabling all-multicast mode for port 0: Operation not supported\n" },
		{ "set link-up port 0", "",
			"\nSet link up fail.\nport 0: Operation not supported\n" },
		{ "set link-down port 9", "", "\nSet link down fail.\nport 9: No such device\n" },
	};
	static const struct rte_ether_addr own = { { 2, 0, 0, 0, 0, 0x0b } },
					   peer = { { 2, 0, 0, 0, 0, 0x77 } };
	const struct port *p = &bed->app.ports.port[0];
	struct stream_end end;

	STEPS(steps);
	assert_int_equal(p->n_mcast, 0);
	port_stream_end(p, 0, false, &end);
	assert_memory_equal(&end.mac, &own, sizeof(own));
	assert_memory_equal(&end.peer, &peer, sizeof(peer));
	port_stream_end(&bed->app.ports.port[1], 0, true, &end);
	assert_int_equal(end.peer.addr_bytes[0], 2);
	assert_int_equal(end.peer.addr_bytes[5], 1);
	says("mac_addr set 0 02:00:00:00:00:10", "", "");
}

static void
vlan(void **state)
{
	static const struct step steps[] = {
		{ "tx_vlan set 0 5", "", "Please stop port 0 first\n" },
		{ "tx_vlan set 9 5", "", "Invalid port 9\n" },
		{ "vlan set strip off 0", NULL, NULL },
		{ "vlan set strip on 0", "",
			"rx_vlan_strip_set(port_pi=0, on=1) failed diag=-22\n" },
		{ "vlan set filter on 0", "",
			"rx_vlan_filter_set(port_pi=0, on=1) failed diag=-22\n" },
		{ "vlan set qinq_strip on 0", "",
			"rx_vlan_qinq_strip_set(port_pi=0, on=1) failed diag=-22\n" },
		{ "vlan set extend on 0", "",
			"rx_vlan_extend_set(port_pi=0, on=1) failed diag=-22\n" },
		{ "vlan set extend on 9", "", "Invalid port 9\n" },
		{ "vlan set stripq on 0", "", "must specify (port,queue_id)\n" },
		{ "vlan set stripq on 0,0", "",
			"rx_vlan_strip_set_on_queue(port_pi=0, queue_id=0, on=1) failed diag=-95\n" },
		{ "rx_vlan add 5 0", "",
			"rte_eth_dev_vlan_filter(port_pi=0, vlan_id=5, on=1) failed diag=-38\n" },
		{ "rx_vlan add 5000 0", "", "Invalid vlan_id 5000 (must be < 4096)\n" },
		{ "rx_vlan rm all 0", "",
			"rte_eth_dev_vlan_filter(port_pi=0, vlan_id=0, on=0) failed diag=-38\n" },
		{ "port stop 0", STOPPED, NULL },
		{ "tx_vlan set 0 5", "", "Error: vlan insert is not supported by port 0\n" },
		{ "tx_vlan set 0 5 6", "", "Error: qinq insert not supported by port 0\n" },
		{ "tx_vlan set 0 5 5000", "", "Invalid vlan_id 5000 (must be < 4096)\n" },
		{ "tx_vlan set 0 4096", "", "Invalid vlan_id 4096 (must be < 4096)\n" },
		{ "tx_vlan reset 0", NULL, NULL },
	};
	struct port *p = &bed->app.ports.port[0];
	struct stream_end end;

	STEPS(steps);
	p->info.tx_offload_capa = RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_QINQ_INSERT;
	says("tx_vlan set 0 5 6", "", "");
	says("tx_vlan set 0 7", "", "Error, as QinQ has been enabled.\n");
	port_stream_end(p, 0, false, &end);
	assert_int_equal(end.offloads & p->info.tx_offload_capa, p->info.tx_offload_capa);
	assert_int_equal(end.vlan, 5);
	assert_int_equal(end.vlan_outer, 6);
	says("tx_vlan reset 0", "", "");
	says("tx_vlan set 0 7", "", "");
	port_stream_end(p, 0, false, &end);
	assert_int_equal(end.offloads & p->info.tx_offload_capa, RTE_ETH_TX_OFFLOAD_VLAN_INSERT);
	assert_int_equal(end.vlan, 7);
	assert_int_equal(end.vlan_outer, 0);
	says("tx_vlan reset 0", "", "");
	p->info.tx_offload_capa = 0;
	says("port start 0", CONFIGURING(0) MAC(0) CHECKING "Done\n", "");
}

#define CSUM(tunnel, ip) \
	"Parse tunnel is " tunnel "\nIP checksum offload is " ip "\nUDP checksum offload is sw\n" \
	"TCP checksum offload is sw\nSCTP checksum offload is sw\nOuter-Ip checksum offload is sw\n" \
	"Outer-Udp checksum offload is sw\n"

static void
checksums(void **state)
{
	static const struct step steps[] = {
		{ "csum show 0", "", "Please stop port 0 first\n" },
		{ "csum set ip sw 0", "", "Please stop port 0 first\n" },
		{ "csum show 9", "", "Invalid port 9\n" },
		{ "csum parse-tunnel on 0", CSUM("on", "sw"), NULL },
		{ "csum parse-tunnel off 0", CSUM("off", "sw"), NULL },
		{ "csum mac-swap on 9", "", "Invalid port 9\n" },
		{ "tso show 0", "", "Please stop port 0 first\n" },
		{ "port stop 0", STOPPED, NULL },
		{ "csum set ip hw 0", CSUM("off", "sw"),
			"IP checksum offload is not supported by port 0\n" },
		{ "csum set outer-udp hw 0", CSUM("off", "sw"),
			"Outer UDP checksum offload is not supported by port 0\n" },
		{ "tso set 800 0", "", "Error: TSO is not supported by port 0\n" },
		{ "tso show 0", "TSO for non-tunneled packets is disabled\n", NULL },
		{ "tunnel_tso set 800 0", "",
			"Error: port=0 don't support tunnel TSO offloads.\n" },
		{ "tunnel_tso set 0 0", "TSO for tunneled packets is disabled\n", NULL },
	};
	static const struct step able[] = {
		{ "csum set ip hw 0", CSUM("off", "hw"), NULL },
		{ "tso set 800 0", "TSO segment size for non-tunneled packets is 800\n", NULL },
		{ "tso show 0", "TSO segment size for non-tunneled packets is 800\n", NULL },
		{ "tunnel_tso set 700 0", "",
			"Error: csum parse_tunnel must be set so that tunneled packets are recognized\n" },
		{ "csum parse-tunnel on 0", CSUM("on", "hw"), NULL },
		{ "tunnel_tso set 700 0", "",
			"Error: csum set outer-ip must be set to hw if outer L3 is IPv4; not necessary for IPv6\n" },
	};
	struct port *p = &bed->app.ports.port[0];
	struct stream_end end;

	STEPS(steps);
	p->info.tx_offload_capa = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM |
		RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_TSO |
		RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO;
	STEPS(able);
	p->conf.txmode.offloads |= RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM;
	says("tunnel_tso set 700 0",
		"Warning: GRE TUNNEL TSO not supported therefore not enabled for port 0\n"
		"Warning: IPIP TUNNEL TSO not supported therefore not enabled for port 0\n"
		"Warning: GENEVE TUNNEL TSO not supported therefore not enabled for port 0\n"
		"Warning: IP TUNNEL TSO not supported therefore not enabled for port 0\n"
		"Warning: UDP TUNNEL TSO not supported therefore not enabled for port 0\n"
		"TSO segment size for tunneled packets is 700\n",
		"");
	port_stream_end(p, 0, false, &end);
	assert_true(end.csum.ip_hw && end.csum.outer_ip_hw && end.csum.parse_tunnel);
	assert_false(
		end.csum.udp_hw || end.csum.tcp_hw || end.csum.sctp_hw || end.csum.outer_udp_hw);
	assert_int_equal(end.csum.tso_segsz, 800);
	assert_int_equal(end.csum.tunnel_tso_segsz, 700);
	says("tunnel_tso set 0 0", "TSO for tunneled packets is disabled\n", "");
	says("tso set 0 0", "TSO for non-tunneled packets is disabled\n", "");
	p->conf.txmode.offloads = 0;
	p->csum = (struct stream_csum){ 0 };
	says("csum set ip sw 0", CSUM("off", "sw"), "");
	says("port start 0", CONFIGURING(0) MAC(0) CHECKING "Done\n", "");
}

static void
gro_and_gso(void **state)
{
	static const struct step steps[] = {
		{ "show port 0 gro", "Port 0 doesn't enable GRO.\n", NULL },
		{ "set port 0 gro off", "", "Port 0 has disabled GRO\n" },
		{ "set port 0 gro on", NULL, NULL },
		{ "set port 0 gro on", "", "Port 0 has enabled GRO. Please disable GRO first\n" },
		{ "show port 0 gro",
			"GRO type: TCP/IPv4\nMax number of packets to perform GRO: 128\nFlushing cycles: 1\n",
			NULL },
		{ "set gro flush 5", "", "The flushing cycle be in the range of 1 to 4.\n" },
		{ "set gro flush 4", NULL, NULL },
		{ "show port 0 gro",
			"GRO type: TCP/IPv4\nMax number of packets to perform GRO: 2048\nFlushing cycles: 4\n",
			NULL },
		{ "set gro flush 1", NULL, NULL },
		{ "set port 0 gro off", NULL, NULL },
		{ "show port 9 gro", "", "Invalid port id 9.\n" },
		{ "set port 9 gro on", "", "invalid port id 9\n" },
		{ "show port 0 gso", "GSO is not enabled on Port 0\n", NULL },
		{ "set port 0 gso on", NULL, NULL },
		{ "set gso segsz 10", "",
			"gso_size should be larger than 55. Please input a legal value\n" },
		{ "set gso segsz 1000", NULL, NULL },
		{ "show port 0 gso",
			"Max GSO'd packet size: 1000B\nSupported GSO types: TCP/IPv4, UDP/IPv4, VxLAN with inner TCP/IPv4 "
			"packet, GRE with inner TCP/IPv4 packet\n",
			NULL },
		{ "set port 0 gso off", NULL, NULL },
		{ "show port 9 gso", "", "invalid port id 9\n" },
	};

	STEPS(steps);
}

static void
offloads(void **state)
{
	static const struct step steps[] = {
		{ "port config 0 rx_offload vlan_strip on", "",
			"Error: Can't config offload when Port 0 is not stopped\n" },
		{ "port config 9 tx_offload mbuf_fast_free on", "",
			"Error during getting device (port 9) info: No such device\n" },
		{ "port stop all", STOPPED, NULL },
		{ "port config all rx_offload scatter on", "",
			"Rx offload SCATTER is not supported by port 0 (driver net_null)\n" },
		{ "port 0 rxq 1 rx_offload scatter off", "",
			"Error: input queue_id should be 0 ... 0\n" },
	};
	struct port *p = bed->app.ports.port;

	STEPS(steps);
	fake.rx_can = RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	p[0].info.rx_offload_capa = p[1].info.rx_offload_capa = fake.rx_can;
	says("port config all rx_offload SCATTER on", "", "");
	assert_int_equal(p[1].conf.rxmode.offloads, RTE_ETH_RX_OFFLOAD_SCATTER);
	assert_int_equal(p[1].rxq[7].offloads, RTE_ETH_RX_OFFLOAD_SCATTER);
	says("port 0 rxq 0 rx_offload vlan_strip on", "",
		"Rx offload VLAN_STRIP is for whole ports only, says driver net_null: port config 0 rx_offload\n");
	p[0].info.rx_queue_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	says("port 0 rxq 0 rx_offload vlan_strip on", "", "");
	assert_int_equal(p[0].rxq[0].offloads, fake.rx_can);
	assert_int_equal(p[0].conf.rxmode.offloads, RTE_ETH_RX_OFFLOAD_SCATTER);
	says("port start all", CONFIGURED, "");
	says("port stop all", STOPPED, "");
	says("port config all rx_offload scatter off", "", "");
	says("port 0 rxq 0 rx_offload vlan_strip off", "", "");
	says("port start all", CONFIGURED, "");
	assert_int_equal(p[0].rxq[0].offloads, 0);
}

static void
drivers_fail(void **state)
{
	says("port stop all", STOPPED, "");
	says("port config all rxq 2", "", "");
	fake.port = 0;
	fake.configure = -EINVAL;
	says("port start all", CONFIGURING(0),
		"Fail to configure port 0: driver net_null, 2 Rx and 1 Tx queues: Invalid argument\n");
	fake.configure = 0;
	fake.txq = -EINVAL;
	says("port start all", CONFIGURING(0),
		"Fail to configure port 0 tx queues: queue 0, driver net_null: Invalid argument\n");
	fake.txq = 0;
	fake.rxq = -ENOMEM;
	says("port start all", "",
		"Fail to configure port 0 rx queues: queue 0, driver net_null: no memory; 8191 of 8191 buffers are left "
		"in pool mb_pool_0 (--total-num-mbufs)\n");
	fake.rxq = 0;
	fake.start = -EIO;
	says("port start all", CONFIGURING(1) MAC(1) CHECKING "Done\n",
		"Fail to start port 0: Input/output error (driver net_null)\n");
	fake.start = 0;
	says("port start 0", MAC(0) CHECKING "Done\n", "");
	fake.stop = -EIO;
	says("port stop all", STOPPED,
		"rte_eth_dev_stop failed for port 0: Input/output error (driver net_null)\n");
	fake.stop = 0;
	assert_int_equal(bed->app.ports.port[0].state, PORT_STARTED);
	assert_int_equal(bed->app.ports.port[1].state, PORT_STOPPED);
	says("port stop all", STOPPED, "");
	fake.reset = 1;
	says("port reset 0", "Resetting ports...\nDone\n", "");
	says("port config all rxq 1", "", "");
	says("port start all", CONFIGURED, "");
}

static void
links(void **state)
{
	fake.down = true;
	says("port stop 0", STOPPED, "");
	assert_int_equal(setting_parse(bed->app.settings, "link-check", "off", NULL), 0);
	says("port start 0", MAC(0) "Done\n", "");
	assert_int_equal(setting_parse(bed->app.settings, "link-check", "on", NULL), 0);
	fake.down = false;
	/* Links that are polled are shown. */
	assert_int_equal(setting_parse(bed->app.settings, "no-lsc-interrupt", "on", NULL), 0);
	says("port stop 0",
		"Stopping ports...\n" CHECKING
		"Port 0 Link down\nPort 1 Link up at 10 Gbps FDX Autoneg\nDone\n",
		"");
	assert_int_equal(setting_parse(bed->app.settings, "no-lsc-interrupt", "off", NULL), 0);
	says("port start 0", MAC(0) CHECKING "Done\n", "");
}

static void
hotplug(void **state)
{
	static const struct step steps[] = {
		{ "port attach net_null0", "Attaching a new port...\n",
			"Failed to attach port net_null0: it is port 0 already\n" },
		{ "port attach bogus", "Attaching a new port...\n",
			"Failed to attach port bogus: no bus takes it: want a bus address or net_NAME\n" },
		{ "port attach net_null7,copy=1",
			"Attaching a new port...\nPort 2 is attached. Now total ports is 3\nDone\n",
			NULL },
		{ "mac_addr set 2 02:00:00:00:00:12", NULL, NULL },
		{ "port detach 9", "", "Invalid port_id=9\n" },
		{ "port start 2", CONFIGURING(2) MAC(2) CHECKING "Done\n", NULL },
		{ "port detach 2", "", "Port not stopped\n" },
		{ "port stop 2", STOPPED, NULL },
		{ "port detach 2",
			"Removing a device...\nPort 2 is closed\nDevice is detached\nNow total ports is 2\nDone\n",
			"Port was not closed\n" },
		{ "port detach 2", "", "Invalid port_id=2\n" },
		{ "port attach net_null7",
			"Attaching a new port...\nPort 2 is attached. Now total ports is 3\nDone\n",
			NULL },
		{ "port close 2", "Closing ports...\nPort 2 is closed\nDone\n", NULL },
		{ "port close 2", "", "Invalid port 2\n" },
		{ "port start 2", "", "Invalid port 2\n" },
		{ "port attach net_null7", "Attaching a new port...\n",
			"Failed to attach port net_null7: it is port 2, closed: port detach it first\n" },
		{ "port detach 2",
			"Removing a device...\nDevice is detached\nNow total ports is 2\nDone\n",
			NULL },
		{ "port attach net_null7",
			"Attaching a new port...\nPort 2 is attached. Now total ports is 3\nDone\n",
			NULL },
		{ "device detach net_null7",
			"Removing a device...\nPort 2 is closed\nDevice net_null7 is detached\nNow total ports is 2\n"
			"Done\n",
			NULL },
		{ "device detach net_bogus", "Removing a device...\n",
			"cannot parse identifier net_bogus\n" },
	};

	STEPS(steps);
	assert_int_equal(bed->app.run.choice.n_ports, 2);
}

static void
events(void **state)
{
	struct ports *ps = &bed->app.ports;

	says("port attach net_null8",
		"Attaching a new port...\nPort 2 is attached. Now total ports is 3\nDone\n", "");
	port_events_show(ps);
	assert_string_equal(caught(bed->results, &bed->text), "");
	atomic_fetch_or(&ps->port[1].events, 1u << RTE_ETH_EVENT_INTR_LSC);
	assert_int_equal(port_events_show(ps), 0);
	assert_string_equal(caught(bed->results, &bed->text),
		"\nPort 1: link state change event\n");
	atomic_store(&ps->port[2].removed, true);
	atomic_fetch_or(&ps->port[2].events, 1u << RTE_ETH_EVENT_INTR_RMV);
	ps->forwarding = true;
	assert_int_equal(port_events_show(ps), 1);
	assert_string_equal(caught(bed->results, &bed->text), "\nPort 2: device removal event\n");
	assert_non_null(port_at(ps, 2));
	ps->forwarding = false;
	assert_int_equal(port_events_show(ps), 0);
	assert_string_equal(caught(bed->results, &bed->text),
		"Stopping ports...\nDone\nClosing ports...\nPort 2 is closed\nDone\nRemoving a device...\n"
		"Device is detached\nNow total ports is 2\nDone\n");
	assert_null(port_at(ps, 2));
	caught(bed->failures, &bed->failed);
}

static void
table(void **state)
{
	const struct ports *ps = &bed->app.ports;
	uint16_t ids[RTE_MAX_ETHPORTS];
	struct err e;

	err_clear(&e);
	assert_int_equal(port_ids(ps, ids), 2);
	assert_true(port_all_started(ps, ids, 2));
	assert_false(port_all_stopped(ps));
	assert_null(port_at(ps, 2));
	assert_null(port_at(ps, UINT16_MAX));
	assert_int_equal(port_missing(ps, 9, &e), -ENODEV);
	assert_string_equal(e.text, "Invalid port 9");
	assert_string_equal(caught(bed->results, &bed->text), "The valid ports array is [ 0 1 ]\n");
	ids[1] = 9;
	assert_false(port_all_started(ps, ids, 2));
	assert_true(port_flush_rx(&bed->app.ports, ids, 1) >= UINT16_MAX);
}

static void
thresholds(void **state)
{
	static const struct {
		const char *name, *word;
		int ret;
	} rows[] = {
		{ "rxpt", "driver", 0 },
		{ "rxpt", "0", 0 },
		{ "rxpt", "255", 0 },
		{ "rxpt", "256", -ERANGE },
		{ "rxpt", "-1", -EINVAL },
		{ "rxpt", "", -EINVAL },
		{ "rxpt", "8x", -EINVAL },
		{ "txrst", "65535", 0 },
		{ "txrst", "65536", -ERANGE },
		{ "tx-offloads", "0x10000", 0 },
		{ "tx-offloads", "8000", 0 },
		{ "tx-offloads", "", -EINVAL },
		{ "tx-offloads", "0x1ffffffffffffffff", -EINVAL },
		{ "tx-offloads", "-1", -EINVAL },
		{ "tx-offloads", "fast", -EINVAL },
		{ "eth-link-speed", "10000", 0 },
		{ "eth-link-speed", "77", -EINVAL },
		{ "rxq", "257", -ERANGE },
		{ "gso-segsz", "1", -ERANGE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(setting_check(bed->app.settings, rows[i].name, rows[i].word, NULL),
			rows[i].ret);
}

/* The last one: there are no ports afterwards. */
static void
quit(void **state)
{
	port_quit(&bed->app.ports);
	assert_string_equal(caught(bed->results, &bed->text),
		"\nStopping port 0...\nStopping ports...\nDone\n\nStopping port 1...\nStopping ports...\nDone\n"
		"\nShutting down port 0...\nClosing ports...\nPort 0 is closed\nDone\n"
		"\nShutting down port 1...\nClosing ports...\nPort 1 is closed\nDone\n");
	assert_string_equal(caught(bed->failures, &bed->failed), "");
}

static int
calm(void **state)
{
	memset(&fake, 0, sizeof(fake));
	return 0;
}

static int
group_setup(void **state)
{
	static char *args[] = { "port_test", "--no-huge", "--no-shconf", "--no-pci", "-m", "256",
		"--no-telemetry", "--log-level=critical", "-l", "0", "--vdev=net_null0",
		"--vdev=net_null1" };
	const struct pool_need need = { .lcores = 1 };
	struct app *app;
	struct err e;

	err_clear(&e);
	bed = calloc(1, sizeof(*bed));
	if (bed == NULL || rte_eal_init(ARRAY_SIZE(args), args) < 0)
		return -1;
	app = &bed->app;
	bed->results = open_memstream(&bed->text, &bed->n_text);
	bed->failures = open_memstream(&bed->failed, &bed->n_failed);
	app->out = out_open(bed->results, bed->failures);
	app->settings = settings_new();
	app->ports.settings = app->run.settings = app->settings;
	app->ports.out = app->run.out = app->out;
	app->ports.pools = app->run.pools = &app->pools;
	app->run.ports = &app->ports;
	app->run.engines = engine_list;
	app->grammar = grammar_new(tables, ARRAY_SIZE(tables), types_app, types_app_n, app, &e);
	if (app->grammar == NULL ||
		settings_add(app->settings, port_settings, port_settings_n, &e) != 0 ||
		settings_add(app->settings, pool_settings, pool_settings_n, &e) != 0 ||
		settings_add(app->settings, run_settings, run_settings_n, &e) != 0 ||
		settings_add(app->settings, engine_csum.settings, engine_csum.n_settings, &e) !=
			0 ||
		setting_parse(app->settings, "total-num-mbufs", "8191", &e) != 0 ||
		port_probe(&app->ports) != 2)
		goto fail;
	run_init(&app->run);
	if (pool_create_all(&app->pools, app->settings, &need, app->out, &e) != 0)
		goto fail;
	for (uint16_t id = 0; id < 2; id++) {
		struct rte_ether_addr mac = { { 2, 0, 0, 0, 0, (uint8_t)(0x10 + id) } };

		rte_eth_dev_default_mac_addr_set(id, &mac);
	}
	if (port_begin(&app->ports, &e) != 0)
		goto fail;
	assert_string_equal(caught(bed->results, &bed->text), CONFIGURED);
	assert_string_equal(caught(bed->failures, &bed->failed),
		"testpmd: create a new mbuf pool <mb_pool_0>: n=8191, size=2176, socket=0\n"
		"testpmd: preferred mempool ops selected: ring_mp_mc\n");
	return 0;
fail:
	fprintf(stderr, "%s\n", e.text);
	return -1;
}

static int
group_teardown(void **state)
{
	pool_free_all(&bed->app.pools);
	grammar_free(bed->app.grammar);
	out_close(bed->app.out);
	settings_free(bed->app.settings);
	fclose(bed->results);
	fclose(bed->failures);
	free(bed->text);
	free(bed->failed);
	free(bed);
	return rte_eal_cleanup();
}

#define TEST(f) cmocka_unit_test_setup(f, calm)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(table),
		TEST(thresholds),
		TEST(life),
		TEST(forwarding),
		TEST(queues),
		TEST(queues_back),
		TEST(lengths),
		TEST(burst_and_speed),
		TEST(rss),
		TEST(addresses),
		TEST(vlan),
		TEST(checksums),
		TEST(gro_and_gso),
		TEST(offloads),
		TEST(drivers_fail),
		TEST(links),
		TEST(hotplug),
		TEST(events),
		TEST(quit),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
