/* Prints a comparison as a table of medians, confidence intervals and ratios. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct compare_result;
struct out;

/* Print the table, and the combinations that could not start with the reason. Thread: control. */
void compare_show(const struct compare_result *result, struct out *o);
