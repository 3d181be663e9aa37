/* Telling statistics as JSON: into an object under construction, or into the answer to a command,
 * where JSON mode alone shows them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

struct json;
struct out;

/* j and o stay the caller's, and their current object is what is told into. */
struct stat_sink stat_sink_json(struct json *j);
struct stat_sink stat_sink_out(struct out *o);
