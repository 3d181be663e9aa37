/* Raw descriptors of a hardware ring, as the driver keeps them in memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_ring_read.h"

#include "app.h"
#include "args.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"
#include "port/port_descriptors.h"

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_memzone.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a descriptor; its 32-bit words are little-endian. */
#define DESCRIPTOR_BYTES 16
#define DESCRIPTOR_BYTES_I40E 32 /* of i40e Rx rings */
#define WORDS_MAX (DESCRIPTOR_BYTES_I40E / 4)

/* Number of descriptors, from the driver or else as requested at setup; 0: no such queue. */
static uint16_t
ring_size(const struct port *p, bool rx, uint16_t queue)
{
	struct rte_eth_rxq_info rxq;
	struct rte_eth_txq_info txq;
	int ret;

	if (queue >= (rx ? p->n_rxq : p->n_txq))
		return 0;
	ret = rx ? rte_eth_rx_queue_info_get(p->id, queue, &rxq)
		 : rte_eth_tx_queue_info_get(p->id, queue, &txq);
	if (ret == 0)
		return rx ? rxq.nb_desc : txq.nb_desc;
	return port_descriptors_of(p, rx, queue);
}

static const struct rte_memzone *
zone_find(uint16_t id, bool rx, uint16_t queue, struct err *e)
{
	/* Since 25.03 Intel's drivers prefix the name of a Tx ring. */
	static const char *const prefixes[] = { "", "i40e_", "ixgbe_", "ice_", "iavf_", "ci_" };
	const char *ring = rx ? "rx_ring" : "tx_ring";
	char name[RTE_MEMZONE_NAMESIZE];

	for (unsigned int i = 0; i < RTE_DIM(prefixes); i++) {
		const struct rte_memzone *zone;

		snprintf(name, sizeof(name), "eth_p%u_q%u_%s%s", id, queue, prefixes[i], ring);
		zone = rte_memzone_lookup(name);
		if (zone != NULL)
			return zone;
	}
	err_set(e, ENOENT,
		"%s ring memory zoneof (port %u, queue %u) not found (zone name = eth_p%u_q%u_%s",
		ring, id, queue, id, queue, ring);
	return NULL;
}

/* As in testpmd: two words per line for Rx, four for Tx; the upper half of 8 bytes comes first. */
static void
words_show(struct out *o, const uint32_t *words, unsigned int n, bool rx)
{
	char word[16];
	unsigned int i;

	out_nest(o, "words", OUT_ARRAY);
	for (i = 0; i < n; i++) {
		const unsigned int place = i % (rx ? 2 : 4);

		out_text(o, "%s", place == 0 ? "    " : place == 2 ? " / " : " - ");
		snprintf(word, sizeof(word), "0x%08X", rte_le_to_cpu_32(words[i ^ 1]));
		out_str(o, "", "%s", word);
		out_text(o, "%s", place == (rx ? 1 : 3) ? "\n" : "");
	}
	out_unnest(o);
}

int
port_ring_read(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a), queue = arg_queue(a);
	const uint16_t descriptor = (uint16_t)arg_u64(a, "descriptor", 0);
	const bool rx = arg_is(a, "ring", "rxd");
	const struct port *p = port_find(&app->ports, id, e);
	struct out *o = app->ports.out;
	const struct rte_memzone *zone;
	uint32_t words[WORDS_MAX];
	uint16_t size;
	size_t bytes;

	if (p == NULL)
		return -ENODEV;
	size = ring_size(p, rx, queue);
	if (size == 0)
		return err_set(e, ERANGE, "Invalid %s queue %u: port %u has %u",
			port_sides[rx].upper, queue, id, rx ? p->n_rxq : p->n_txq);
	if (descriptor >= size)
		return err_set(e, ERANGE, "Invalid %s descriptor %u (must be < ring_size=%u)",
			port_sides[rx].upper, descriptor, size);
	zone = zone_find(id, rx, queue, e);
	if (zone == NULL)
		return -ENOENT;
	bytes = rx && strstr(p->info.driver_name, "i40e") != NULL ? DESCRIPTOR_BYTES_I40E
								  : DESCRIPTOR_BYTES;
	if ((descriptor + 1u) * bytes > zone->len)
		return err_set(e, ERANGE, "descriptor %u is outside memory zone %s of %zu bytes",
			descriptor, zone->name, zone->len);
	memcpy(words, (const char *)zone->addr + descriptor * bytes, bytes);
	out_u64(o, "port", NULL, id);
	out_u64(o, "queue", NULL, queue);
	out_u64(o, "descriptor", NULL, descriptor);
	words_show(o, words, (unsigned int)(bytes / sizeof(words[0])), rx);
	return 0;
}
