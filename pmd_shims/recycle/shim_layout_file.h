/* Read layouts of drivers' queues that devtools/layouts has made. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct shim_layouts;

/*
 * "i40e_rx 22.11.12 pool=0 ring=8 ...", one of a table a line, all of the release that runs. They
 * replace what an earlier file said. Errors: that of opening; -EINVAL: line and word are named,
 * nothing has changed. Thread: control, while no pair is bound.
 */
int shim_layout_load(struct shim_layouts *known, const char *path, struct err *e);
