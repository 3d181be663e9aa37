/* show vhost and set vhost, for ports of net_async_vhost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"
#include "port/port.h"

#include <rte_dmadev.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <inttypes.h>
#include <linux/virtio_config.h>
#include <linux/virtio_net.h>
#include <linux/virtio_ring.h>
#include <stdint.h>

/* Features that affect the format of packets or how they are copied. */
static const struct {
	unsigned int bit;
	const char *name;
} features[] = {
	{ VIRTIO_NET_F_CSUM, "csum" },
	{ VIRTIO_NET_F_GUEST_CSUM, "guest_csum" },
	{ VIRTIO_NET_F_HOST_TSO4, "host_tso4" },
	{ VIRTIO_NET_F_HOST_TSO6, "host_tso6" },
	{ VIRTIO_NET_F_HOST_UFO, "host_ufo" },
	{ VIRTIO_NET_F_GUEST_TSO4, "guest_tso4" },
	{ VIRTIO_NET_F_GUEST_TSO6, "guest_tso6" },
	{ VIRTIO_NET_F_GUEST_UFO, "guest_ufo" },
	{ VIRTIO_NET_F_MRG_RXBUF, "mrg_rxbuf" },
	{ VIRTIO_NET_F_MQ, "mq" },
	{ VIRTIO_RING_F_INDIRECT_DESC, "indirect_desc" },
	{ VIRTIO_RING_F_EVENT_IDX, "event_idx" },
	{ VIRTIO_F_VERSION_1, "version_1" },
	{ 34, "packed_ring" },
	{ 35, "in_order" },
};

static void
features_show(struct out *o, uint64_t agreed)
{
	out_text(o, "  features:");
	out_nest(o, "features", OUT_ARRAY);
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if ((agreed & UINT64_C(1) << features[i].bit) != 0)
			out_str(o, "", " %s", features[i].name);
	out_unnest(o);
	out_text(o, "\n");
}

static void
engine_show(struct out *o, const struct net_async_vhost_virtqueue *v)
{
	struct rte_dma_info info;
	struct dma_min_len min;

	if (v->dma < 0 || rte_dma_info_get(v->dma, &info) != 0) {
		out_str(o, "engine", NULL, NULL);
		return;
	}
	out_str(o, "engine", ", engine %s", info.dev_name);
	out_u64(o, "vchan", "/%" PRIu64, v->vchan);
	if (dma_adaptive_min_len(v->dma, v->vchan, &min) == 0) {
		out_u64(o, "min_len", " from %" PRIu64 " bytes", min.near);
		out_u64(o, "min_len_nr", " (remote: %" PRIu64 ")", min.far);
	}
}

static void
virtqueue_show(struct out *o, uint16_t port, uint16_t queue, bool rx)
{
	struct net_async_vhost_virtqueue v;

	if (net_async_vhost_virtqueue(port, queue, rx, &v) != 0)
		return;
	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "direction", "  %s", rx ? "rx" : "tx");
	out_u64(o, "queue", " queue %" PRIu64 ": ", queue);
	out_bool(o, "open", "%s", v.open, "", "not connected, ");
	out_str(o, "copy", "copy %s", net_async_vhost_word(v.copy));
	engine_show(o, &v);
	out_u64(o, "descriptors", ", %" PRIu64 " descriptors\n", v.descriptors);
	out_u64(o, "packets", "    packets: %-12" PRIu64, v.stats.packets);
	out_u64(o, "bytes", " bytes: %-14" PRIu64, v.stats.bytes);
	out_u64(o, "in_flight", " in flight: %" PRIu64 "\n", v.stats.in_flight);
	out_u64(o, "cpu_bytes", "    copied by CPU: %-14" PRIu64, v.stats.cpu_bytes);
	out_u64(o, "dma_bytes", " by DMA: %" PRIu64 "\n", v.stats.dma_bytes);
	out_u64(o, "drained", "    drained: %-8" PRIu64, v.stats.drained);
	out_u64(o, "refused", " refused: %-8" PRIu64, v.stats.refused);
	out_u64(o, "csum", " checksums computed: %" PRIu64 "\n", v.stats.csum);
	out_unnest(o);
}

