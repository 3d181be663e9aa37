/* The plan of a run by traffic classes: some of them, each on lcores of its own; a pure function of
 * the settings and of how drivers divide their queues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/plan.h"

#include <rte_ethdev.h>

#include <stdint.h>

struct err;

struct plan_classes {
	uint8_t mask;                         /* classes that forward, a bit each */
	unsigned int each;                    /* lcores of one class of one port, 1.. */
	const struct rte_eth_dcb_info *ports; /* queues of each class, of the choice's ports */
};

/*
 * Make the streams: port by port, class by class, from the receive queues of a class, in all its
 * pools, to the transmit queues of the same class of the port's peer; the smaller count of the two
 * rules, and queues that are not configured are left out. Classes get the used lcores in their
 * order. Fails with EINVAL: as plan_check(); no queue; fewer lcores than they want; queues of a class
 * that its lcores do not divide. ENOMEM. Free with plan_free().
 */
int plan_classes_make(struct plan *p, const struct plan_choice *c,
	const struct plan_classes *classes, struct err *e);
