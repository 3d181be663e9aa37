/* The plan by traffic classes: which queues of which class, on which lcore. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"
#include "stream/plan.h"

#include <errno.h>
#include <string.h>

static struct plan_choice
choice(unsigned int ports, unsigned int lcores, unsigned int queues)
{
	struct plan_choice c = { .n_ports = ports,
		.use_ports = ports,
		.n_lcores = lcores,
		.use_lcores = lcores,
		.topology = PLAN_PAIRED,
		.n_rxq = queues,
		.n_txq = queues };

	for (unsigned int i = 0; i < ports; i++)
		c.ports[i] = (uint16_t)(i + 10);
	for (unsigned int i = 0; i < lcores; i++)
		c.lcores[i] = i + 1;
	return c;
}

/* Each class has n queues from its number times 8 on, of transmission from 4 behind these. */
static struct rte_eth_dcb_info
info(uint8_t classes, uint16_t n)
{
	struct rte_eth_dcb_info i = { .nb_tcs = classes };

	for (uint16_t tc = 0; tc < classes; tc++) {
		i.tc_queue.tc_rxq[0][tc].base = (uint16_t)(tc * 8);
		i.tc_queue.tc_rxq[0][tc].nb_queue = n;
		i.tc_queue.tc_txq[0][tc].base = (uint16_t)(tc * 8 + 4);
		i.tc_queue.tc_txq[0][tc].nb_queue = n;
	}
	return i;
}

static void
one_stream(const struct plan *p, unsigned int i, struct plan_stream expected)
{
	const struct plan_stream *s = &p->streams[i];

	assert_int_equal(s->rx_port, expected.rx_port);
	assert_int_equal(s->rx_queue, expected.rx_queue);
	assert_int_equal(s->tx_port, expected.tx_port);
	assert_int_equal(s->tx_queue, expected.tx_queue);
	assert_int_equal(s->lcore, expected.lcore);
}

/* Classes 1 and 3 of four: one lcore each, then two. */
TEST(chosen)
{
	const struct rte_eth_dcb_info ports[] = { info(4, 2), info(4, 2) };
	struct plan_classes classes = { 0xa, 1, ports };
	struct plan_choice c = choice(2, 9, 64);
	struct err e = { 0 };
	struct plan p;

	assert_int_equal(plan_classes_make(&p, &c, &classes, &e), 0);
	assert_int_equal(p.n_streams, 8);
	assert_int_equal(p.n_lcores, 4);
	one_stream(&p, 0, (struct plan_stream){ 10, 8, 11, 12, 1 });
	one_stream(&p, 1, (struct plan_stream){ 10, 9, 11, 13, 1 });
	one_stream(&p, 2, (struct plan_stream){ 10, 24, 11, 28, 2 });
	one_stream(&p, 4, (struct plan_stream){ 11, 8, 10, 12, 3 });
	one_stream(&p, 7, (struct plan_stream){ 11, 25, 10, 29, 4 });
	assert_int_equal(p.lcores[3].first, 6);
	assert_int_equal(p.lcores[3].n, 2);
	plan_free(&p);
	classes.each = 2;
	assert_int_equal(plan_classes_make(&p, &c, &classes, &e), 0);
	assert_int_equal(p.n_streams, 8);
	assert_int_equal(p.n_lcores, 8);
	one_stream(&p, 7, (struct plan_stream){ 11, 25, 10, 29, 8 });
	plan_free(&p);
}

/* Pools add to their class; what the peer, or the configuration, has not is left out. */
TEST(queues)
{
	struct rte_eth_dcb_info ports[] = { info(2, 2), info(2, 2) };
	const struct plan_classes classes = { 0xff, 1, ports };
	struct plan_choice c = choice(2, 4, 14);
	struct err e = { 0 };
	struct plan p;

	c.n_txq = 13;
	ports[0].tc_queue.tc_rxq[1][0].base = 4;
	ports[0].tc_queue.tc_rxq[1][0].nb_queue = 3;
	ports[1].tc_queue.tc_txq[1][0].base = 6;
	ports[1].tc_queue.tc_txq[1][0].nb_queue = 2;
	ports[1].tc_queue.tc_rxq[0][1].base = 13;
	assert_int_equal(plan_classes_make(&p, &c, &classes, &e), 0);
	assert_int_equal(p.n_streams, 4 + 1 + 2 + 1);
	one_stream(&p, 2, (struct plan_stream){ 10, 4, 11, 6, 1 });
	one_stream(&p, 3, (struct plan_stream){ 10, 5, 11, 7, 1 });
	one_stream(&p, 7, (struct plan_stream){ 11, 13, 10, 12, 4 });
	plan_free(&p);
}

TEST(refused)
{
	const struct rte_eth_dcb_info ports[] = { info(4, 3), info(4, 3) };
	struct plan_classes classes = { 0xf, 1, ports };
	struct plan_choice c = choice(2, 7, 64);
	struct err e = { 0 };
	struct plan p;

	assert_int_equal(plan_classes_make(&p, &c, &classes, &e), -EINVAL);
	assert_string_equal(e.text,
		"Error: the number of forwarding cores is insufficient!: 8 traffic classes need 1 lcores each, but only 7 are used");
	classes.each = 2;
	assert_int_equal(plan_classes_make(&p, &c, &classes, &e), -EINVAL);
	assert_string_equal(e.text,
		"Error: check forwarding cores-per-TC failed!: port 10 has 3 queues of class 0, which is not a multiple of 2 lcores");
	classes.mask = 0xf0;
	assert_int_equal(plan_classes_make(&p, &c, &classes, &e), -EINVAL);
	assert_non_null(strstr(e.text, "total forwarding TC num is zero"));
	c.use_ports = 0;
	assert_int_equal(plan_classes_make(&p, &c, &classes, &e), -EINVAL);
	assert_non_null(strstr(e.text, "no forwarding port"));
}
