/* Commands that change the configuration of ports: queues, descriptors, thresholds, frame length, MTU, speed, offloads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_conf.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "memory/pool_ops.h"
#include "port/port.h"
#include "port/port_descriptors.h"
#include "port/port_life.h"
#include "port/port_queue.h"
#include "port/port_setup.h"
#include "port/port_split.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Let the next start configure all devices again. */
static void
reconfigure(struct ports *ps)
{
	uint16_t id;

	for (id = 0; id < RTE_MAX_ETHPORTS; id++) {
		ps->port[id].configured = false;
		ps->port[id].queues_configured = false;
	}
}

/* Set the setting of a row to a word that suits all ports, in place of numbers of single queues. */
static int
number_set(struct ports *ps, const struct port_number_row *row, const char *word, struct err *e)
{
	const int ret = setting_parse(ps->settings, row->setting, word, e);
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);

	if (ret != 0)
		return ret;
	for (unsigned int i = 0; i < n; i++) {
		struct port *p = port_at(ps, ids[i]);

		for (uint16_t q = 0; !row->queues && q < p->n_queues; q++)
			port_queue_at(p, row->rx, q)->descriptors = 0;
		if (row->queues && p->prepared)
			port_queues_extend(p);
	}
	reconfigure(ps);
	if (row->rx)
		port_buffers_warn(ps);
	return 0;
}

int
port_conf_number(struct ports *ps, enum port_number which, uint64_t n, struct err *e)
{
	const struct port_number_row *row = &port_numbers[which];
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n_ports = port_ids(ps, ids);
	int ret = port_check_all_stopped(ps, e);
	char word[24];

	if (ret != 0)
		return ret;
	if (row->queues && n == 0 && setting_u64(ps->settings, port_sides[!row->rx].queues) == 0)
		return err_set(e, EINVAL, "Warning: Either rx or tx queues should be non zero");
	for (unsigned int i = 0; ret == 0 && i < n_ports; i++)
		ret = port_setup_check(port_at(ps, ids[i]), which, n, e);
	snprintf(word, sizeof(word), "%" PRIu64, n);
	return ret == 0 ? number_set(ps, row, word, e) : ret;
}

/* The row of a number of all ports; NULL: the setting is none. */
static const struct port_number_row *
number_row(const char *setting)
{
	for (unsigned int i = 0; i < PORT_NUMBERS; i++)
		if (strcmp(port_numbers[i].setting, setting) == 0)
			return &port_numbers[i];
	return NULL;
}

bool
port_conf_takes(const char *setting)
{
	static const char *const thresholds[] = { "rxpt", "rxht", "rxwt", "rxfreet", "txpt", "txht",
		"txwt", "txfreet", "txrst" };

	for (size_t i = 0; i < ARRAY_SIZE(thresholds); i++)
		if (strcmp(thresholds[i], setting) == 0)
			return true;
	return number_row(setting) != NULL;
}

/* Refuse to replace a number of descriptors that a queue has of its own. */
static int
own_ring_check(const struct port *p, bool rx, const char *setting, struct err *e)
{
	const struct port_queue *queues = rx ? p->rxq : p->txq;
	const char *way = port_sides[rx].queues;

	for (uint16_t q = 0; q < p->n_queues; q++)
		if (queues[q].descriptors != 0)
			return err_set(e, EBUSY,
				"%s of all queues: port %u %s %u has a ring_size of its own; use \"port config %u %s %u ring_size 0\" before",
				setting, p->id, way, q, p->id, way, q);
	return 0;
}

int
port_conf_word_check(const struct ports *ps, const char *setting, const char *word, struct err *e)
{
	const struct port_number_row *row = number_row(setting);
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n_ports = port_ids(ps, ids);
	int ret = setting_check(ps->settings, setting, word, e);

	for (unsigned int i = 0; ret == 0 && row != NULL && i < n_ports; i++) {
		const struct port *p = port_at(ps, ids[i]);

		if (!row->queues)
			ret = own_ring_check(p, row->rx, setting, e);
		if (ret == 0 && strcmp(word, "auto") != 0)
			ret = port_setup_check(p, (enum port_number)(row - port_numbers),
				strtoull(word, NULL, 0), e);
	}
	return ret;
}

