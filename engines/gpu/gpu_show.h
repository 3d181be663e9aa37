/* `show gpu`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct out;
struct stream;

/* show() of struct engine: device, batches, latency, histogram, failure. */
void gpu_show(struct out *o, const struct stream *s, bool running);
