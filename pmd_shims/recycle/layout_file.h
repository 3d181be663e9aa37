/* Layouts of drivers' queues from a file made by devtools/layouts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

/*
 * Replace known rows by those of a file. A line is "i40e_rx 22.11.12 pool=0 ring=8 ...", one line
 * per table, all of the running release. FILE, which changes nothing: -errno of reading the file, or
 * -EINVAL with line and word. Thread: control, while no pair is bound.
 */
int shim_layout_load(struct shim_layout_file *known, const char *path,
	struct zcfwd_recycle_error *e);
