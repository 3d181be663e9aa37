/* A comparison as a table: medians, their intervals, ratios to the first combination. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct compare_result;
struct out;

/* Show the table, and why combinations are not in it. Thread: control. */
void compare_show(const struct compare_result *result, struct out *o);
