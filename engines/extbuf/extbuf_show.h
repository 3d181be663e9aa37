/* `show extbuf`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct out;
struct stream;

/* show() of struct engine: mode, memory, buffers, threshold. */
void extbuf_show(struct out *o, const struct stream *s, bool running);
