/* What zcfwd puts beside each packet that a port sends, for its hardware: metadata that flow rules
 * match, dynamic flags of mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port_feature;
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

/* Has callbacks on the Tx queues of ports that mark, from the start of a run until they close. */
extern const struct port_feature port_feature_tx_mark;
