/* How drivers' receive and transmit functions treat external buffers: a table from which queues are
 * judged. Functions that are not in the table get the last row, a safe default. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/extbuf.h"

#include "base/base.h"
#include "base/err.h"
#include "memory/mbuf_readonly.h"

#include <rte_errno.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The reasons that the rows give. */
#define LANDS "receives into the pool's external memory"
#define NO_STRIDES \
	"receives into the pool's external memory; the driver then uses no multi-packet queue"
#define LOST \
	"does not set the external-buffer flag; zcfwd sets it in an Rx callback where packets are cloned"
#define KEPT \
	"leaves the external-buffer flag unchanged, and another port may have cleared it; zcfwd sets it in an Rx callback where packets are cloned"
#define SAYS "sets the external-buffer flag as the pool's mbufs have it"
#define UNKNOWN_RX \
	"has not been examined and may not set the external-buffer flag; zcfwd sets it in an Rx callback where packets are cloned (costs a check of each packet, and of its reference count when it is freed)"
#define BY_COUNT "frees sent mbufs by their reference counts"
#define WHOLE \
	"returns sent mbufs to their one pool unchecked (mbuf_fast_free), with the buffer they always have"
#define UNSEEN \
	"frees sent mbufs unchecked (mbuf_fast_free), so attached buffers would never be released: disable it with --tx-offloads=0 or \"port config P tx_offload mbuf_fast_free off\""
#define UNSEEN_CLONES \
	"frees sent mbufs unchecked (mbuf_fast_free) while other mbufs still use their data: mirrors send copies instead, or disable it with --tx-offloads=0 or \"port config P tx_offload mbuf_fast_free off\""
#define HEADER_APART "puts its header into a separate descriptor"
#define NO_HEADROOM \
	"writes its header in front of the data; zcfwd leaves no room there, so the header goes into a separate descriptor"
#define OWN_HEADROOM "writes its header into the mbuf's own headroom"
#define DEVICE_WRITES \
	"marks its header, in a list of its own, as one that the device writes, and QEMU then stops the card: use split rings, or indirect_desc=off of the device"
#define HEADER_BEFORE \
	"writes its header in front of data that belongs to another mbuf, and moves the start of the data: mirrors send copies instead"
#define UNKNOWN_TX \
	"has not been examined; by ethdev's rules it leaves the data unchanged, and zcfwd leaves no headroom in front of it"
#define UNKNOWN_PINNED \
	"frees sent mbufs unchecked (mbuf_fast_free) and has not been examined for external buffers: disable it with --tx-offloads=0 or \"port config P tx_offload mbuf_fast_free off\""
#define UNKNOWN_CLONES \
	"has not been examined and may change data that other mbufs use: mirrors send copies instead (one copy of each packet)"
#define SEVERAL "sends packets of several segments"
#define FIRST_ALONE \
	"sends only the first segment: use --tx-offloads=0x8000 or \"port config P tx_offload multi_segs on\""
#define NOT_ASKED \
	"is not configured for packets of several segments: use --tx-offloads=0x8000 or \"port config P tx_offload multi_segs on\""

/* clang-format off */
#define OK(text) { EXTBUF_OK, text }
#define WORKED_AROUND(text) { EXTBUF_WORKED_AROUND, text }
#define REFUSED(text) { EXTBUF_REFUSED, text }

struct rx_row {
	const char *driver; /* "": any */
	const char *path;   /* part of the function's name */
	struct extbuf_verdict verdict[EXTBUF_RX_USES]; /* pinned, clones */
};

static const struct rx_row rx_rows[] = {
	{ "net_i40e", "", { OK(LANDS), WORKED_AROUND(LOST) } },
	{ "net_ixgbe", "", { OK(LANDS), WORKED_AROUND(LOST) } },
	{ "net_ixgbe_vf", "", { OK(LANDS), WORKED_AROUND(LOST) } },
	{ "mlx5_pci", "without hash", { OK(LANDS), WORKED_AROUND(LOST) } },
	{ "mlx5_pci", " Vector", { OK(LANDS), OK(SAYS) } },
	{ "mlx5_pci", "", { OK(NO_STRIDES), WORKED_AROUND(KEPT) } },
	{ "net_virtio", "split vectorised", { OK(LANDS), WORKED_AROUND(KEPT) } },
	{ "net_virtio", "", { OK(LANDS), WORKED_AROUND(LOST) } },
	{ "net_virtio_user", "split vectorised", { OK(LANDS), WORKED_AROUND(KEPT) } },
	{ "net_virtio_user", "", { OK(LANDS), WORKED_AROUND(LOST) } },
	{ "net_e1000_em", "", { OK(LANDS), WORKED_AROUND(LOST) } },
	{ "net_e1000_igb", "", { OK(LANDS), WORKED_AROUND(LOST) } },
	{ "net_vmxnet3", "", { OK(LANDS), WORKED_AROUND(LOST) } },
	{ "", "", { OK(LANDS), WORKED_AROUND(UNKNOWN_RX) } },
};