static void
guest_show(struct out *o, uint16_t port)
{
	struct net_async_vhost_guest g;
	struct rte_eth_dev_info info;

	if (net_async_vhost_guest(port, &g) != 0 || rte_eth_dev_info_get(port, &info) != 0)
		return;
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "port", "Port %" PRIu64 ": ", port);
	out_bool(o, "connected", "%s", g.connected, "guest connected", "no guest");
	out_bool(o, "client", ", %s", g.client, "client of", "server at");
	out_str(o, "path", " %s\n", g.path);
	out_bool(o, "tso", "  offered: tso %s", g.tso, "on", "off");
	out_bool(o, "ufo", ", ufo %s", g.ufo, "on", "off");
	out_u64(o, "virtqueues", "; %" PRIu64 " virtqueues", g.virtqueues);
	out_u64(o, "connects", "; connects: %" PRIu64, g.connects);
	out_u64(o, "disconnects", ", disconnects: %" PRIu64 "\n", g.disconnects);
	if (g.connected)
		features_show(o, g.features);
	out_nest(o, "queues", OUT_ARRAY);
	for (uint16_t q = 0; q < RTE_MAX(info.nb_rx_queues, info.nb_tx_queues); q++) {
		virtqueue_show(o, port, q, true);
		virtqueue_show(o, port, q, false);
	}
	out_unnest(o);
	out_unnest(o);
}

/* Show the ports of net_async_vhost. -ENODEV with e filled: none. Thread: control. */
static int
port_vhost_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	unsigned int found = 0;
	uint16_t port;

	RTE_ETH_FOREACH_DEV(port)
		found += net_async_vhost_is(port);
	if (found == 0)
		return err_set(e, ENODEV,
			"no net_async_vhost port: add one with --vdev net_async_vhost0,iface=SOCKET or \"port attach\"");
	out_nest(ps->out, "ports", OUT_ARRAY);
	RTE_ETH_FOREACH_DEV(port)
		guest_show(ps->out, port);
	out_unnest(ps->out);
	return 0;
}

/*
 * Set how packets of a queue pair are copied, in each direction that has an engine. Errors, with e
 * filled: -ENODEV not a net_async_vhost port, -EINVAL no such queue, -ENOTSUP no suitable engine.
 * Thread: control.
 */
static int
port_vhost_copy(struct app *app, const struct args *a, struct err *e)
{
	uint16_t port = arg_port(a);
	uint16_t queue = arg_queue(a);
	enum net_async_vhost_copy copy = (enum net_async_vhost_copy)arg_u64(a, "who", 0);

	switch (-net_async_vhost_set_copy(port, queue, copy)) {
	case 0: return 0;
	case ENODEV: return err_set(e, ENODEV, "port %u is not a net_async_vhost port", port);
	case EINVAL: return err_set(e, EINVAL, "port %u has no queue %u", port, queue);
	default:
		return err_set(e, ENOTSUP,
			"port %u queue %u: copy %s needs its own %s: dmas=[txq%u@DEVICE;rxq%u@DEVICE]",
			port, queue, net_async_vhost_word(copy),
			copy >= NET_ASYNC_VHOST_ADAPTIVE ? "dma_adaptive" : "DMA engine", queue,
			queue);
	}
}

/* Commands for vhost ports: show their queues, choose between CPU and DMA copies. */

static const struct cmd_row rows[] = {
	{ "show vhost", port_vhost_show,
		"show vhost ports: features, queues, copies in flight, bytes copied by CPU and DMA",
		NULL, NULL, .shows = true },
	{ "set vhost <port:port> <queue:uint 0..63> copy <who:word cpu|dma|adaptive|auto>",
		port_vhost_copy,
		"choose how packets of a queue pair are copied: by the CPU, by a DMA engine, by length (adaptive), or by an autotuned length (auto)",
		NULL, NULL },
};

const struct cmd_table cmds_vhost = { "vhost", "vhost ports of guests", rows, ARRAY_SIZE(rows),
	CMD_DMA };
