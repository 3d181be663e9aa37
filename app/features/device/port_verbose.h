/* set verbose N: Rx and Tx callbacks that print every burst, installed only while the level asks
 * for them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct args;
struct err;
struct port_feature;
struct ports;
struct rte_mbuf;

/*
 * Set and apply <level> (0: quiet, 1: received bursts, 2: transmitted bursts, 3 and above: both),
 * and print testpmd's line. Errors: -ERANGE; -ENOMEM; -ENOTSUP DPDK was built without callbacks.
 * Thread: control, for all of this file unless noted.
 */
int port_verbose_set(struct ports *ps, const struct args *a, struct err *e);

/*
 * Applies the setting to all configured queues at the start of a run, because queues may have
 * changed, and removes the callbacks when a port closes, because a later device with this port
 * number would inherit them.
 */
extern const struct port_feature port_feature_verbose;

/*
 * The text of a burst in testpmd's format. The caller frees it; NULL if n is 0 or memory is short.
 * Thread: any.
 */
char *port_verbose_text(uint16_t port, uint16_t queue, struct rte_mbuf *const *pkts, uint16_t n,
	bool rx);

/* The settings of this file (verbose), for settings_add(). */
extern const struct setting_table port_verbose_settings;
