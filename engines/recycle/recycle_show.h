/* The answer to `show recycle`. */
#pragma once

#include <stdbool.h>

struct out;
struct stream;

/* As show() of struct engine: paths, counts and yield of its feed. */
void recycle_show(struct out *o, const struct stream *s, bool running);
