/* Who has a buffer: the NIC to receive into, the NIC to send from, or nobody that the model knows
 * of. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

struct model_nic_report;

/*
 * Take note of what the driver posted since the last call, on all enabled rings of the port. Counts
 * armed_twice, armed_in_tx and sent_while_armed in *r. Thread: the one that moves frames, before it
 * moves any of this port.
 */
void owner_scan(struct model *m, struct model_nic_report *r);

/* A buffer was received into, or sent. */
void owner_received(const uint8_t *buffer);
void owner_sent(const uint8_t *buffer);

/* The ring is off: what it holds and was seen is nobody's. */
void owner_ring_off(struct model *m, const struct ring *ring, bool rx);
