/* `show pipeline`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;
struct stream;

/*
 * show() of struct engine_helpers: lcores, modes, cycles and rings; in a secondary process those of
 * the primary's pipeline.
 */
int ring_show(struct stream *const *streams, unsigned int n, const void *config, struct out *o,
	struct err *e);