int
port_conf_word(struct ports *ps, const char *setting, const char *word, struct err *e)
{
	const struct port_number_row *row = number_row(setting);
	int ret;

	if (row != NULL && strcmp(word, "auto") != 0)
		return port_conf_number(ps, (enum port_number)(row - port_numbers),
			strtoull(word, NULL, 0), e);
	ret = port_check_all_stopped(ps, e);
	if (ret == 0 && row != NULL)
		return number_set(ps, row, word, e);
	if (ret == 0)
		ret = setting_parse(ps->settings, setting, word, e);
	if (ret == 0)
		reconfigure(ps);
	return ret;
}

int
port_conf_auto(struct ports *ps, const struct args *a, struct err *e)
{
	return port_conf_word(ps, arg_str(a, "what", ""), "auto", e);
}

int
port_conf_setting(struct ports *ps, const struct args *a, struct err *e)
{
	return port_conf_word(ps, arg_str(a, "what", ""), arg_str(a, "n", ""), e);
}

/* Get the burst size that the driver of the first port recommends. */
static int
burst_of_driver(struct ports *ps, uint64_t *n, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];

	if (port_ids(ps, ids) == 0)
		return err_set(e, ENODEV,
			"burst 0: no port whose driver could recommend a burst size");
	*n = port_at(ps, ids[0])->info.default_rxportconf.burst_size;
	if (*n == 0)
		return err_set(e, ENOTSUP,
			"PMD does not recommend a burst size.\nUser provided value must be between 1 and %u",
			BURST_MAX);
	if (*n > BURST_MAX)
		return err_set(e, ERANGE,
			"PMD recommended burst size of %" PRIu64 " exceeds maximum value of %u", *n,
			BURST_MAX);
	out_say(ps->out, "Using PMD-provided burst value of %" PRIu64 "\n", *n);
	return 0;
}

int
port_conf_burst(struct ports *ps, const struct args *a, struct err *e)
{
	uint64_t n = arg_u64(a, "n", 0);
	int ret = port_check_all_stopped(ps, e);

	if (ret == 0 && n > BURST_MAX)
		ret = err_set(e, ERANGE, "burst must be >= 1 && <= %u", BURST_MAX);
	if (ret == 0 && n == 0)
		ret = burst_of_driver(ps, &n, e);
	if (ret == 0)
		ret = setting_set(ps->settings, "burst", n, e);
	if (ret == 0)
		reconfigure(ps);
	return ret;
}

int
port_conf_drop(struct ports *ps, const struct args *a, struct err *e)
{
	const bool on = arg_is(a, "state", "on");
	int ret = port_check_all_stopped(ps, e);

	if (ret == 0)
		ret = setting_set(ps->settings, "enable-drop-en", on, e);
	if (ret != 0)
		return ret;
	ps->drop_off = !on;
	reconfigure(ps);
	return 0;
}

/* Return -ERANGE unless the device supports the MTU. */
static int
mtu_check(const struct port *p, uint64_t mtu, struct err *e)
{
	const struct rte_eth_dev_info *info = &p->info;
	uint64_t frame = mtu + port_setup_overhead(p);

	if (mtu < info->min_mtu)
		return err_set(e, ERANGE, "MTU (%" PRIu64 ") < device min MTU (%u) for port_id %u",
			mtu, info->min_mtu, p->id);
	if (mtu > info->max_mtu)
		return err_set(e, ERANGE, "MTU (%" PRIu64 ") > device max MTU (%u) for port_id %u",
			mtu, info->max_mtu, p->id);
	if (frame > info->max_rx_pktlen)
		return err_set(e, ERANGE,
			"Frame size (%" PRIu64 ") > device max frame size (%u) for port_id %u",
			frame, info->max_rx_pktlen, p->id);
	return 0;
}

/*
 * Set the MTU: immediately if the device is configured, otherwise with the next configuration.
 * Returns the driver's result.
 */
static int
mtu_set(struct port *p, uint16_t mtu)
{
	int ret = p->configured ? rte_eth_dev_set_mtu(p->id, mtu) : 0;

	if (ret != 0)
		return ret;
	p->conf.rxmode.mtu = mtu;
	if (p->configured)
		p->mtu = mtu;
	return 0;
}

int
port_conf_mtu(struct ports *ps, const struct args *a, struct err *e)
{
	struct port *p = port_find(ps, arg_u64(a, "port", 0), e);
	const uint64_t mtu = arg_u64(a, "bytes", 0);
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = port_setup_prepare(ps, p, e);
	if (ret == 0)
		ret = mtu_check(p, mtu, e);
	if (ret != 0)
		return ret;
	ret = mtu_set(p, (uint16_t)mtu);
	return ret == 0 ? 0 : err_set(e, abs(ret), "Set MTU failed. diag=%d", ret);
}

