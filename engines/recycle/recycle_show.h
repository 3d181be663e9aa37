/* The answer to `show recycle`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct out;
struct stream;

/* As show() of struct engine: paths, counts and yield of its feed. */
void recycle_show(struct out *o, const struct stream *s, bool running);
