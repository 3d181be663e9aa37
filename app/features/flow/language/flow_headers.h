/* Headers of packets, from items with their values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_presets.h"

struct err;

/*
 * Put the headers of items[0..n) one behind the other: values from spec, without spec the item's default
 * mask; what says the next header is filled in where that follows from the next item. h is written
 * only when all went well. ENOTSUP: an item is no header; EINVAL, E2BIG. Thread: control.
 */
int flow_headers_build(const struct rte_flow_item *items, unsigned int n, struct flow_headers *h,
	struct err *e);
