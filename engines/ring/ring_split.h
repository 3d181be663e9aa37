/* Which lcores of a pipeline do I/O and which work: as named, or half of those that forward. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct plan_choice;
struct settings;

/* As split() of struct engine_helpers. ENODEV, EINVAL for lcores that cannot be. */
int ring_split(const struct settings *settings, struct plan_choice *c, struct err *e);

/* What check() of the settings of lcores says: "" or a list. */
int ring_split_check(const char *text, struct err *e);
