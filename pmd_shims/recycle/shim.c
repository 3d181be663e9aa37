/* Shims and layouts: find a shim by the driver's name, check that a queue's memory is DPDK's, choose a layout for the running release, by table or from a file, and a SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/shim.h"

#include <rte_common.h>
#include <rte_cpuflags.h>
#include <rte_memory.h>
#include <rte_vect.h>
#include <rte_version.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
shim_refuse(struct zcfwd_recycle_error *e, enum zcfwd_recycle_reason reason, const char *fmt, ...)
{
	static const int codes[] = {
		[ZCFWD_RECYCLE_OFF] = ECANCELED,
		[ZCFWD_RECYCLE_ARGUMENT] = EINVAL,
		[ZCFWD_RECYCLE_NO_QUEUE] = EINVAL,
		[ZCFWD_RECYCLE_STOPPED] = ENETDOWN,
		[ZCFWD_RECYCLE_CHANGED] = ESTALE,
		[ZCFWD_RECYCLE_BUSY] = EBUSY,
		[ZCFWD_RECYCLE_PROCESS] = ENOTSUP,
		[ZCFWD_RECYCLE_PROCESSOR] = ENOTSUP,
		[ZCFWD_RECYCLE_DRIVER] = ENOTSUP,
		[ZCFWD_RECYCLE_RELEASE] = ENOTSUP,
		[ZCFWD_RECYCLE_FUNCTION] = ENOTSUP,
		[ZCFWD_RECYCLE_SIZES] = ENOTSUP,
		[ZCFWD_RECYCLE_LAYOUT] = ENOTSUP,
		[ZCFWD_RECYCLE_POOL] = ENOTSUP,
		[ZCFWD_RECYCLE_MODE] = ENOTSUP,
		[ZCFWD_RECYCLE_FILE] = EINVAL,
		[ZCFWD_RECYCLE_SILENT] = ETIMEDOUT,
		[ZCFWD_RECYCLE_MEMORY] = ENOMEM,
	};
	va_list args;

	if (e == NULL)
		return -codes[reason];
	e->code = codes[reason];
	e->reason = reason;
	va_start(args, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, args);
	va_end(args);
	return -e->code;
}

extern const struct shim_driver shim_i40e, shim_ice, shim_iavf, shim_ixgbe, shim_mlx5, shim_virtio;
const struct shim_driver *const shim_drivers[] = { &shim_i40e, &shim_ice, &shim_iavf, &shim_ixgbe,
	&shim_mlx5, &shim_virtio, NULL };

/* Chooses the layout of a driver's queues for the running DPDK release. */

/*
 * A series of releases: the newest known one, and the one that was run with cache lines as long as
 * this DPDK's; 0: none was.
 */
static const struct series {
	uint32_t newest, run;
} all_series[] = {
#define RUN(run_64, run_128) (RTE_CACHE_LINE_SIZE == 128 ? (run_128) : (run_64))
#define SERIES(year, month, newest, ...) \
	{ SHIM_RELEASE(year, month, newest), \
		RUN(__VA_ARGS__) == SHIM_NEVER ? 0 \
					       : SHIM_RELEASE(year, month, RUN(__VA_ARGS__)) },
	SHIM_SERIES(SERIES)
#undef SERIES
#undef RUN
};

uint32_t
shim_release_read(const char *text)
{
	unsigned int year, month, minor = 0;
	int end = 0, more = 0;

	if (sscanf(text, "%3u.%3u%n", &year, &month, &end) < 2)
		return 0;
	if (text[end] == '.' && sscanf(text + end, ".%3u%n", &minor, &more) < 1)
		return 0;
	text += end + more;
	if (year > 255 || month > 12 || minor > 255)
		return 0;
	if (strcmp(text, "-rc0") == 0)
		return SHIM_MAIN(year, month);
	return text[0] == '\0' ? SHIM_RELEASE(year, month, minor) : 0;
}

static void
release_write(uint32_t release, char *text, size_t size)
{
	const unsigned int minor = release & 0xff;

	snprintf(text, size, minor != 0 ? "DPDK %u.%02u.%u" : "DPDK %u.%02u.0", release >> 16,
		release >> 8 & 0xff, minor);
}

/* The running release; 0 for a release candidate but -rc0. */
static uint32_t
release_running(void)
{
	const char *version = strchr(rte_version(), ' ');

	return version == NULL ? 0 : shim_release_read(version + 1);
}

static const void *
table_row(const struct shim_table *t, uint32_t release)
{
	for (size_t i = 0; i < t->n; i++) {
		const char *row = (const char *)t->rows + i * t->row_size;
		struct shim_releases of;

		memcpy(&of, row, sizeof(of));
		if (of.first <= release && release <= of.last)
			return row;
	}
	return NULL;
}

const void *
shim_layout_find(const struct shim_layouts *known, const struct shim_table *t,
	struct shim_laid *laid, struct zcfwd_recycle_error *e)
{
	const uint32_t release = release_running();
	struct series of = { 0 };
	const struct shim_layout_file *const file = known != NULL ? known->file : NULL;
	const void *row;

