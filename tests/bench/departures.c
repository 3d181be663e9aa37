/* Before DPDK: records when each packet is handed to a port's transmit function, and when it was
 * due by its probe, into the file DEPARTURES. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time is the TSC at the begin of rte_eth_tx_burst(), read once per burst, in a transmit
 * callback on queue 0 of each port. So it includes all of the sending engine, and nothing of the
 * driver. Memory is written in advance, because a page fault would delay the packets that are
 * measured. DEPARTURES_MAX is the maximum number of packets; more are counted.
 *
 * The file: struct head, then struct departure for each packet.
 */
#include "engines/measure/probe.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* The same moment by two clocks. */
struct moment {
	uint64_t tsc, monotonic_raw_ns;
};

struct head {
	uint64_t n, left_out, tsc_hz;
	struct moment begin, end;
};

struct departure {
	uint64_t handed, due; /* TSC */
};

static struct head head;
static struct departure *departures;
static uint64_t most;

static struct moment
moment_now(void)
{
	struct timespec t;
	struct moment now;

	/* A time that was interrupted in between would be wrong. */
	do {
		now.tsc = rte_rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	} while (rte_rdtsc() - now.tsc > 2000);
	now.monotonic_raw_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return now;
}

__attribute__((constructor)) static void
departures_open(void)
{
	const char *text = getenv("DEPARTURES_MAX");

	if (getenv("DEPARTURES") == NULL || text == NULL)
		return;
	most = strtoull(text, NULL, 10);
	departures = mmap(NULL, most * sizeof(*departures), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (departures == MAP_FAILED) {
		perror("departures");
		_Exit(1);
	}
	head.begin = moment_now();
}

__attribute__((destructor)) static void
departures_close(void)
{
	FILE *file;

	/* Other programs that are started with this library, and processes that sent nothing. */
	if (head.n == 0)
		return;
	head.end = moment_now();
	head.tsc_hz = rte_get_tsc_hz();
	file = fopen(getenv("DEPARTURES"), "w");
	if (file == NULL || fwrite(&head, sizeof(head), 1, file) != 1 ||
		fwrite(departures, sizeof(*departures), head.n, file) != head.n ||
		fclose(file) != 0)
		perror("departures");
}

static uint16_t
on_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, void *unused)
{
	const uint64_t now = rte_rdtsc();

	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkts[i];
		struct probe probe;
		uint64_t age;

		if (m->nb_segs > 1 || m->data_len < PROBE_BYTES || head.n == most) {
			head.left_out++;
			continue;
		}
		probe_read(rte_pktmbuf_mtod_offset(m, const uint8_t *, m->data_len - PROBE_BYTES),
			&probe);
		age = (now - probe.due) & PROBE_DUE_MASK;
		departures[head.n++] = (struct departure){ now, now - age };
	}
	return n;
}

int
rte_eth_dev_start(uint16_t port)
{
	void *const found = dlsym(RTLD_NEXT, "rte_eth_dev_start");
	int (*dpdk)(uint16_t);
	int ret;

	memcpy(&dpdk, &found, sizeof(dpdk));
	ret = dpdk(port);
	if (ret == 0 && departures != NULL && rte_eth_add_tx_callback(port, 0, on_tx, NULL) == NULL)
		return -rte_errno;
	return ret;
}
