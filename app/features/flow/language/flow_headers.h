/* Build packet headers from items and their values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_presets.h"

struct err;

/*
 * Concatenate the headers of items[0..n). Values come from spec, or without spec from the item's
 * default mask. Types of next headers are filled in from the next item. h is written only on
 * success. ENOTSUP: an item is not a header; EINVAL, E2BIG. Thread: control.
 */
int flow_headers_build(const struct rte_flow_item *items, unsigned int n, struct flow_headers *h,
	struct err *e);