enum fast_free { ANY, OFF, ON };

struct tx_row {
	const char *driver, *path;
	enum fast_free fast_free;
	/* pinned, attached, shared, clones, segments */
	struct extbuf_verdict verdict[EXTBUF_TX_USES];
};

#define COUNTS(segments) { OK(BY_COUNT), OK(BY_COUNT), OK(BY_COUNT), OK(BY_COUNT), segments }
#define BLIND(segments) { OK(WHOLE), REFUSED(UNSEEN), REFUSED(UNSEEN), REFUSED(UNSEEN_CLONES), segments }
#define APART { OK(HEADER_APART), OK(HEADER_APART), OK(HEADER_APART), OK(HEADER_APART), OK(SEVERAL) }
#define BEFORE { OK(OWN_HEADROOM), WORKED_AROUND(NO_HEADROOM), WORKED_AROUND(NO_HEADROOM), REFUSED(HEADER_BEFORE), OK(SEVERAL) }

#define BY_LIST { REFUSED(DEVICE_WRITES), REFUSED(DEVICE_WRITES), REFUSED(DEVICE_WRITES), REFUSED(DEVICE_WRITES), REFUSED(DEVICE_WRITES) }

/*
 * The first row that matches counts. A function that frees by reference counts even if fast free is
 * on has one row (ANY).
 */
static const struct tx_row tx_rows[] = {
	{ "net_i40e", " Simple", ON, BLIND(REFUSED(FIRST_ALONE)) },
	{ "net_i40e", " Vector", ON, BLIND(REFUSED(FIRST_ALONE)) },
	{ "net_i40e", " Simple", OFF, COUNTS(REFUSED(FIRST_ALONE)) },
	{ "net_i40e", " Vector", OFF, COUNTS(REFUSED(FIRST_ALONE)) },
	{ "net_i40e", " Scalar", ANY, COUNTS(OK(SEVERAL)) },
	{ "net_ixgbe", " Simple", ANY, COUNTS(REFUSED(FIRST_ALONE)) },
	{ "net_ixgbe", " simple", ANY, COUNTS(REFUSED(FIRST_ALONE)) },
	{ "net_ixgbe", " Vector", ANY, COUNTS(REFUSED(FIRST_ALONE)) },
	{ "net_ixgbe", " Scalar", ANY, COUNTS(OK(SEVERAL)) },
	{ "net_ixgbe", "", ANY, COUNTS(REFUSED(NOT_ASKED)) },
	{ "net_ixgbe_vf", "", ANY, COUNTS(REFUSED(NOT_ASKED)) },
	{ "mlx5_pci", " MULTI", ANY, COUNTS(OK(SEVERAL)) },
	{ "mlx5_pci", " MPW", ON, BLIND(REFUSED(NOT_ASKED)) },
	{ "mlx5_pci", " MPW", OFF, COUNTS(REFUSED(NOT_ASKED)) },
	{ "net_virtio_user", "split", ANY, APART },
	{ "net_virtio_user", "packed standard", ANY, APART },
	{ "net_virtio_user", "packed in-order", ANY, APART },
	{ "net_virtio_user", "", ANY, BEFORE },
	{ "net_virtio", "split", ANY, APART },
	{ "net_virtio", "packed", ANY, BY_LIST },
	{ "net_virtio", "", ANY, BEFORE },
	{ "net_e1000_em", "", ANY, COUNTS(OK(SEVERAL)) },
	{ "net_e1000_igb", "", ANY, COUNTS(OK(SEVERAL)) },
	{ "net_vmxnet3", "", ANY, COUNTS(OK(SEVERAL)) },
	{ "", "", ON, { REFUSED(UNKNOWN_PINNED), REFUSED(UNSEEN), REFUSED(UNSEEN), REFUSED(UNSEEN_CLONES), REFUSED(NOT_ASKED) } },
	{ "", "", ANY, { OK(UNKNOWN_TX), OK(UNKNOWN_TX), OK(UNKNOWN_TX), REFUSED(UNKNOWN_CLONES), REFUSED(NOT_ASKED) } },
};
/* clang-format on */

/* Fill in the port's driver and the queue's function, if known. */
static int
queue_name(uint16_t port, uint16_t queue, bool rx, struct extbuf_queue *q,
	struct rte_eth_dev_info *info, struct err *e)
{
	*q = (struct extbuf_queue){ 0 };
	if (rte_eth_dev_info_get(port, info) != 0)
		return err_set(e, EINVAL, "port %u: cannot read its device information", port);
	snprintf(q->driver, sizeof(q->driver), "%s", info->driver_name);
	shim_path(port, queue, rx, q->path);
	return 0;
}

