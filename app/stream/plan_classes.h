/* The plan of a run by traffic classes: chosen classes, each on separate lcores; a pure function of
 * the settings and of the drivers' queue mapping. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/plan.h"

#include <rte_ethdev.h>

#include <stdint.h>

struct err;

struct plan_classes {
	uint8_t mask;                         /* bit mask of the classes to forward */
	unsigned int each;                    /* lcores per class and port, 1.. */
	const struct rte_eth_dcb_info *ports; /* queues of each class, by index of the port */
};

/*
 * Make the streams, port by port and class by class: from the receive queues of a class, in all its
 * pools, to the transmit queues of that class of the port's peer. The smaller number of queues
 * limits them; queues that are not configured are omitted. Classes get the used lcores in order.
 * EINVAL: as plan_check(); no queue; too few lcores; a number of queues that is not a multiple of
 * the class's lcores. ENOMEM. Free with plan_free().
 */
int plan_classes_make(struct plan *p, const struct plan_choice *c,
	const struct plan_classes *classes, struct err *e);
