/* Ownership of buffers: whether the NIC has a buffer to receive into or to send from, or
 * neither. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

struct model_nic_report;

/*
 * Record the buffers that the driver has posted since the last call, on all enabled rings of the
 * port. Counts armed_twice, armed_in_tx and sent_while_armed in *r. Thread: the one that moves
 * frames, before it moves any of this port.
 */
void owner_scan(struct model *m, struct model_nic_report *r);

/* Record that a buffer was received into, or sent. */
void owner_received(const uint8_t *buffer);
void owner_sent(const uint8_t *buffer);

/* Record that the ring is disabled: the NIC no longer has its buffers. */
void owner_ring_off(struct model *m, const struct ring *ring, bool rx);
