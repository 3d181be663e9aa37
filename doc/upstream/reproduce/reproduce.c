/* Reproducers of faults in DPDK's drivers: reproduce PLUGINS NAME; the pages beside this folder name
 * theirs. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Only DPDK's public functions are called, so the program builds with every release since 22.11:
 *
 *   cc -O2 -DALLOW_EXPERIMENTAL_API $(pkg-config --cflags libdpdk) *.c \
 *      $(pkg-config --libs libdpdk) -ldl -o reproduce
 *
 * PLUGINS is zcfwd's build folder. Its modelled cards and mock ports take the place of cards; faults
 * of net_virtio, net_null, net_ring and mempools need neither.
 *
 * Each case is a process of its own, because some end in a crash. A case prints "green:", "red:" or
 * "skipped:" and the reason. The exit status is 1 if a case is red, else 0 if one is green, else 2.
 */
#include "reproduce.h"

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_malloc.h>

#include <dlfcn.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "/tmp/reproduce.XXXXXX"

const char model_nic[] = "pmd_shims/drivers/model_nic/model_nic.so",
	   mock[] = "tests/model_nic/mock/mock.so";

unsigned int (*model_step)(void);

char folder[sizeof(FOLDER)];

static const char *plugins;

void
end(int status, const char *format, ...)
{
	static const char *const words[] = { "green", "red", "skipped" };
	va_list list;

	va_start(list, format);
	printf("%s: ", words[status]);
	vprintf(format, list);
	printf("\n");
	va_end(list);
	fflush(stdout);
	_exit(status);
}

void
must(bool done, const char *step)
{
	if (!done)
		end(SKIPPED, "%s failed", step);
}

static void
no_wait(unsigned int us)
{
	(void)us;
}

/* A stepped card is ready at once: drivers' waits for a real one are skipped. */
void
rte_delay_us_sleep(unsigned int us)
{
	usleep(us <= 1000 ? us : 0);
}

void
eal_start(const char *plugin, unsigned int bits, const char *const *more)
{
	char lcores[32],
		width[48] = "--log-level=critical", path[512],
		*args[24] = { "reproduce", "--no-huge", "--no-shconf", "--no-pci", "-m", "256",
			"--no-telemetry", "--iova-mode=va", "--log-level=critical", lcores, width };
	int n = 11;
	cpu_set_t cpus;
	int cpu = 0;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	while (!CPU_ISSET(cpu, &cpus))
		cpu++;
	snprintf(lcores, sizeof(lcores), "--lcores=0@%d", cpu);
	if (bits != 0)
		snprintf(width, sizeof(width), "--force-max-simd-bitwidth=%u", bits);
	if (plugin != NULL) {
		snprintf(path, sizeof(path), "%s/%s", plugins, plugin);
		setenv("MODEL_NIC_MODE", "step", 1);
		args[n++] = "-d";
		args[n++] = path;
	}
	while (more != NULL && *more != NULL)
		args[n++] = (char *)(uintptr_t)*more++;
	must(rte_eal_init(n, args) >= 0, "rte_eal_init()");
	if (plugin != NULL) {
		void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

		must(handle != NULL, "dlopen() of the plugin");
		*(void **)&model_step = dlsym(handle, "model_nic_step");
		must(model_step != NULL, "dlsym() of model_nic_step");
		rte_delay_us_callback_register(no_wait);
	}
}

void
cards_start(const char *devices, unsigned int bits)
{
	setenv("MODEL_NIC", devices, 1);
	eal_start(model_nic, bits, NULL);
}

struct rte_mempool *
pool_make(const char *name, unsigned int n)
{
	struct rte_mempool *pool =
		rte_pktmbuf_pool_create(name, n, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);

	must(pool != NULL, "rte_pktmbuf_pool_create()");
	return pool;
}

