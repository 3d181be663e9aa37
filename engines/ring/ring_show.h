/* The answer to `show pipeline`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;
struct stream;

/*
 * As show() of struct engine_helpers: lcores, modes, cycles and rings; in a secondary the
 * primary's.
 */
int ring_show(struct stream *const *streams, unsigned int n, const void *config, struct out *o,
	struct err *e);