/*
 * Set the MTU of ports ids[0..n) for a maximum frame length of bytes. If one port does not support
 * it, no port is changed.
 */
static int
mtu_set_all(struct ports *ps, const uint16_t *ids, unsigned int n, uint64_t bytes, struct err *e)
{
	uint16_t before[RTE_MAX_ETHPORTS], mtu;
	uint32_t conf_before[RTE_MAX_ETHPORTS];
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		struct port *p = port_at(ps, ids[i]);

		mtu = (uint16_t)(bytes - port_setup_overhead(p));
		before[i] = p->mtu;
		conf_before[i] = p->conf.rxmode.mtu;
		ret = p->mtu == mtu && p->conf.rxmode.mtu == mtu ? 0 : mtu_set(p, mtu);
		if (ret == 0)
			continue;
		while (i-- > 0) {
			mtu_set(port_at(ps, ids[i]), before[i]);
			port_at(ps, ids[i])->conf.rxmode.mtu = conf_before[i];
		}
		return err_set(e, abs(ret), "Failed to set MTU to %u for port %u: %s", mtu, p->id,
			strerror(abs(ret)));
	}
	return 0;
}

int
port_conf_max_pkt_len(struct ports *ps, const struct args *a, struct err *e)
{
	const uint64_t bytes = arg_u64(a, "bytes", 0);
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);
	int ret = port_check_all_stopped(ps, e);

	if (ret == 0 && bytes < RTE_ETHER_MIN_LEN)
		ret = err_set(e, ERANGE, "max-pkt-len can not be less than %u", RTE_ETHER_MIN_LEN);
	for (i = 0; ret == 0 && i < n; i++) {
		struct port *p = port_at(ps, ids[i]);

		ret = port_setup_prepare(ps, p, e);
		if (ret == 0)
			ret = mtu_check(p, bytes - port_setup_overhead(p), e);
	}
	if (ret == 0)
		ret = mtu_set_all(ps, ids, n, bytes, e);
	if (ret != 0)
		return ret;
	reconfigure(ps);
	return 0;
}

int
port_conf_max_lro_pkt_size(struct ports *ps, const struct args *a, struct err *e)
{
	const uint64_t bytes = arg_u64(a, "bytes", 0);
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);
	int ret = port_check_all_stopped(ps, e);

	for (i = 0; ret == 0 && i < n; i++) {
		ret = port_setup_prepare(ps, port_at(ps, ids[i]), e);
		if (ret == 0)
			ret = port_setup_check_lro(port_at(ps, ids[i]), bytes, e);
	}
	if (ret == 0)
		ret = setting_set(ps->settings, "max-lro-pkt-size", bytes, e);
	if (ret != 0)
		return ret;
	for (i = 0; i < n; i++)
		port_at(ps, ids[i])->conf.rxmode.max_lro_pkt_size = (uint32_t)bytes;
	reconfigure(ps);
	return 0;
}

int
port_conf_speed(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_u64(a, "port", 0);
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n;
	uint32_t bits = 0;
	int ret = port_named(ps, id, ids, &n, e);

	if (ret == 0 && id == PORT_ALL)
		ret = port_check_all_stopped(ps, e);
	else if (ret == 0 && port_at(ps, id)->state != PORT_STOPPED)
		ret = err_set(e, EBUSY, "Please stop port %u first", id);
	if (ret == 0)
		ret = port_setup_speed(arg_str(a, "speed", ""), arg_str(a, "duplex", ""), &bits, e);
	for (i = 0; ret == 0 && i < n; i++)
		ret = port_setup_prepare(ps, port_at(ps, ids[i]), e);
	if (ret != 0)
		return ret;
	for (i = 0; i < n; i++) {
		struct port *p = port_at(ps, ids[i]);

		p->conf.link_speeds = bits;
		p->configured = false;
	}
	return 0;
}

/* Return the queue, or NULL with e filled if the settings give ports fewer queues. */
static struct port_queue *
queue_find(struct ports *ps, struct port *p, bool rx, uint16_t queue, struct err *e)
{
	return port_queue_check(ps, rx, queue, e) == 0 ? port_queue_at(p, rx, queue) : NULL;
}

