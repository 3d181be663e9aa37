/* Choose the number of descriptors of a queue: the user's, the driver's default, or with "auto" one
 * that suits the CPU's L2 cache. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_descriptors.h"

#include "base/setting.h"
#include "port/port.h"

#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if the driver limits its rings; drivers without rings (net_null, net_ring) do not. */
static bool
has_rings(const struct rte_eth_desc_lim *limits)
{
	return limits->nb_min < limits->nb_max && limits->nb_max < UINT16_MAX;
}

uint64_t
port_descriptors_bytes(uint16_t n)
{
	/* Of each buffer a CPU reads the mbuf and the first cache line of the packet. */
	return UINT64_C(2) * n * (sizeof(struct rte_mbuf) + RTE_CACHE_LINE_SIZE);
}

uint16_t
port_descriptors_by_cache(uint64_t l2_bytes, uint16_t usual, const struct rte_eth_desc_lim *limits)
{
	enum { LEAST = 256, MOST = 1024 };
	uint16_t n = MOST;

	if (l2_bytes == 0 || !has_rings(limits))
		return usual;
	while (n > LEAST && port_descriptors_bytes(n) > l2_bytes / 2)
		n /= 2;
	if (limits->nb_align > 1)
		n -= n % limits->nb_align;
	return n < limits->nb_min || n > usual ? usual : n;
}

/* Return the number of a text setting; 0: a word, such as "driver" or "auto". */
static uint16_t
number(const struct settings *settings, const char *name)
{
	return (uint16_t)strtoul(setting_text(settings, name), NULL, 0);
}

/* Return the highest threshold of the user in descriptors of an Rx or Tx ring; 0: none. */
static uint16_t
highest_threshold(const struct settings *settings, bool rx)
{
	return rx ? number(settings, "rxfreet")
		  : RTE_MAX(number(settings, "txfreet"), number(settings, "txrst"));
}

/* Return the driver's or ethdev's default. */
static uint16_t
usual_of(const struct port *p, bool rx)
{
	const uint16_t n = rx ? p->info.default_rxportconf.ring_size
			      : p->info.default_txportconf.ring_size;

	if (n != 0)
		return n;
	return rx ? RTE_ETH_DEV_FALLBACK_RX_RINGSIZE : RTE_ETH_DEV_FALLBACK_TX_RINGSIZE;
}

uint16_t
port_descriptors_set(const struct settings *settings, bool rx)
{
	return number(settings, port_sides[rx].descriptors);
}

bool
port_descriptors_auto(const struct settings *settings, bool rx)
{
	return strcmp(setting_text(settings, port_sides[rx].descriptors), "auto") == 0;
}

uint16_t
port_descriptors_fitting(const struct port *p, bool rx)
{
	const uint16_t usual = usual_of(p, rx),
		       n = port_descriptors_by_cache(p->all->l2_bytes, usual,
			       rx ? &p->info.rx_desc_lim : &p->info.tx_desc_lim);

	/* A threshold of the user may need a larger ring. */
	return n / 2 >= highest_threshold(p->all->settings, rx) ? n : usual;
}

uint16_t
port_descriptors_asked(const struct port *p, bool rx, uint16_t queue)
{
	const struct settings *settings = p->all->settings;
	const struct port_queue *q = port_queue_at(p, rx, queue % PORT_QUEUES_MAX);
	uint16_t n;

	if (q->descriptors != 0)
		return q->descriptors;
	if (!port_descriptors_auto(settings, rx))
		return port_descriptors_set(settings, rx);
	n = port_descriptors_fitting(p, rx);
	return n != usual_of(p, rx) ? n : 0;
}

uint16_t
port_descriptors_of(const struct port *p, bool rx, uint16_t queue)
{
	const uint16_t n = port_descriptors_asked(p, rx, queue);

	return n != 0 ? n : usual_of(p, rx);
}

uint16_t
port_descriptors_default(const struct port *p, bool rx)
{
	if (!has_rings(rx ? &p->info.rx_desc_lim : &p->info.tx_desc_lim) ||
		port_queue_at(p, rx, 0)->descriptors != 0 ||
		port_descriptors_set(p->all->settings, rx) != 0)
		return 0;
	return port_descriptors_of(p, rx, 0);
}

struct port_rings
port_rings_of(const struct port *p)
{
	struct port_rings r = { .l2_kib = p->all->l2_bytes >> 10 };
	uint64_t bytes;

	if (has_rings(&p->info.rx_desc_lim)) {
		r.rxd = port_descriptors_of(p, true, 0);
		r.rxd_auto = port_descriptors_fitting(p, true);
	}
	if (has_rings(&p->info.tx_desc_lim)) {
		r.txd = port_descriptors_of(p, false, 0);
		r.txd_auto = port_descriptors_fitting(p, false);
	}
	bytes = (port_descriptors_bytes(r.rxd) + port_descriptors_bytes(r.txd)) / 2;
	r.kib = bytes >> 10;
	r.large = r.l2_kib > 0 && bytes > p->all->l2_bytes / 2 &&
		(r.rxd_auto < r.rxd || r.txd_auto < r.txd);
	return r;
}

void
port_rings_advise(const struct port_rings *r, char advice[PORT_RINGS_ADVICE])
{
	const bool rx = r->rxd_auto < r->rxd;

	if (rx && r->txd_auto < r->txd)
		snprintf(advice, PORT_RINGS_ADVICE, "--rxd=auto --txd=auto chooses %u and %u",
			r->rxd_auto, r->txd_auto);
	else
		snprintf(advice, PORT_RINGS_ADVICE, "--%s=auto chooses %u",
			port_sides[rx].descriptors, rx ? r->rxd_auto : r->txd_auto);
}

uint64_t
port_descriptors(const struct ports *ps)
{
	const uint16_t n_rxq = (uint16_t)setting_u64(ps->settings, "rxq"),
		       n_txq = (uint16_t)setting_u64(ps->settings, "txq");
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n = port_ids(ps, ids);
	uint64_t sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct port *p = port_at(ps, ids[i]);

		for (uint16_t queue = 0; queue < n_rxq; queue++)
			sum += port_descriptors_of(p, true, queue);
		for (uint16_t queue = 0; queue < n_txq; queue++)
			sum += port_descriptors_of(p, false, queue);
	}
	return sum;
}
