/* What there is to say of a recording, while it is on and afterwards. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;
struct record;

/*
 * Answer show record: where to, how much, what could not be kept, or why it ended. ENOENT: nothing
 * was recorded.
 */
int record_show(struct record *rec, struct out *o, struct err *e);