int
port_conf_ring_size(struct ports *ps, const struct args *a, struct err *e)
{
	struct port *p = port_find(ps, arg_u64(a, "port", 0), e);
	const bool rx = arg_is(a, "way", "rxq");
	const uint16_t queue = arg_u64(a, "queue", 0);
	const uint64_t n = arg_u64(a, "n", 0);
	struct rte_eth_rxconf conf;
	struct port_queue *q;
	uint16_t now;
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = port_setup_prepare(ps, p, e);
	if (ret != 0)
		return ret;
	q = queue_find(ps, p, rx, queue, e);
	if (q == NULL)
		return -ERANGE;
	port_rxconf(p, queue, &conf, &now);
	if (rx && n != 0 && n <= conf.rx_free_thresh)
		return err_set(e, ERANGE, "Invalid rx ring_size, must > rx_free_thresh: %u",
			conf.rx_free_thresh);
	ret = port_setup_check(p, rx ? PORT_RXD : PORT_TXD, n, e);
	if (ret != 0)
		return ret;
	q->descriptors = (uint16_t)n;
	p->queues_configured = false;
	if (rx)
		port_buffers_warn(ps);
	return 0;
}

int
port_conf_pool_ops(struct ports *ps, const struct args *a, struct err *e)
{
	const char *ops = arg_str(a, "ops", "");
	const bool one = arg_given(a, "queue");
	const uint16_t queue = arg_u64(a, "queue", 0);
	const bool own = strcmp(ops, POOL_OPS_DEFAULT) != 0;
	const uint16_t n = (uint16_t)setting_u64(ps->settings, "rxq");
	struct port *p = port_find(ps, arg_u64(a, "port", 0), e);
	int ret = p != NULL ? port_setup_prepare(ps, p, e) : -ENODEV;

	if (ret == 0 && one && queue_find(ps, p, true, queue, e) == NULL)
		ret = -ERANGE;
	if (ret == 0)
		ret = pool_ops_check(ops, e);
	if (ret == 0 && own)
		ret = port_setup_pool_check(p, ops, e);
	for (uint16_t i = 0; i < n && ret == 0; i++)
		if (!one || queue == i)
			snprintf(p->rxq[i].pool_ops, sizeof(p->rxq[i].pool_ops), "%s",
				own ? ops : "");
	if (ret == 0)
		p->queues_configured = false;
	return ret;
}

int
port_conf_queue_run(struct ports *ps, const struct args *a, struct err *e)
{
	const bool rx = arg_is(a, "way", "rxq"), start = arg_is(a, "what", "start");
	const uint16_t id = arg_u64(a, "port", 0), queue = arg_u64(a, "queue", 0);
	struct port *p;

	if (ps->forwarding)
		return err_set(e, EBUSY, "Please stop forwarding first");
	p = port_find(ps, id, e);
	if (p == NULL)
		return -ENODEV;
	if (p->state != PORT_STARTED)
		return err_set(e, EBUSY, "Please start port %u first", id);
	if (queue_find(ps, p, rx, queue, e) == NULL)
		return -ERANGE;
	return port_queue_run(p, rx, queue, start, e);
}

int
port_conf_queue_deferred(struct ports *ps, const struct args *a, struct err *e)
{
	const bool rx = arg_is(a, "way", "rxq"), on = arg_is(a, "state", "on");
	const uint16_t id = arg_u64(a, "port", 0);
	struct port *p = port_find(ps, id, e);
	struct port_queue *q;
	int ret;

	if (p == NULL)
		return -ENODEV;
	if (p->state == PORT_STARTED)
		return err_set(e, EBUSY, "Please stop port %u first", id);
	ret = port_setup_prepare(ps, p, e);
	if (ret != 0)
		return ret;
	q = queue_find(ps, p, rx, arg_u64(a, "queue", 0), e);
	if (q == NULL)
		return -ERANGE;
	if (q->deferred_start != on)
		p->queues_configured = false;
	q->deferred_start = on;
	return 0;
}

int
port_conf_queue_setup(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	int ret;

	if (p == NULL)
		return -ENODEV;
	if (ps->forwarding)
		return err_set(e, EBUSY, "Please stop forwarding first");
	if (queue_find(ps, p, rx, queue, e) == NULL)
		return -ERANGE;
	if (!p->configured)
		return err_set(e, EBUSY,
			"Failed to setup %s queue: port %u is not configured; use \"port start %u\" first",
			port_sides[rx].upper, id, id);
	ret = rx ? port_setup_rxq(ps, p, queue, e) : port_setup_txq(ps, p, queue, e);
	return ret == 0 ? 0 : err_context(e, "Failed to setup %s queue", port_sides[rx].upper);
}

