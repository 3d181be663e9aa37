/* Show the known items and actions with their fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_part.h"

struct out;

/*
 * Show n parts, one per line. JSON: {key: [{"name", "needs": another DPDK release, "fields":
 * [{"name", "kind", "words": choices, "then": fields that may follow}]}]}. Thread: control.
 */
void flow_show(struct out *o, const char *key, const struct flow_part *parts, size_t n);
