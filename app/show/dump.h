/* What DPDK tells about itself: memory, zones, rings, pools, lcores, logs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;

/* Names that dump_show() takes, with "|" between: for rows of syntax. */
#define DUMP_NAMES \
	"physmem|memzone|socket_mem|struct_sizes|ring|mempool|devargs|log_types|lcores|trace"

/*
 * Answer dump_WHAT, one of DUMP_NAMES; what testpmd's dump_WHAT prints. JSON: {"WHAT": the text}.
 * Errors: -ENOMEM; -EINVAL no such name; trace: what saving the trace returned. Thread: control,
 * all of this file.
 */
int dump_show(struct out *o, const char *what, struct err *e);

/* Answer dump_ring NAME, dump_mempool NAME. -ENOENT "Cannot find ring", "Cannot find mempool". */
int dump_ring(struct out *o, const char *name, struct err *e);
int dump_mempool(struct out *o, const char *name, struct err *e);
