/* Runs of rte_eth_recycle_mbufs() on modelled NICs, each of which says what it came to and ends its process. */
#pragma once

#include <rte_common.h>

enum { RECYCLE_ETHDEV_LINE = 160 };

/*
 * by: "served" (recycle_ethdev.h) or "driver" (its own callbacks); run: "stream", "which", "unsent", "restart", "simple"; rs: tx_rs_thresh.
 * MODEL_NIC, MODEL_NIC_PLUGIN and SIMD_BITS are in the environment. Prints "verdict: ", up to RECYCLE_ETHDEV_LINE - 1 bytes: "good...", what
 * was wrong, or why there was no run. Does not return, and may well crash.
 */
__rte_noreturn void recycle_ethdev_run(const char *by, const char *run, const char *rs);
