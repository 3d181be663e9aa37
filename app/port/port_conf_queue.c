/* Configuration of single queues, and of offloads of queues and whole ports. */
#include "port/port_conf_queue.h"

#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_conf.h"
#include "port/port_queue_conf.h"
#include "port/port_setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The queue, when the settings give every port so many. */
static struct port_queue *
queue_find(struct ports *ps, struct port *p, bool rx, uint16_t queue, struct err *e)
{
	uint64_t n = setting_u64(ps->settings, rx ? "rxq" : "txq");

	if (queue < n)
		return rx ? &p->rxq[queue] : &p->txq[queue];
	err_set(e, ERANGE, "Invalid %s queue %u (must be < nb_%sq=%u)", rx ? "RX" : "TX", queue,
		rx ? "rx" : "tx", (unsigned int)n);
	return NULL;
}

int
port_conf_ring_size(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint64_t n,
	struct err *e)
{
	struct port *p = port_find(ps, id, e);
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
	ret = port_setup_check(p, rx ? "rxd" : "txd", n, e);
	if (ret != 0)
		return ret;
	q->descriptors = (uint16_t)n;
	p->queues_configured = false;
	return 0;
}

int
port_conf_queue_run(struct ports *ps, uint16_t id, bool rx, uint16_t queue, bool start,
	struct err *e)
{
	struct port_queue *q;
	struct port *p;
	int ret;

	if (ps->forwarding)
		return err_set(e, EBUSY, "Please stop forwarding first");
	p = port_find(ps, id, e);
	if (p == NULL)
		return -ENODEV;
	if (p->state != PORT_STARTED)
		return err_set(e, EBUSY, "Please start port %u first", id);
	q = queue_find(ps, p, rx, queue, e);
	if (q == NULL)
		return -ERANGE;
	if (rx)
		ret = start ? rte_eth_dev_rx_queue_start(id, queue)
			    : rte_eth_dev_rx_queue_stop(id, queue);
	else
		ret = start ? rte_eth_dev_tx_queue_start(id, queue)
			    : rte_eth_dev_tx_queue_stop(id, queue);
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "Function not supported in PMD");
	if (ret != 0)
		return err_set(e, abs(ret), "port %u, %s queue %u: driver %s does not %s it: %s",
			id, rx ? "Rx" : "Tx", queue, p->info.driver_name, start ? "start" : "stop",
			strerror(abs(ret)));
	q->stopped = !start;
	return 0;
}

int
port_conf_queue_deferred(struct ports *ps, uint16_t id, bool rx, uint16_t queue, bool on,
	struct err *e)
{
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
	q = queue_find(ps, p, rx, queue, e);
	if (q == NULL)
		return -ERANGE;
	if (q->deferred_start != on)
		p->queues_configured = false;
	q->deferred_start = on;
	return 0;
}

int
port_conf_queue_setup(struct ports *ps, uint16_t id, bool rx, uint16_t queue, struct err *e)
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
			"Failed to setup %s queue: port %u is not configured: start it first",
			rx ? "RX" : "TX", id);
	ret = rx ? port_setup_rxq(ps, p, queue, e) : port_setup_txq(ps, p, queue, e);
	return ret == 0 ? 0 : err_context(e, "Failed to setup %s queue", rx ? "RX" : "TX");
}

static const char *
offload_name(bool rx, uint64_t offload)
{
	return rx ? rte_eth_dev_rx_offload_name(offload) : rte_eth_dev_tx_offload_name(offload);
}

/* The port, prepared and stopped, that can do the offload. */
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
	if (on && (can & offload) != offload) {
		err_set(e, ENOTSUP, "%s offload %s is not supported by port %u (driver %s)",
			rx ? "Rx" : "Tx", offload_name(rx, offload), id, p->info.driver_name);
		return NULL;
	}
	return p;
}

static void
bit_set(uint64_t *bits, uint64_t which, bool on)
{
	*bits = on ? *bits | which : *bits & ~which;
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

		bit_set(rx ? &p->conf.rxmode.offloads : &p->conf.txmode.offloads, offload, on);
		for (q = 0; q < PORT_QUEUES_MAX; q++)
			bit_set(rx ? &p->rxq[q].offloads : &p->txq[q].offloads, offload, on);
		p->configured = false;
	}
	return 0;
}

int
port_conf_queue_offload(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint64_t offload,
	bool on, struct err *e)
{
	struct port *p = offload_port(ps, id, rx, offload, on, e);
	uint64_t port_wide, per_queue;
	unsigned int n;

	if (p == NULL)
		return -e->code;
	n = (unsigned int)setting_u64(ps->settings, rx ? "rxq" : "txq");
	if (n == 0)
		return err_set(e, ERANGE, "port %u has no %s queues", id, rx ? "Rx" : "Tx");
	if (queue >= n)
		return err_set(e, ERANGE, "Error: input queue_id should be 0 ... %d", (int)n - 1);
	port_wide = rx ? p->conf.rxmode.offloads : p->conf.txmode.offloads;
	per_queue = rx ? p->info.rx_queue_offload_capa : p->info.tx_queue_offload_capa;
	if (on && ((per_queue | port_wide) & offload) != offload)
		return err_set(e, ENOTSUP,
			"%s offload %s is for whole ports only, says driver %s: port config %u %s_offload",
			rx ? "Rx" : "Tx", offload_name(rx, offload), p->info.driver_name, id,
			rx ? "rx" : "tx");
	bit_set(rx ? &p->rxq[queue].offloads : &p->txq[queue].offloads, offload, on);
	p->configured = false;
	return 0;
}
