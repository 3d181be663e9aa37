/* Choose the number of descriptors of a queue: the user's, one that suits the CPU's L2 cache, or the
 * driver's default. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_descriptors.h"

#include "base/setting.h"
#include "port/port.h"

#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <stdlib.h>

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

/* Return the number of a threshold setting; 0: none, or "driver", the driver's default. */
static uint16_t
threshold(const struct settings *settings, const char *name)
{
	return (uint16_t)strtoul(setting_text(settings, name), NULL, 0);
}

/* Return the highest threshold of the user in descriptors of an Rx or Tx ring; 0: none. */
static uint16_t
highest_threshold(const struct settings *settings, bool rx)
{
	return rx ? threshold(settings, "rxfreet")
		  : RTE_MAX(threshold(settings, "txfreet"), threshold(settings, "txrst"));
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
port_descriptors_asked(const struct port *p, bool rx, uint16_t queue)
{
	const struct settings *settings = p->all->settings;
	const struct port_queue *q = port_queue_at(p, rx, queue % PORT_QUEUES_MAX);
	const uint16_t set = (uint16_t)setting_u64(settings, port_sides[rx].descriptors),
		       usual = usual_of(p, rx);
	uint16_t n;

	if (q->descriptors != 0 || set != 0)
		return q->descriptors != 0 ? q->descriptors : set;
	n = port_descriptors_by_cache(p->all->l2_bytes, usual,
		rx ? &p->info.rx_desc_lim : &p->info.tx_desc_lim);
	/* A threshold of the user may need a larger ring. */
	return n < usual && n / 2 >= highest_threshold(settings, rx) ? n : 0;
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
		setting_u64(p->all->settings, port_sides[rx].descriptors) != 0)
		return 0;
	return port_descriptors_of(p, rx, 0);
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