static bool
fits(const char *driver, const char *path, const struct extbuf_queue *q)
{
	return driver[0] == '\0' ||
		(strcmp(driver, q->driver) == 0 && strstr(q->path, path) != NULL);
}

int
extbuf_rx_judge(uint16_t port, uint16_t queue, struct extbuf_queue *q, struct err *e)
{
	const struct rx_row *row = rx_rows;
	struct rte_eth_dev_info info;
	int ret = queue_name(port, queue, true, q, &info, e);

	if (ret != 0)
		return ret;
	while (!fits(row->driver, row->path, q))
		row++;
	q->known = row->driver[0] != '\0';
	memcpy(q->verdict, row->verdict, sizeof(row->verdict));
	return 0;
}

/*
 * Where the function alone does not determine whether several segments are sent, the offload
 * MULTI_SEGS does. A driver without that offload always sends all segments.
 */
static void
segments_ask(struct extbuf_verdict *v, uint64_t offloads, const struct rte_eth_dev_info *info)
{
	const uint64_t several = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;

	if (strcmp(v->why, NOT_ASKED) == 0 &&
		((offloads & several) != 0 || (info->tx_offload_capa & several) == 0))
		*v = (struct extbuf_verdict)OK(SEVERAL);
}

int
extbuf_tx_judge(uint16_t port, uint16_t queue, uint64_t offloads, struct extbuf_queue *q,
	struct err *e)
{
	const enum fast_free asked = (offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0 ? ON : OFF;
	const struct tx_row *row = tx_rows;
	struct rte_eth_dev_info info;
	int ret = queue_name(port, queue, false, q, &info, e);

	if (ret != 0)
		return ret;
	while (!fits(row->driver, row->path, q) ||
		(row->fast_free != ANY && row->fast_free != asked))
		row++;
	q->known = row->driver[0] != '\0';
	memcpy(q->verdict, row->verdict, sizeof(row->verdict));
	segments_ask(&q->verdict[EXTBUF_TX_SEGMENTS], offloads, &info);
	return 0;
}

int
extbuf_tx_check(uint16_t port, uint16_t queue, uint64_t offloads, unsigned int uses, struct err *e)
{
	static const char *const nouns[] = { "mbufs of pinned pools", "attached buffers",
		"shared buffers", "clones", "packets of several segments" };
	struct extbuf_queue q;
	int ret = extbuf_tx_judge(port, queue, offloads, &q, e);

	for (unsigned int use = 0; ret == 0 && use < EXTBUF_TX_USES; use++)
		if ((uses >> use & 1) != 0 && q.verdict[use].support == EXTBUF_REFUSED)
			ret = err_set(e, EOPNOTSUPP, "port %u queue %u cannot send %s: %s %s", port,
				queue, nouns[use], q.path[0] != '\0' ? q.path : q.driver,
				q.verdict[use].why);
	return ret;
}

int
extbuf_pages_check(uint16_t port, uint32_t bytes, uint64_t page, struct err *e)
{
	struct rte_eth_dev_info info;

	if (bytes <= page || rte_eth_dev_info_get(port, &info) != 0 ||
		strcmp(info.driver_name, "mlx5_pci") != 0)
		return 0;
	return err_set(e, EOPNOTSUPP,
		"port %u (%s): buffers of %u bytes are longer than pages of %llu, and the driver maps only pages in which a buffer begins: use larger pages or shorter buffers",
		port, info.driver_name, bytes, (unsigned long long)page);
}

const char *
extbuf_rx_word(enum extbuf_rx_use use)
{
	static const char *const words[] = { "pinned", "clones" };

	return words[use];
}

const char *
extbuf_tx_word(enum extbuf_tx_use use)
{
	static const char *const words[] = { "pinned", "attached", "shared", "clones", "segments" };

	return words[use];
}

const char *
extbuf_support_word(enum extbuf_support support)
{
	static const char *const words[] = { "ok", "worked around", "refused" };

	return words[support];
}

int
extbuf_readonly_register(uint64_t *mask, struct err *e)
{
	*mask = mbuf_readonly_register();
	return *mask != 0
		? 0
		: err_set(e, rte_errno, "no mbuf flag is free to mark read-only data (%s): %s",
			  MBUF_READONLY_NAME, rte_strerror(rte_errno));
}

bool
extbuf_fast_free_pinned(const char *driver)
{
	for (size_t i = 0; i < ARRAY_SIZE(tx_rows); i++)
		if (tx_rows[i].fast_free == ON && strcmp(tx_rows[i].driver, driver) == 0)
			return tx_rows[i].verdict[EXTBUF_TX_PINNED].support != EXTBUF_REFUSED;
	return false;
}