void
port_setup(uint16_t p, struct rte_mempool *pool, const struct setup *s)
{
	const struct rte_eth_conf conf = { .txmode.offloads = s->tx_offloads };
	struct rte_eth_dev_info info;
	struct rte_eth_rxconf rx;
	struct rte_eth_txconf tx;

	must(rte_eth_dev_info_get(p, &info) == 0, "rte_eth_dev_info_get()");
	rx = info.default_rxconf;
	if (s->rx_free != 0)
		rx.rx_free_thresh = s->rx_free;
	tx = info.default_txconf;
	tx.offloads = s->tx_offloads;
	if (s->tx_rs != 0)
		tx.tx_rs_thresh = s->tx_rs;
	if (s->tx_free != 0)
		tx.tx_free_thresh = s->tx_free;
	must(rte_eth_dev_configure(p, 1, 1, &conf) == 0, "rte_eth_dev_configure()");
	must(rte_eth_rx_queue_setup(p, 0, s->rx_ring != 0 ? s->rx_ring : RING, SOCKET_ID_ANY, &rx,
		     pool) == 0,
		"rte_eth_rx_queue_setup()");
	must(rte_eth_tx_queue_setup(p, 0, s->tx_ring != 0 ? s->tx_ring : RING, SOCKET_ID_ANY,
		     &tx) == 0,
		"rte_eth_tx_queue_setup()");
	must(rte_eth_dev_start(p) == 0, "rte_eth_dev_start()");
}

void
functions_are(uint16_t p, const char *rx, const char *tx)
{
	struct rte_eth_burst_mode mode;

	if (rx[0] != '\0' && rte_eth_rx_burst_mode_get(p, 0, &mode) == 0 &&
		strstr(mode.info, rx) == NULL)
		end(SKIPPED, "the driver chose the receive function \"%s\"", mode.info);
	if (tx[0] != '\0' && rte_eth_tx_burst_mode_get(p, 0, &mode) == 0 &&
		strstr(mode.info, tx) == NULL)
		end(SKIPPED, "the driver chose the transmit function \"%s\"", mode.info);
}

void
packets_make(struct rte_mempool *pool, struct rte_mbuf **pkts, unsigned int n)
{
	must(rte_pktmbuf_alloc_bulk(pool, pkts, n) == 0, "rte_pktmbuf_alloc_bulk()");
	for (unsigned int i = 0; i < n; i++)
		memset(rte_pktmbuf_append(pkts[i], PACKET), 0xff, PACKET);
}

void
packets_send(uint16_t p, struct rte_mempool *pool, unsigned int n)
{
	struct rte_mbuf *pkts[BURST];

	while (n > 0) {
		uint16_t ask = RTE_MIN(n, (unsigned int)BURST), sent = 0;

		packets_make(pool, pkts, ask);
		for (unsigned int i = 0; sent < ask; i++) {
			must(i < PATIENCE, "sending");
			sent += rte_eth_tx_burst(p, 0, pkts + sent, ask - sent);
			if (model_step != NULL)
				model_step();
		}
		n -= ask;
	}
}

void
pool_judge(struct rte_mempool *pool, unsigned int n, const char *what)
{
	unsigned int there = 0, twice = 0;
	void *m;

	/* More objects than the pool has: some are there twice. */
	while (there + twice <= 2 * n && rte_mempool_get(pool, &m) == 0) {
		uint16_t *mark = &((struct rte_mbuf *)m)->port;

		*mark == UINT16_MAX - 1 ? twice++ : there++;
		*mark = UINT16_MAX - 1;
	}
	end(twice == 0 && there == n ? GREEN : RED,
		"%s: of %u mbufs %u are missing from the pool and %u are in it twice", what, n,
		n - there, twice);
}

struct rte_mempool *
pinned_make(uint8_t **region, uint16_t element)
{
	struct rte_pktmbuf_extmem memory = { .buf_len = (size_t)PINNED * element,
		.elt_size = element };
	struct rte_mempool *pool;

	memory.buf_ptr = *region = rte_zmalloc("region", memory.buf_len, 4096);
	must(*region != NULL, "rte_zmalloc()");
	memory.buf_iova = (uintptr_t)memory.buf_ptr;
	pool = rte_pktmbuf_pool_create_extbuf("pinned", PINNED, 0, 0, element, SOCKET_ID_ANY,
		&memory, 1);
	must(pool != NULL, "rte_pktmbuf_pool_create_extbuf()");
	return pool;
}

