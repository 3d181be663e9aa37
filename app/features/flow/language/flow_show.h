/* Which items and actions there are, with their words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_part.h"

struct out;

/*
 * Show parts, n of them, a line each. JSON: {key: [{"name", "needs" in another DPDK, "fields": [{"name",
 * "kind", "words" to choose from, "then": fields that it brings}]}]}. Thread: control.
 */
void flow_show(struct out *o, const char *key, const struct flow_part *parts, size_t n);
