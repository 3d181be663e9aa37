/* Sinks that report statistics as JSON: into an object, or into the output of a command (in JSON
 * mode only). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

struct json;
struct out;

/* Return a sink for the current object of j or o; the caller keeps owning j and o. */
struct stat_sink stat_sink_json(struct json *j);
struct stat_sink stat_sink_out(struct out *o);