void
clone_judge(struct rte_mbuf **pkts, uint16_t n, const uint8_t *region)
{
	struct rte_mempool *clones = pool_make("clones", 63);
	uint8_t *before = malloc(PINNED * ELEMENT);
	unsigned int changed = 0, lost = 0;
	struct rte_mbuf *clone, *m = NULL;

	/* One with buffers in front of its own. */
	for (uint16_t i = 0; i < n; i++) {
		lost += (pkts[i]->ol_flags & RTE_MBUF_F_EXTERNAL) == 0;
		if ((uint8_t *)pkts[i]->buf_addr > region + 4 * ELEMENT &&
			(m == NULL || (pkts[i]->ol_flags & RTE_MBUF_F_EXTERNAL) == 0))
			m = pkts[i];
	}
	must(m != NULL && before != NULL, "finding a packet");
	memcpy(before, region, PINNED * ELEMENT);
	clone = rte_pktmbuf_clone(m, clones);
	must(clone != NULL, "rte_pktmbuf_clone()");
	for (size_t i = 0; i < (size_t)PINNED * ELEMENT; i++)
		changed += before[i] != region[i];
	rte_pktmbuf_free(m);
	end(changed == 0 && rte_mbuf_ext_refcnt_read(m->shinfo) == 1 &&
				clone->shinfo == m->shinfo &&
				(m->ol_flags & RTE_MBUF_F_EXTERNAL) != 0
			? GREEN
			: RED,
		"%u of %u packets without the flag; a clone changed %u bytes of the application's memory",
		lost, n, changed);
}

static unsigned int released;

static void
on_release(void *addr, void *opaque)
{
	(void)addr;
	(void)opaque;
	released++;
}

void
lent_init(struct rte_mbuf_ext_shared_info *shinfo, uint16_t n)
{
	released = 0;
	*shinfo = (struct rte_mbuf_ext_shared_info){ .free_cb = on_release };
	rte_mbuf_ext_refcnt_set(shinfo, n);
}

unsigned int
lent_released(void)
{
	return released;
}

static const struct fault *const faults[] = { faults_intel, faults_cards, faults_guests,
	faults_others };

/* Run a case in a process of its own, which prints its verdict. */
static int
case_run(const char *name, void (*run)(void))
{
	char socket[sizeof(FOLDER) + 2];
	int status = SKIPPED;
	pid_t pid;

	strcpy(folder, FOLDER);
	if (mkdtemp(folder) == NULL)
		return SKIPPED;
	snprintf(socket, sizeof(socket), "%s/s", folder);
	printf("%s%s", name, name[0] != '\0' ? ": " : "");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		alarm(60);
		run();
		_exit(SKIPPED);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	unlink(socket);
	rmdir(folder);
	if (pid < 0 || !WIFSIGNALED(status))
		return pid < 0 ? SKIPPED : WEXITSTATUS(status);
	printf("red: signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	return RED;
}

/* RED if a case is red, SKIPPED if all were skipped, else GREEN. */
static int
fault_run(const struct fault *f)
{
	int status = SKIPPED;

	for (size_t i = 0; i < RTE_DIM(f->cases) && f->cases[i].run != NULL; i++) {
		int one = case_run(f->cases[i].name, f->cases[i].run);

		if (one == RED || status == SKIPPED)
			status = one;
	}
	return status;
}

int
main(int argc, char **argv)
{
	int status = SKIPPED;
	bool known = false;

	plugins = argc == 3 ? argv[1] : NULL;
	for (size_t i = 0; argc == 3 && i < RTE_DIM(faults); i++)
		for (const struct fault *f = faults[i]; f->name != NULL; f++)
			if (strcmp(f->name, argv[2]) == 0) {
				int one = fault_run(f);

				status = one == RED || status == SKIPPED ? one : status;
				known = true;
			}
	if (known)
		return status;
	fprintf(stderr, "usage: reproduce PLUGINS NAME; NAME is one of:");
	for (size_t i = 0; i < RTE_DIM(faults); i++)
		for (const struct fault *f = faults[i]; f->name != NULL; f++)
			fprintf(stderr, " %s", f->name);
	fprintf(stderr, "\n");
	return SKIPPED;
}
