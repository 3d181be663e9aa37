/* Divides a pipeline's lcores into I/O lcores and workers: as set, or half of each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct plan_choice;
struct settings;

/* split() of struct engine_helpers. Errors: ENODEV, EINVAL for lcores that cannot be used. */
int ring_split(const struct settings *settings, struct plan_choice *c, struct err *e);

/*
 * check() of the lcore settings: accepts "" or a list of lcores. Errors: those of numbers_parse().
 */
int ring_split_check(const char *text, struct err *e);
