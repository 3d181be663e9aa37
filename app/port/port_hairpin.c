/* Hairpin queues: the NIC sends received packets without the CPU, on the same port or on
 * another. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_hairpin.h"

#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "port/port.h"
#include "port/port_descriptors.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The bits of --hairpin-mode. */
#define PEERS 0xf
#define PEERS_RING 0x1
#define PEERS_PAIRS 0x2
#define TX_EXPLICIT 0x10
#define FORCE_MEMORY(rx) ((rx) ? RTE_BIT32(8) : RTE_BIT32(9))
#define LOCKED_MEMORY(rx) ((rx) ? RTE_BIT32(12) : RTE_BIT32(16))
#define RTE_MEMORY(rx) ((rx) ? RTE_BIT32(13) : RTE_BIT32(17))

struct port_hairpin_peers
port_hairpin_peers(uint32_t mode, const uint16_t *ids, unsigned int n, unsigned int i)
{
	struct port_hairpin_peers peers = { ids[i], ids[i], (mode & PEERS) != 0 };

	if ((mode & PEERS_RING) != 0) {
		peers.tx = ids[(i + 1) % n];
		peers.rx = ids[(i + n - 1) % n];
	} else if ((mode & PEERS_PAIRS) != 0) {
		peers.rx = (i ^ 1) < n ? ids[i ^ 1] : ids[i];
		peers.tx = peers.rx;
	}
	return peers;
}

int
port_hairpin_map(struct ports *ps, const char *text, struct err *e)
{
	static const char *const fields[] = { "RXPORT", "RXQ", "TXPORT", "TXQ", "N" };
	uint16_t n[ARRAY_SIZE(fields)];
	const char *word = text;
	unsigned long long number;
	size_t bytes;
	char *end;

	if (ps->n_hairpin == ARRAY_SIZE(ps->hairpin))
		return err_set(e, E2BIG, "--hairpin-map %s: given more than %zu times", text,
			ARRAY_SIZE(ps->hairpin));
	for (size_t i = 0; i < ARRAY_SIZE(n); i++, word += bytes + (word[bytes] == ':')) {
		bytes = i + 1 < ARRAY_SIZE(n) ? strcspn(word, ":") : strlen(word);
		number = strtoull(word, &end, 10);
		if (word[0] < '0' || word[0] > '9' || end != word + bytes)
			return err_set(e, EINVAL,
				"--hairpin-map \"%s\": %s \"%.*s\" is not a number: expected RXPORT:RXQ:TXPORT:TXQ:N",
				text, fields[i], (int)bytes, word);
		if (number > UINT16_MAX)
			return err_set(e, ERANGE, "--hairpin-map %s: %s %.*s: expected 0..%u", text,
				fields[i], (int)bytes, word, UINT16_MAX);
		n[i] = (uint16_t)number;
	}
	ps->hairpin[ps->n_hairpin++] = (struct port_hairpin){ n[0], n[1], n[2], n[3], n[4] };
	return 0;
}

int
port_hairpin_check(const struct port *p, struct err *e)
{
	const uint64_t n = setting_u64(p->all->settings, "hairpinq");
	struct rte_eth_hairpin_cap cap = { 0 };

	if (n == 0)
		return 0;
	if (rte_eth_dev_hairpin_capability_get(p->id, &cap) != 0)
		return err_set(e, ENOTSUP, "Port %u doesn't support hairpin queues (driver %s)",
			p->id, p->info.driver_name);
	if (n > cap.max_nb_queues)
		return err_set(e, ERANGE,
			"Fail: input hairpin (%u) can't be greater than max_hairpin_queues (%u) of port %u",
			(unsigned int)n, cap.max_nb_queues, p->id);
	return 0;
}

/* One end of a hairpin queue, and its peer. */
struct end {
	uint16_t queue, peer_port, peer_queue;
};

static int
queue_setup(const struct port *p, bool rx, const struct end *end, bool manual, struct err *e)
{
	const uint32_t mode = (uint32_t)setting_u64(p->all->settings, "hairpin-mode");
	const struct port_side *side = &port_sides[rx];
	const struct rte_eth_hairpin_conf conf = {
		.peer_count = 1,
		.peers[0] = { end->peer_port, end->peer_queue },
		.manual_bind = manual,
		.tx_explicit = (mode & TX_EXPLICIT) != 0,
		.force_memory = (mode & FORCE_MEMORY(rx)) != 0,
		.use_locked_device_memory = (mode & LOCKED_MEMORY(rx)) != 0,
		.use_rte_memory = (mode & RTE_MEMORY(rx)) != 0,
	};
	const uint16_t n = port_descriptors_set(p->all->settings, rx);
	int ret = side->hairpin_setup(p->id, end->queue, n, &conf);

	return ret == 0
		? 0
		: err_set(e, abs(ret),
			  "Fail to configure port %u hairpin queues: %s %u, peer port %u queue %u: "
			  "driver %s: %s",
			  p->id, side->queues, end->queue, end->peer_port, end->peer_queue,
			  p->info.driver_name, strerror(abs(ret)));
}

