/* Preloaded into a DPDK program on modelled NICs that are stepped: steps them behind every so many
 * packets that it receives, and tells by telemetry what the program took for its packets between. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_telemetry.h>

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_TOGGLE_COLLECT
#endif

enum {
	BATCH = 512,    /* packets: few enough for a ring that refills and frees in batches of 32 */
	SAMPLES = 4096, /* batches that are remembered: the last ones */
	WARM_UP = 64,   /* batches before those that a profiler is to count */
};

/* Written by the lcore that polls; telemetry reads what may be half new, one batch of thousands. */
static uint32_t cost[SAMPLES]; /* thousandths of a cycle per packet, by batch */
static uint64_t batches, counted;
static uint64_t to_count; /* batches for a profiler, then the program is interrupted; 0: no end */
static uint64_t since, packets;
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
	if (to_count > 0 && batches > WARM_UP)
		counted += packets;
	if (to_count > 0 && batches == WARM_UP + to_count)
		kill(getpid(), SIGINT);
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
	if (packets < BATCH && n > 0)
		return n;
	if (to_count > 0 && batches >= WARM_UP)
		CALLGRIND_TOGGLE_COLLECT;
	batch_end(now);
	if (to_count > 0 && batches == WARM_UP)
		CALLGRIND_START_INSTRUMENTATION;
	if (to_count > 0 && batches >= WARM_UP && batches < WARM_UP + to_count)
		CALLGRIND_TOGGLE_COLLECT;
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
	rte_tel_data_add_dict_u64(d, "batches", n);
	rte_tel_data_add_dict_u64(d, "packets", n * BATCH);
	rte_tel_data_add_dict_u64(d, "millicycles", n > 0 ? some[n / 2] : 0);
	rte_tel_data_add_dict_u64(d, "hz", rte_get_tsc_hz());
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
	const char *n = getenv("STEPPER_BATCHES");

	to_count = n != NULL ? strtoull(n, NULL, 10) : 0;
	rte_telemetry_register_cmd("/stepper/cost", cost_tell,
		"thousandths of a cycle per packet, the median of the batches since the last such question");
}

__attribute__((destructor)) static void
end(void)
{
	if (to_count > 0)
		fprintf(stderr, "stepper: %lu packets\n", (unsigned long)counted);
}
