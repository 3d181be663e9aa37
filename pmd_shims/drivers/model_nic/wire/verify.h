/* What came back of what verifying ports generated: each packet once, in order, unchanged. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

struct gen_mark;
struct model_nic_report;

/* What was seen of one port's flows. */
struct verify;

/* NULL when memory is short. */
struct verify *verify_open(uint32_t flows);
void verify_close(struct verify *v);

/* Judge a packet of v's port that came back intact: counts ok, duplicated or reordered in *r. */
void verify_seen(struct verify *v, const struct gen_mark *mark, struct model_nic_report *r);

/* Packets of v's port seen at least once. */
uint64_t verify_unique(const struct verify *v);