/* Set up n hairpin queues, from first on, with consecutive queues and peer queues. */
static int
queues_setup(const struct port *p, bool rx, struct end first, uint16_t n, bool manual,
	struct err *e)
{
	int ret = 0;

	for (uint16_t i = 0; i < n && ret == 0; i++, first.queue++, first.peer_queue++)
		ret = queue_setup(p, rx, &first, manual, e);
	return ret;
}

/* Set up the hairpin queues listed in --hairpin-map. */
static int
mapped_setup(const struct ports *ps, const struct port *p, struct err *e)
{
	int ret = 0;

	for (unsigned int i = 0; i < ps->n_hairpin && ret == 0; i++) {
		const struct port_hairpin *h = &ps->hairpin[i];
		const struct end rx = { h->rxq, h->tx_port, h->txq };
		const struct end tx = { h->txq, h->rx_port, h->rxq };

		if (h->rx_port == p->id)
			ret = queues_setup(p, true, rx, h->n, true, e);
		if (ret == 0 && h->tx_port == p->id)
			ret = queues_setup(p, false, tx, h->n, true, e);
	}
	return ret;
}

static uint32_t
mode_of(const struct ports *ps)
{
	return (uint32_t)setting_u64(ps->settings, "hairpin-mode");
}

static struct port_hairpin_peers
peers_of(const struct ports *ps, const struct port *p)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i = 0, n = port_ids(ps, ids);

	while (i + 1 < n && ids[i] != p->id)
		i++;
	return port_hairpin_peers(mode_of(ps), ids, n, i);
}

int
port_hairpin_setup(const struct ports *ps, const struct port *p, struct err *e)
{
	const uint16_t n = (uint16_t)setting_u64(ps->settings, "hairpinq");
	struct port_hairpin_peers peers;
	int ret;

	if (n == 0)
		return 0;
	if (ps->n_hairpin > 0)
		return mapped_setup(ps, p, e);
	peers = peers_of(ps, p);
	ret = queues_setup(p, false, (struct end){ p->n_txq, peers.rx, p->n_rxq }, n, peers.manual,
		e);
	if (ret != 0)
		return ret;
	return queues_setup(p, true, (struct end){ p->n_rxq, peers.tx, p->n_txq }, n, peers.manual,
		e);
}

/* True if zcfwd has to bind hairpin queues explicitly. */
static bool
is_manual(const struct ports *ps)
{
	return setting_u64(ps->settings, "hairpinq") > 0 &&
		(ps->n_hairpin > 0 || (mode_of(ps) & PEERS) != 0);
}

static int
bind_one(const struct ports *ps, uint16_t tx, uint16_t rx, struct err *e)
{
	int ret;

	if (ps->port[tx].state != PORT_STARTED || ps->port[rx].state != PORT_STARTED)
		return 0;
	ret = rte_eth_hairpin_bind(tx, rx);
	return ret >= 0 ? 0
			: err_set(e, -ret, "Error during binding hairpin Tx port %u to %u: %s", tx,
				  rx, strerror(-ret));
}

/* Bind a port to all ports that receive from it (tx), or to all ports that send to it. */
static int
bind_all(const struct ports *ps, const struct port *p, bool tx, struct err *e)
{
	uint16_t peers[RTE_MAX_ETHPORTS];
	int i, ret = 0, n = rte_eth_hairpin_get_peer_ports(p->id, peers, ARRAY_SIZE(peers), tx);

	if (n < 0)
		return err_set(e, -n, "port %u: cannot list its hairpin peers: %s", p->id,
			strerror(-n));
	for (i = 0; i < n && ret == 0; i++)
		ret = bind_one(ps, tx ? p->id : peers[i], tx ? peers[i] : p->id, e);
	return ret;
}

int
port_hairpin_bind(const struct ports *ps, const struct port *p, struct err *e)
{
	int ret;

	if (!is_manual(ps))
		return 0;
	ret = bind_all(ps, p, true, e);
	return ret == 0 ? bind_all(ps, p, false, e) : ret;
}

void
port_hairpin_unbind(const struct ports *ps, const struct port *p)
{
	uint16_t peers[RTE_MAX_ETHPORTS];
	int i, n;

	if (!is_manual(ps))
		return;
	rte_eth_hairpin_unbind(p->id, RTE_MAX_ETHPORTS);
	n = rte_eth_hairpin_get_peer_ports(p->id, peers, ARRAY_SIZE(peers), 0);
	for (i = 0; i < n; i++)
		if (ps->port[peers[i]].state == PORT_STARTED)
			rte_eth_hairpin_unbind(peers[i], p->id);
}
