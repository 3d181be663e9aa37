/* DPDK's own dumps: memory, memzones, rings, mempools, lcores, log types. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct args;
struct err;
struct out;

/* The names that dump_show() accepts, separated by "|" for the syntax of commands. */
#define DUMP_NAMES \
	"physmem|memzone|socket_mem|struct_sizes|ring|mempool|devargs|log_types|lcores|trace"

/*
 * `dump_WHAT` for one of DUMP_NAMES; prints the same as testpmd. JSON: {"WHAT": the text}. Errors:
 * -ENOMEM; -EINVAL unknown name; for trace, -ENOENT if tracing is disabled, or the error of
 * rte_trace_save(). Thread: control, all of this file.
 */
int dump_show(struct out *o, const char *what, struct err *e);

/*
 * `dump_ring NAME`, `dump_mempool NAME`. Errors: -ENOMEM; -ENOENT with testpmd's "Cannot find
 * ring", "Cannot find mempool".
 */
int dump_ring(struct out *o, const char *name, struct err *e);
int dump_mempool(struct out *o, const char *name, struct err *e);

/* Shows the mbuf history that DPDK records if built with RTE_MBUF_HISTORY_DEBUG. */

/*
 * `dump mbuf history`, `dump mbuf pool history`: of <which>, "all" or an mbuf's address "0x...", or
 * of all mbufs of <pool>; to <file>, if given. Errors: -ENOSYS before DPDK 25.11; -EINVAL no
 * such mbuf; -ENOENT no such pool; those of fopen(3). Thread: control.
 */
int dump_mbuf_history(struct app *app, const struct args *a, struct err *e);
