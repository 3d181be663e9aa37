/* Handling of packets sent by the driver. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/frame.h"

struct traffic;

/*
 * Handle n frames of whole packets that the driver has sent: pass them to a listening port (NULL:
 * none), write them to a file, or verify them.
 */
void sink(struct traffic *t, const struct frame *f, uint16_t n, struct traffic *to);
