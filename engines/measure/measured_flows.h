/* The output of show measure flows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct out;
struct stream;

/*
 * Print a line per flow of the current or last run of engine measure. JSON: {"flows":[...]}.
 * Thread: control.
 */
void measured_flows_show(struct out *o, struct stream *const *streams, unsigned int n,
	bool running);
