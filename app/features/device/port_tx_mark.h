/* Metadata (matched by flow rules) and dynamic mbuf flags of each transmitted packet. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port_feature;
struct ports;

/*
 * Set the metadata of all packets transmitted from now on, as matched by the item META; 0: none.
 * Errors: -ENODEV no such port; -ENOMEM; -ENOTSUP DPDK was built without callbacks. Thread:
 * control, for all of this file.
 */
int port_tx_mark_metadata(struct ports *ps, uint16_t id, uint32_t value, struct err *e);

/* Show the metadata. JSON: {"port", "tx_metadata"}. Errors: -ENODEV. */
int port_tx_mark_metadata_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Set a dynamic mbuf flag, by name, in all packets transmitted from now on, or stop setting it. The
 * flag is registered if necessary. Errors: those of port_tx_mark_metadata(); -ENAMETOOLONG; -ENOSPC
 * no flag is free.
 */
int port_tx_mark_flag(struct ports *ps, uint16_t id, const char *name, bool on, struct err *e);

/* Keeps callbacks on the Tx queues of marking ports, from the start of a run until they close. */
extern const struct port_feature port_feature_tx_mark;
