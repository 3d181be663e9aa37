/* Metadata (matched by flow rules) and dynamic mbuf flags of each transmitted packet. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_tx_mark.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_feature.h"

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_malloc.h>
#include <rte_mbuf_dyn.h>

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The marks of a port's transmitted packets; written by the control thread, read by workers. */
struct mark {
	_Atomic uint32_t metadata;                               /* 0: none */
	_Atomic uint64_t flags;                                  /* mbuf flags to set */
	const struct rte_eth_rxtx_callback *on[PORT_QUEUES_MAX]; /* by Tx queue; NULL: none */
};

static struct mark *
mark_of(const struct port *p)
{
	return port_feature_state(p, &port_feature_tx_mark);
}

/* Thread: worker. */
static uint16_t
on_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, void *context)
{
	const struct mark *mark = context;
	const uint32_t metadata = atomic_load_explicit(&mark->metadata, memory_order_relaxed);
	const uint64_t flags = atomic_load_explicit(&mark->flags, memory_order_relaxed);
	uint16_t i;

	for (i = 0; i < n; i++) {
		pkts[i]->ol_flags |= flags;
		if (metadata == 0)
			continue;
		*RTE_FLOW_DYNF_METADATA(pkts[i]) = metadata;
		pkts[i]->ol_flags |= RTE_MBUF_DYNFLAG_TX_METADATA;
	}
	return n;
}

/* While forwarding a worker may still execute the callback, so its few bytes are not freed. */
static void
queue_drop(struct ports *ps, struct port *p, uint16_t queue)
{
	struct mark *mark = mark_of(p);
	const struct rte_eth_rxtx_callback *callback = mark->on[queue];

	if (callback == NULL || rte_eth_remove_tx_callback(p->id, queue, callback) != 0)
		return;
	if (!ps->forwarding)
		rte_free((void *)(uintptr_t)callback);
	mark->on[queue] = NULL;
}

/*
 * Install or remove the callbacks of all queues of the ethdev; before it is configured it has none.
 * Errors: ENOMEM; ENOTSUP DPDK was built without callbacks.
 */
static int
apply(struct ports *ps, struct port *p, struct err *e)
{
	struct mark *mark = mark_of(p);
	const bool some = mark->metadata != 0 || mark->flags != 0;
	uint16_t queue;

	for (queue = 0; queue < PORT_QUEUES_MAX; queue++) {
		if (!some) {
			queue_drop(ps, p, queue);
		} else if (queue < p->n_txq && mark->on[queue] == NULL) {
			mark->on[queue] = rte_eth_add_tx_callback(p->id, queue, on_tx, mark);
			if (mark->on[queue] == NULL)
				return err_set(e, rte_errno,
					"port %u: cannot install the Tx callback: %s", p->id,
					strerror(rte_errno));
		}
	}
	return 0;
}

int
port_tx_mark_metadata(struct ports *ps, uint16_t id, uint32_t value, struct err *e)
{
	struct port *p = port_find(ps, id, e);

	if (p == NULL)
		return -ENODEV;
	if (rte_flow_dynf_metadata_register() < 0)
		return err_set(e, rte_errno,
			"port %u: cannot reserve the mbuf field for metadata: %s", id,
			strerror(rte_errno));
	atomic_store(&mark_of(p)->metadata, value);
	return apply(ps, p, e);
}

int
port_tx_mark_metadata_show(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_at(ps, id);

	if (p == NULL)
		return err_set(e, ENODEV, "invalid port id %u", id);
	out_u64(ps->out, "port", "Port %" PRIu64, id);
	out_u64(ps->out, "tx_metadata", " tx_metadata: %" PRIu64 "\n", mark_of(p)->metadata);
	return 0;
}

/* The bit of a flag, which is registered if necessary; negative with e filled. */
static int
flag_find(const char *name, struct err *e)
{
	struct rte_mbuf_dynflag flag = { .flags = 0 };
	int bit = rte_mbuf_dynflag_lookup(name, NULL);

	if (bit > 0)
		return bit;
	if (strlen(name) >= sizeof(flag.name))
		return err_set(e, ENAMETOOLONG,
			"Flag name too long: %s: expected at most %zu bytes", name,
			sizeof(flag.name) - 1);
	memcpy(flag.name, name, strlen(name) + 1);
	bit = rte_mbuf_dynflag_register(&flag);
	return bit >= 0
		? bit
		: err_set(e, rte_errno, "Can't register flag %s: %s", name, strerror(rte_errno));
}

int
port_tx_mark_flag(struct ports *ps, uint16_t id, const char *name, bool on, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	int bit;

	if (p == NULL)
		return -ENODEV;
	bit = flag_find(name, e);
	if (bit < 0)
		return bit;
	if (on)
		atomic_fetch_or(&mark_of(p)->flags, RTE_BIT64(bit));
	else
		atomic_fetch_and(&mark_of(p)->flags, ~RTE_BIT64(bit));
	return apply(ps, p, e);
}

static void
closing(struct ports *ps, struct port *p)
{
	uint16_t queue;

	atomic_store(&mark_of(p)->metadata, 0);
	atomic_store(&mark_of(p)->flags, 0);
	for (queue = 0; queue < PORT_QUEUES_MAX; queue++)
		queue_drop(ps, p, queue);
}

const struct port_feature port_feature_tx_mark = {
	.name = "tx_mark",
	.state_size = sizeof(struct mark),
	.run = apply,
	.at = { [PORT_CLOSING] = closing },
};
