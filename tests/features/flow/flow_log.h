/* How flow rules are written into the log. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_flow.h>

#include <stddef.h>
#include <stdio.h>

/* " NAME=", n bytes in hexadecimal, "-" where there are none; one struct of an item of that type. */
void flow_log_bytes(FILE *f, const char *name, const void *data, size_t n);
void flow_log_item(FILE *f, enum rte_flow_item_type type, const char *name, const void *data);

/* All items of a pattern; one action, a list of them, with what they point at. */
void flow_log_items(FILE *f, const struct rte_flow_item *pattern);
void flow_log_action(FILE *f, const struct rte_flow_action *a);
void flow_log_actions(FILE *f, const struct rte_flow_action *action);
