/* Queues: descriptors and configuration as the next set-up will ask for them. */
#include "port/port_queue_conf.h"

#include "port/port.h"

#include <rte_ethdev.h>

#include <stdlib.h>
#include <string.h>

/* Descriptors of a queue as the driver will have them. */
static uint16_t
descriptors(const struct port *p, const struct port_queue *q, bool rx)
{
	uint16_t n = q->descriptors;

	if (n == 0)
		n = (uint16_t)setting_u64(p->all->settings, rx ? "rxd" : "txd");
	if (n == 0)
		n = rx ? p->info.default_rxportconf.ring_size
		       : p->info.default_txportconf.ring_size;
	if (n == 0)
		n = rx ? RTE_ETH_DEV_FALLBACK_RX_RINGSIZE : RTE_ETH_DEV_FALLBACK_TX_RINGSIZE;
	return n;
}

static uint64_t
descriptors_of(const struct port *p)
{
	const uint64_t n_rxq = setting_u64(p->all->settings, "rxq"),
		       n_txq = setting_u64(p->all->settings, "txq");
	uint64_t i, sum = 0;

	for (i = 0; i < n_rxq; i++)
		sum += descriptors(p, &p->rxq[i], true);
	for (i = 0; i < n_txq; i++)
		sum += descriptors(p, &p->txq[i], false);
	return sum;
}

/* The number in a threshold setting; false when it is left to the driver. */
static bool
threshold(const struct settings *settings, const char *name, uint16_t *n)
{
	const char *text = setting_text(settings, name);

	if (strcmp(text, "driver") == 0)
		return false;
	*n = (uint16_t)strtoul(text, NULL, 0);
	return true;
}

/* Prefetch, host and write-back threshold, named NAMEpt, NAMEht and NAMEwt. */
static void
thresholds(const struct settings *settings, bool rx, struct rte_eth_thresh *t)
{
	uint16_t n;

	if (threshold(settings, rx ? "rxpt" : "txpt", &n))
		t->pthresh = (uint8_t)n;
	if (threshold(settings, rx ? "rxht" : "txht", &n))
		t->hthresh = (uint8_t)n;
	if (threshold(settings, rx ? "rxwt" : "txwt", &n))
		t->wthresh = (uint8_t)n;
}

/* The number to ask for; 0: the driver's choice. */
static uint16_t
descriptors_asked(const struct port *p, const struct port_queue *q, const char *setting)
{
	return q->descriptors != 0 ? q->descriptors
				   : (uint16_t)setting_u64(p->all->settings, setting);
}

void
port_rxconf(const struct port *p, uint16_t queue, struct rte_eth_rxconf *conf, uint16_t *n)
{
	const struct settings *settings = p->all->settings;
	const struct port_queue *q = &p->rxq[queue % PORT_QUEUES_MAX];

	*conf = p->info.default_rxconf;
	if (q->offloads != 0)
		conf->offloads = q->offloads;
	thresholds(settings, true, &conf->rx_thresh);
	threshold(settings, "rxfreet", &conf->rx_free_thresh);
	if (setting_on(settings, "enable-drop-en") || p->all->drop_off)
		conf->rx_drop_en = !p->all->drop_off;
	conf->rx_deferred_start = q->deferred_start;
	*n = descriptors_asked(p, q, "rxd");
}

void
port_txconf(const struct port *p, uint16_t queue, struct rte_eth_txconf *conf, uint16_t *n)
{
	const struct settings *settings = p->all->settings;
	const struct port_queue *q = &p->txq[queue % PORT_QUEUES_MAX];

	*conf = p->info.default_txconf;
	if (q->offloads != 0)
		conf->offloads = q->offloads;
	thresholds(settings, false, &conf->tx_thresh);
	threshold(settings, "txfreet", &conf->tx_free_thresh);
	threshold(settings, "txrst", &conf->tx_rs_thresh);
	conf->tx_deferred_start = q->deferred_start;
	*n = descriptors_asked(p, q, "txd");
}

uint64_t
port_descriptors(const struct ports *ps)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n = port_ids(ps, ids);
	uint64_t sum = 0;

	for (i = 0; i < n; i++)
		sum += descriptors_of(port_at(ps, ids[i]));
	return sum;
}
