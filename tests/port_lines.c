/* A bed for tests of ports: EAL in the process, the commands' grammar, answers caught as text, drivers that fail on demand. */
#include "port_lines.h"

#include "engine.h"
#include "err.h"
#include "grammar.h"
#include "lists.h"
#include "out.h"
#include "types_app.h"

#include <rte_cycles.h>
#include <rte_eal.h>

#include <dlfcn.h>
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

struct port_lines_fake port_lines_fake;
static int info_due; /* what the next reading of the information ends with */

/* Stand in front of DPDK's function of that name. */
#define OWN(function) (*(void **)(&own) = dlsym(RTLD_NEXT, #function))

int
rte_eth_dev_start(uint16_t id)
{
	int (*own)(uint16_t);

	OWN(rte_eth_dev_start);
	return id == port_lines_fake.port && port_lines_fake.start != 0 ? port_lines_fake.start
									: own(id);
}

int
rte_eth_dev_stop(uint16_t id)
{
	int (*own)(uint16_t);

	OWN(rte_eth_dev_stop);
	return id == port_lines_fake.port && port_lines_fake.stop != 0 ? port_lines_fake.stop
								       : own(id);
}

int
rte_eth_dev_configure(uint16_t id, uint16_t n_rxq, uint16_t n_txq, const struct rte_eth_conf *conf)
{
	int (*own)(uint16_t, uint16_t, uint16_t, const struct rte_eth_conf *);
	struct rte_eth_conf plain = *conf;
	int ret;

	OWN(rte_eth_dev_configure);
	if (id == port_lines_fake.port && port_lines_fake.configure != 0)
		return port_lines_fake.configure;
	port_lines_fake.conf = *conf;
	plain.rxmode.offloads &= ~port_lines_fake.rx_can;
	plain.txmode.offloads &= ~port_lines_fake.tx_can;
	ret = own(id, n_rxq, n_txq, &plain);
	info_due = id == port_lines_fake.port && ret == 0 ? port_lines_fake.info : 0;
	return ret;
}

static void
note_split(const struct rte_eth_rxconf *conf)
{
	unsigned int i;

	port_lines_fake.n_segments = conf->rx_nseg;
	port_lines_fake.n_pools = conf->rx_nmempool;
	for (i = 0; i < conf->rx_nseg; i++)
		port_lines_fake.segments[i] = conf->rx_seg[i].split;
	for (i = 0; i < conf->rx_nmempool; i++)
		port_lines_fake.pools[i] = conf->rx_mempools[i];
}

int
rte_eth_rx_queue_setup(uint16_t id, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_rxconf *conf, struct rte_mempool *mp)
{
	int (*own)(uint16_t, uint16_t, uint16_t, unsigned int, const struct rte_eth_rxconf *,
		struct rte_mempool *);
	struct rte_eth_rxconf plain = *conf;

	OWN(rte_eth_rx_queue_setup);
	port_lines_fake.rxq_setups++;
	plain.offloads &= ~port_lines_fake.rx_can;
	plain.rx_deferred_start = 0;
	port_lines_fake.rxq_socket = socket;
	note_split(conf);
	if (mp == NULL) {
		mp = conf->rx_nseg > 0 ? conf->rx_seg[0].split.mp : conf->rx_mempools[0];
		plain.rx_seg = NULL;
		plain.rx_nseg = 0;
		plain.rx_mempools = NULL;
		plain.rx_nmempool = 0;
	}
	return id == port_lines_fake.port && port_lines_fake.rxq != 0
		? port_lines_fake.rxq
		: own(id, queue, n, socket, &plain, mp);
}

int
rte_eth_tx_queue_setup(uint16_t id, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_txconf *conf)
{
	int (*own)(uint16_t, uint16_t, uint16_t, unsigned int, const struct rte_eth_txconf *);
	struct rte_eth_txconf plain = *conf;

	OWN(rte_eth_tx_queue_setup);
	plain.offloads &= ~port_lines_fake.tx_can;
	plain.tx_deferred_start = 0;
	port_lines_fake.txq_socket = socket;
	return id == port_lines_fake.port && port_lines_fake.txq != 0
		? port_lines_fake.txq
		: own(id, queue, n, socket, &plain);
}

int
rte_eth_dev_set_mtu(uint16_t id, uint16_t mtu)
{
	int (*own)(uint16_t, uint16_t);

	OWN(rte_eth_dev_set_mtu);
	return id == port_lines_fake.port && port_lines_fake.mtu != 0 ? port_lines_fake.mtu
								      : own(id, mtu);
}

/* What net_null does with its queues depends on the release; some refuse one that is to start later. */
int
rte_eth_dev_rx_queue_start(uint16_t id, uint16_t queue)
{
	return port_lines_fake.queue;
}

int
rte_eth_dev_rx_queue_stop(uint16_t id, uint16_t queue)
{
	return port_lines_fake.queue;
}

int
rte_eth_dev_reset(uint16_t id)
{
	int (*own)(uint16_t);

	OWN(rte_eth_dev_reset);
	return id == port_lines_fake.port && port_lines_fake.reset != 0 ? port_lines_fake.reset - 1
									: own(id);
}

int
rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int (*own)(uint16_t, struct rte_eth_dev_info *);
	int ret;

	OWN(rte_eth_dev_info_get);
	ret = info_due != 0 ? info_due : own(id, info);
	info_due = 0;
	info->rx_offload_capa |= port_lines_fake.rx_can;
	info->tx_offload_capa |= port_lines_fake.tx_can;
	if ((port_lines_fake.rx_can & RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT) != 0)
		info->rx_seg_capa = port_lines_fake.segments_can;
	if (port_lines_fake.pools_can != 0)
		info->max_rx_mempools = port_lines_fake.pools_can;
	if (port_lines_fake.lro_can != 0)
		info->max_lro_pkt_size = port_lines_fake.lro_can;
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
	if (port_lines_fake.down)
		link->link_status = RTE_ETH_LINK_DOWN;
	return ret;
}

/* Nobody waits for links here. */
void
rte_delay_us_sleep(unsigned int us)
{
}

static const char *
caught(FILE *file, char **text)
{
	fputc('\0', file);
	fflush(file);
	rewind(file);
	return *text;
}

const char *
port_lines_results(void)
{
	return caught(bed->results, &bed->text);
}

const char *
port_lines_failures(void)
{
	return caught(bed->failures, &bed->failed);
}

void
port_lines_says(const char *line, const char *results, const char *failures)
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
	assert_string_equal(port_lines_results(), results != NULL ? results : "");
	assert_string_equal(port_lines_failures(), failures != NULL ? failures : "");
}

void
port_lines_run(const struct port_lines_step *steps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		port_lines_says(steps[i].line, steps[i].results, steps[i].failures);
}

int
port_lines_calm(void **state)
{
	memset(&port_lines_fake, 0, sizeof(port_lines_fake));
	return 0;
}

int
port_lines_setup(void **state)
{
	static char *args[] = { "port_lines", "--no-huge", "--no-shconf", "--no-pci", "-m", "256",
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
	assert_string_equal(port_lines_results(), CONFIGURED);
	assert_string_equal(port_lines_failures(),
		"testpmd: create a new mbuf pool <mb_pool_0>: n=8191, size=2176, socket=0\n"
		"testpmd: preferred mempool ops selected: ring_mp_mc\n");
	*state = app;
	return 0;
fail:
	fprintf(stderr, "%s\n", e.text);
	return -1;
}

int
port_lines_teardown(void **state)
{
	port_quit(&bed->app.ports);
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
