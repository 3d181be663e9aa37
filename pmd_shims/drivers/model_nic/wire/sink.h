/* Packets that the driver sent. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/frame.h"

struct traffic;

/*
 * n frames of whole packets that the driver sent: to a listener (NULL: none), a file, or to be
 * verified.
 */
void sink(struct traffic *t, const struct frame *f, uint16_t n, struct traffic *to);
