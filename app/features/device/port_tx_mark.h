/* What zcfwd puts beside each packet that a port sends, for its hardware: metadata that flow rules
 * match, dynamic flags of mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

/*
 * Metadata of every packet that the port sends from now on, as item META matches it; 0: none.
 * Errors: -ENODEV no such port; -ENOMEM; -ENOTSUP DPDK was built without callbacks. Thread: control,
 * all of this file.
 */
int port_tx_mark_metadata(struct ports *ps, uint16_t id, uint32_t value, struct err *e);

/* Answer show port P tx_metadata. JSON: {"port", "tx_metadata"}. Errors: -ENODEV. */
int port_tx_mark_metadata_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Set a dynamic flag of mbufs, by its name, in every packet that the port sends from now on, or no
 * longer; a flag that nobody has registered is. Errors: as above; -ENAMETOOLONG; -ENOSPC no flag is
 * left.
 */
int port_tx_mark_flag(struct ports *ps, uint16_t id, const char *name, bool on, struct err *e);

/* Have callbacks on the Tx queues of ports that mark: at the start of a run, since queues come and
 * go. Errors: -ENOMEM; -ENOTSUP. */
int port_tx_mark_apply(struct ports *ps, struct err *e);

/* Remove them from one port, before it is closed, and forget what it marked. */
void port_tx_mark_drop(struct ports *ps, struct port *p);