/* Return the port, prepared and stopped, or NULL with e filled; e.g. it lacks the offload. */
static struct port *
offload_port(struct ports *ps, uint16_t id, bool rx, uint64_t offload, bool on, struct err *e)
{
	struct port *p = port_at(ps, id);
	uint64_t can;

	if (p == NULL) {
		err_set(e, ENODEV, "Error during getting device (port %u) info: %s", id,
			strerror(ENODEV));
		return NULL;
	}
	if (p->state != PORT_STOPPED) {
		err_set(e, EBUSY, "Error: Can't config offload when Port %u is not stopped", id);
		return NULL;
	}
	if (port_setup_prepare(ps, p, e) != 0)
		return NULL;
	can = rx ? p->info.rx_offload_capa : p->info.tx_offload_capa;
	if (on && offload != PORT_CONF_OFFLOADS && (can & offload) != offload) {
		err_set(e, ENOTSUP, "%s offload %s is not supported by port %u (driver %s)",
			port_sides[rx].title, port_sides[rx].offload_name(offload), id,
			p->info.driver_name);
		return NULL;
	}
	return p;
}

static void
bit_set(uint64_t *bits, uint64_t which, bool on)
{
	*bits = on ? *bits | which : *bits & ~which;
}

/*
 * The operator's choice of mbuf_fast_free and multi_segs counts from now on, also if a run had switched
 * them. queue: of that one; PORT_QUEUES_MAX: of the port and all its queues.
 */
static void
switched_chosen(struct port *p, bool rx, uint64_t offloads, unsigned int queue)
{
	const bool all = queue == PORT_QUEUES_MAX;

	if (!rx && (offloads & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0)
		p->segments_on = false;
	if (rx || (offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) == 0)
		return;
	if (all)
		p->fast_free_off = false;
	for (unsigned int q = 0; q < p->n_queues; q++)
		if (all || q == queue)
			p->txq[q].fast_free_off = false;
}

int
port_conf_offload(struct ports *ps, uint16_t id, bool rx, uint64_t offload, bool on, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS] = { id };
	unsigned int i, q, n = 1;

	if (id == PORT_ALL)
		n = port_ids(ps, ids);
	for (i = 0; i < n; i++)
		if (offload_port(ps, ids[i], rx, offload, on, e) == NULL)
			return -e->code;
	for (i = 0; i < n; i++) {
		struct port *p = port_at(ps, ids[i]);
		const uint64_t can = rx ? p->info.rx_offload_capa : p->info.tx_offload_capa;
		const uint64_t bits = offload == PORT_CONF_OFFLOADS ? can : offload;

		bit_set(rx ? &p->conf.rxmode.offloads : &p->conf.txmode.offloads, bits, on);
		for (q = 0; q < p->n_queues; q++)
			bit_set(&port_queue_at(p, rx, q)->offloads, bits, on);
		switched_chosen(p, rx, bits, PORT_QUEUES_MAX);
		p->configured = false;
	}
	return 0;
}

int
port_conf_queue_offload(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint64_t offload,
	bool on, struct err *e)
{
	struct port *p = offload_port(ps, id, rx, offload, on, e);
	const struct port_side *side = &port_sides[rx];
	uint64_t port_wide, per_queue;
	unsigned int n;

	if (p == NULL)
		return -e->code;
	n = (unsigned int)setting_u64(ps->settings, side->queues);
	if (n == 0)
		return err_set(e, ERANGE, "port %u has no %s queues", id, side->title);
	if (queue >= n)
		return err_set(e, ERANGE, "Error: input queue_id should be 0 ... %d", (int)n - 1);
	port_wide = rx ? p->conf.rxmode.offloads : p->conf.txmode.offloads;
	per_queue = rx ? p->info.rx_queue_offload_capa : p->info.tx_queue_offload_capa;
	if (offload == PORT_CONF_OFFLOADS)
		offload = per_queue;
	if (on && ((per_queue | port_wide) & offload) != offload)
		return err_set(e, ENOTSUP,
			"%s offload %s: driver %s supports it for whole ports only; use \"port config %u %s_offload\"",
			side->title, side->offload_name(offload), p->info.driver_name, id,
			side->lower);
	bit_set(&port_queue_at(p, rx, queue)->offloads, offload, on);
	switched_chosen(p, rx, offload, queue);
	p->configured = false;
	return 0;
}
