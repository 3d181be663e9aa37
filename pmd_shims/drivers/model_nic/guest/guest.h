/* Modelled cards in the PCI slots of a guest: QEMU connects by the vfio-user protocol, and the guest's own driver uses the card. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

/*
 * Serve the card of a port at the UNIX socket of its configuration, one guest at a time, until
 * guest_end(). Idempotent. Returns 0 or -errno. Thread: the one that configures, also for guest_end().
 */
int guest_serve(struct model *m);

/* End the service of all ports. Idempotent. */
void guest_end(void);
