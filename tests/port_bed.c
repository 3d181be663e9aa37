/* A bed for tests of ports: EAL in the process, one embedded port with traffic on demand, answers caught as text. */
#include "port_bed.h"

#include "base.h"
#include "port_stats.h"
#include "port_verbose.h"

#include <rte_eal.h>
#include <rte_mbuf.h>

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define PACKET_BYTES 64

static struct {
	bool on;
	int ret;
	struct rte_eth_stats stats;
} fake;

static int
port_up(struct bed *b)
{
	static const struct rte_ether_addr mac = { { 2, 0, 0, 0, 0, 1 } };
	const struct rte_eth_conf conf = { 0 };

	if (rte_eth_dev_configure(0, 1, 1, &conf) != 0 ||
		rte_eth_rx_queue_setup(0, 0, 64, 0, NULL, b->pool) != 0 ||
		rte_eth_tx_queue_setup(0, 0, 64, 0, NULL) != 0 || rte_eth_dev_start(0) != 0 ||
		rte_eth_dev_default_mac_addr_set(0, (struct rte_ether_addr *)(uintptr_t)&mac) != 0)
		return -1;
	if (port_probe(&b->ports) != 1)
		return -1;
	b->ports.port[0].n_rxq = 1;
	b->ports.port[0].n_txq = 1;
	b->ports.port[0].state = PORT_STARTED;
	return 0;
}