	for (unsigned int i = 0; file != NULL && i < file->n; i++)
		if (file->rows[i].table == t) {
			*laid = (struct shim_laid){ .by = SHIM_BY_FILE };
			snprintf(laid->as, sizeof(laid->as), "%s", file->name);
			return &file->rows[i].row;
		}
	for (size_t i = 0; i < RTE_DIM(all_series); i++)
		if (all_series[i].newest >> 8 == release >> 8)
			of = all_series[i];
	row = table_row(t, RTE_MIN(release, of.newest));
	if (row == NULL) {
		shim_refuse(e, ZCFWD_RECYCLE_RELEASE,
			"%s: unknown queue layout of %s: devtools/layouts reads it from DPDK's source",
			t->name, rte_version());
		return NULL;
	}
	/* Headers are not enough: a row has to be proved if no release of the series was run with it. */
	laid->by = release <= of.newest && row == table_row(t, of.run) ? SHIM_BY_TABLE
								       : SHIM_BY_CHECK;
	if (release > of.newest && known != NULL && known->tables_only) {
		shim_refuse(e, ZCFWD_RECYCLE_RELEASE,
			"%s: %s is newer than the table of layouts, and only the table may be used",
			t->name, rte_version());
		return NULL;
	}
	release_write(RTE_MIN(release, of.newest), laid->as, sizeof(laid->as));
	return row;
}

const char *
shim_layout_by_name(enum shim_layout_by by)
{
	static const char *const names[] = { "table", "check", "file" };

	return names[by];
}

const struct shim_driver *
shim_driver_of(const char *name)
{
	for (unsigned int i = 0; shim_drivers[i] != NULL; i++)
		if (strcmp(shim_drivers[i]->name, name) == 0 ||
			(shim_drivers[i]->also != NULL && strcmp(shim_drivers[i]->also, name) == 0))
			return shim_drivers[i];
	return NULL;
}

/*
 * Binding fills in the path before it checks the rest of the queue, so its result does not matter.
 */
void
shim_path(uint16_t port, uint16_t queue, bool rx, char path[SHIM_PATH])
{
	const struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[port];
	struct shim_rx rx_queue = { .port = port, .queue = queue };
	struct shim_tx tx_queue = { .port = port, .queue = queue };
	const struct shim_driver *driver;
	struct rte_eth_dev_info info;
	struct zcfwd_recycle_error e;

	path[0] = '\0';
	if (rte_eth_dev_info_get(port, &info) != 0)
		return;
	driver = shim_driver_of(info.driver_name);
	if (driver == NULL)
		return;
	if (rx) {
		rx_queue.rxq = ops->rxq.data[queue];
		rx_queue.burst = ops->rx_pkt_burst;
		driver->rx_bind(&rx_queue, &e);
	} else {
		tx_queue.txq = ops->txq.data[queue];
		tx_queue.burst = ops->tx_pkt_burst;
		driver->tx_bind(&tx_queue, &e);
	}
	memcpy(path, rx ? rx_queue.path : tx_queue.path, SHIM_PATH);
}

int
shim_socket(uint16_t port)
{
	return rte_eth_dev_is_valid_port(port) ? rte_eth_dev_socket_id(port) : SOCKET_ID_ANY;
}

bool
shim_owned(const void *p, size_t n)
{
	return p != NULL && rte_mem_virt2memseg(p, NULL) != NULL &&
		rte_mem_virt2memseg((const char *)p + n - 1, NULL) != NULL;
}

bool
shim_register(const uint32_t *p)
{
	const uintptr_t at = (uintptr_t)p;
	FILE *maps = at % sizeof(*p) == 0 && !shim_owned(p, 1) ? fopen("/proc/self/maps", "re")
							       : NULL;
	char line[512], mode[5];
	uint64_t from, to;
	bool found = false;

	if (maps == NULL)
		return false;
	/* Modelled NICs map registers as shared memory without access rights; nothing else does. */
	while (!found && fgets(line, sizeof(line), maps) != NULL)
		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &from, &to, mode) == 3 &&
			from <= at && at < to && (mode[0] == 'r' || mode[3] == 's');
	fclose(maps);
	return found;
}

bool
shim_fast_free(const struct shim_tx *tx)
{
	struct rte_eth_txq_info info;

	return rte_eth_tx_queue_info_get(tx->port, tx->queue, &info) == 0 &&
		(info.conf.offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
}

/*
 * NEON functions of net_i40e, net_ixgbe, mlx5_pci and net_virtio (22.11 to 25.11) follow the rules
 * of the SSE ones: refill batches (32, any number for mlx5) and their time, look-ahead (4
 * descriptors, 8 for net_virtio), ring contents when the pool is empty; sent mbufs are freed by the
 * same source. net_i40e's NEON function writes the address into both words of a descriptor, which
 * is fine: the lowest bit, where the NIC reports done, is 0 either way. AltiVec functions were not
 * examined.
 */
bool
shim_processor(void)
{
#if defined(RTE_ARCH_X86_64) || defined(RTE_ARCH_ARM64)
	return true;
#else
	return false;
#endif
}

unsigned int
shim_simd_bits(void)
{
#ifdef RTE_ARCH_X86_64
	unsigned int limit = rte_vect_get_max_simd_bitwidth();

	if (limit >= 512 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) == 1 &&
		rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512VL) == 1)
		return 512;
	if (limit >= 256 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) == 1)
		return 256;
#endif
	return 128;
}
