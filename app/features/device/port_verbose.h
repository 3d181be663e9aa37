/* set verbose N: Rx and Tx callbacks that print every burst, installed only while it is asked
 * for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct port_feature;
struct ports;
struct rte_mbuf;

/*
 * Set the level (0 quiet, 1 bursts received, 2 bursts sent, from 3 on both), say so as testpmd
 * does, and apply it. Errors: -ERANGE; -ENOMEM; -ENOTSUP DPDK was built without callbacks. Thread:
 * control, all of this file but where it says any.
 */
int port_verbose_set(struct ports *ps, uint64_t level, struct err *e);

/*
 * Has callbacks on all configured queues as the setting says: at the start of a run, since queues
 * may have come and gone, and until a port closes, or a later device of its number would inherit
 * them.
 */
extern const struct port_feature port_feature_verbose;

/*
 * The text for a burst as testpmd prints it, in memory that the caller frees; NULL when n is 0 or
 * memory is short. Thread: any.
 */
char *port_verbose_text(uint16_t port, uint16_t queue, struct rte_mbuf *const *pkts, uint16_t n,
	bool rx);

/* The settings of this file (verbose), for settings_add(). */
extern const struct setting port_verbose_settings[];
extern const size_t port_verbose_settings_n;