int
bed_setup(void **state)
{
	static char *args[] = { "bed", "--no-huge", "--no-shconf", "--no-pci", "-m", "256",
		"--no-telemetry", "--log-level=error", "-l", "0", "--vdev=net_null0" };
	struct bed *b = calloc(1, sizeof(*b));

	if (b == NULL || rte_eal_init(ARRAY_SIZE(args), args) < 0)
		return -1;
	*state = b;
	b->results = open_memstream(&b->text, &b->n_text);
	b->failures = open_memstream(&b->failed, &b->n_failed);
	b->settings = settings_new();
	b->out = out_open(b->results, b->failures);
	b->pool = rte_pktmbuf_pool_create("mb_pool_0", 1023, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	b->ports.settings = b->settings;
	b->ports.out = b->out;
	if (b->settings == NULL || b->out == NULL || b->pool == NULL ||
		settings_add(b->settings, port_settings, port_settings_n, NULL) != 0 ||
		settings_add(b->settings, port_stats_settings, port_stats_settings_n, NULL) != 0 ||
		settings_add(b->settings, port_verbose_settings, port_verbose_settings_n, NULL) !=
			0)
		return -1;
	return port_up(b);
}

int
bed_teardown(void **state)
{
	struct bed *b = *state;

	rte_eth_dev_stop(0);
	rte_eth_dev_close(0);
	rte_mempool_free(b->pool);
	out_close(b->out);
	settings_free(b->settings);
	fclose(b->results);
	fclose(b->failures);
	free(b->text);
	free(b->failed);
	free(b);
	return rte_eal_cleanup();
}

/* End what was caught with a NUL and start over at the front. */
static const char *
caught(FILE *file, char **text)
{
	fputc('\0', file);
	fflush(file);
	rewind(file);
	return *text;
}

const char *
bed_text(struct bed *b)
{
	return caught(b->results, &b->text);
}

const char *
bed_failed(struct bed *b)
{
	return caught(b->failures, &b->failed);
}

/* Stands in front of DPDK's function of that name, which the linker finds later. */
int
rte_eth_stats_get(uint16_t id, struct rte_eth_stats *stats)
{
	int (*own)(uint16_t, struct rte_eth_stats *);

	if (id == 0 && fake.on) {
		*stats = fake.stats;
		return fake.ret;
	}
	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_stats_get");
	return own(id, stats);
}

int
rte_eth_stats_reset(uint16_t id)
{
	int (*own)(uint16_t);

	if (id == 0 && fake.on) {
		if (fake.ret == 0)
			memset(&fake.stats, 0, sizeof(fake.stats));
		return fake.ret;
	}
	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_stats_reset");
	return own(id);
}

/* The extended statistics that DPDK makes of the counters come first, always in this order. */
static uint64_t
generic(uint64_t id, uint64_t own)
{
	const struct rte_eth_stats *f = &fake.stats;
	const uint64_t values[] = { f->ipackets, f->opackets, f->ibytes, f->obytes, f->imissed,
		f->ierrors, f->oerrors, f->rx_nombuf };

	return fake.on && id < ARRAY_SIZE(values) ? values[id] : own;
}

int
rte_eth_xstats_get(uint16_t port, struct rte_eth_xstat *xstats, unsigned int n)
{
	int (*own)(uint16_t, struct rte_eth_xstat *, unsigned int);
	int i, ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_xstats_get");
	ret = own(port, xstats, n);
	for (i = 0; i < ret && i < (int)n; i++)
		xstats[i].value = generic(xstats[i].id, xstats[i].value);
	return ret;
}

int
rte_eth_xstats_get_by_id(uint16_t port, const uint64_t *ids, uint64_t *values, unsigned int n)
{
	int (*own)(uint16_t, const uint64_t *, uint64_t *, unsigned int);
	int i, ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_xstats_get_by_id");
	ret = own(port, ids, values, n);
	for (i = 0; i < ret && i < (int)n; i++)
		values[i] = generic(ids[i], values[i]);
	return ret;
}

void
bed_counters(uint64_t n, int ret)
{
	fake.on = true;
	fake.ret = ret;
	fake.stats = (struct rte_eth_stats){
		.ipackets = n,
		.ibytes = n * PACKET_BYTES,
		.opackets = n / 3,
		.obytes = n / 3 * PACKET_BYTES,
		.imissed = n > 0 ? 7 : 0,
		.ierrors = n > 0 ? 8 : 0,
		.oerrors = n > 0 ? 9 : 0,
		.rx_nombuf = n > 0 ? 10 : 0,
	};
}

void
bed_fresh(struct bed *b)
{
	struct port *p = &b->ports.port[0];

	fake.on = false;
	rte_eth_stats_reset(0);
	p->rate_tsc = 0;
	memset(&p->rate_stats, 0, sizeof(p->rate_stats));
	memset(p->xstat, 0, sizeof(p->xstat));
}

void
bed_cases_text(struct bed *b, const struct bed_case *cases, size_t n, bool *fake_port)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct err e = { 0 };

		*fake_port = cases[i].fake;
		assert_int_equal(cases[i].show(&b->ports, 0, &e), cases[i].ret);
		assert_string_equal(bed_text(b), cases[i].text);
		assert_string_equal(e.text, cases[i].failed);
		assert_string_equal(bed_failed(b), "");
	}
}

void
bed_cases_json(struct bed *b, const struct bed_case *cases, size_t n, bool *fake_port)
{
	char want[1024];
	size_t i;

	out_format_set(b->out, OUT_JSON);
	for (i = 0; i < n; i++) {
		struct err e = { 0 };

		if (cases[i].ret != 0 || cases[i].json == NULL)
			continue;
		*fake_port = cases[i].fake;
		out_begin(b->out, "x");
		assert_int_equal(cases[i].show(&b->ports, 0, &e), 0);
		out_end(b->out, NULL, NULL);
		snprintf(want, sizeof(want), "{\"command\": \"x\", \"ok\": true, %s}\n",
			cases[i].json);
		assert_string_equal(bed_text(b), want);
	}
	out_format_set(b->out, OUT_TEXT);
}

void
bed_cases_missing(struct bed *b, const struct bed_case *cases, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct err e = { 0 };

		assert_int_equal(cases[i].show(&b->ports, 9, &e), -ENODEV);
		assert_string_equal(e.text, "Invalid port 9");
		assert_string_equal(bed_text(b), "");
	}
}
