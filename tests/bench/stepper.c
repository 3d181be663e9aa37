/* Preloaded into a DPDK program on modelled NICs that are stepped: steps them behind every so many
 * packets that it receives, and tells by telemetry what the program took for its packets between. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "compat.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_telemetry.h>

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* packets: few enough for a ring that refills and frees in batches of 32; STEPPER_BATCH=N */
	BATCH = 512,
	SAMPLES = 4096, /* batches that are remembered: the last ones */
};

/* Written by the lcore that polls; telemetry reads what may be half new, one batch of thousands. */
static uint32_t cost[SAMPLES]; /* thousandths of a cycle per packet, by batch */
static uint64_t batches;
static uint64_t since, packets, batch = BATCH;
static unsigned int (*step)(void);

/* The plugin is private to EAL: its handle is found by name. */
static int
plugin_find(struct dl_phdr_info *info, size_t size, void *unused)
{
	void *object = info->dlpi_name[0] != '\0' ? dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD)
						  : NULL;
	void *symbol = object != NULL ? dlsym(object, "model_nic_step") : NULL;

	if (symbol != NULL)
		memcpy(&step, &symbol, sizeof(step));
	return symbol != NULL;
}

static void
batch_end(uint64_t now)
{
	if (packets > 0)
		cost[batches++ % SAMPLES] = (uint32_t)((now - since) * 1000 / packets);
	packets = 0;
	for (unsigned int still = 0; still < 3; still++)
		if (step() > 0)
			still = 0;
}

/* Behind every receive call. */
static uint16_t
received(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max,
	void *unused)
{
	const uint64_t now = rte_rdtsc();

	packets += n;
	if (packets < batch && n > 0)
		return n;
	batch_end(now);
	since = rte_rdtsc();
	return n;
}

/* What a median takes away: batches that others' work fell into. */
static int
by_size(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* /stepper/cost: of the batches since it was asked last, how many, and the median of their costs. */
static int
cost_tell(const char *cmd, const char *params, struct rte_tel_data *d)
{
	static uint32_t some[SAMPLES];
	static uint64_t told;
	const uint64_t all = batches, n = RTE_MIN(all - told, (uint64_t)SAMPLES);

	for (uint64_t i = 0; i < n; i++)
		some[i] = cost[(all - n + i) % SAMPLES];
	told = all;
	qsort(some, n, sizeof(some[0]), by_size);
	rte_tel_data_start_dict(d);
	compat_tel_dict_uint(d, "batches", n);
	compat_tel_dict_uint(d, "packets", n * batch);
	compat_tel_dict_uint(d, "millicycles", n > 0 ? some[n / 2] : 0);
	compat_tel_dict_uint(d, "hz", rte_get_tsc_hz());
	return 0;
}

/* In place of ethdev's, which it calls. */
int
rte_eth_dev_start(uint16_t port)
{
	int (*real)(uint16_t) = NULL;
	void *symbol = dlsym(RTLD_NEXT, "rte_eth_dev_start");
	struct rte_eth_dev_info info;
	int ret;

	memcpy(&real, &symbol, sizeof(real));
	ret = real(port);
	if (step == NULL)
		dl_iterate_phdr(plugin_find, NULL);
	if (ret == 0 && step != NULL && rte_eth_dev_info_get(port, &info) == 0)
		for (uint16_t queue = 0; queue < info.nb_rx_queues; queue++)
			rte_eth_add_rx_callback(port, queue, received, NULL);
	return ret;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *word = getenv("STEPPER_BATCH");

	if (word != NULL)
		batch = strtoull(word, NULL, 0);
	rte_telemetry_register_cmd("/stepper/cost", cost_tell,
		"thousandths of a cycle per packet, the median of the batches since the last such question");
}
