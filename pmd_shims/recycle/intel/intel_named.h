/* What drivers share whose burst modes name the functions that they chose, as net_i40e's do: i40e,
 * ice, iavf. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/intel/intel.h"

/* What a transmit function keeps of the mbufs that are under way. */
struct intel_tx_kind {
	bool bare;   /* pointers to them, else pointers in entries of 16 bytes */
	bool simple; /* in entries that it clears */
};

/*
 * As intel_rx_bind() and intel_tx_bind(), of the release's layout; fill path and laid too.
 * Errors: -ENOTSUP.
 */
int intel_named_rx_bind(struct shim_rx *rx, const char *driver, const struct shim_table *t,
	struct err *e);
int intel_named_tx_bind(struct shim_tx *tx, const char *driver, const struct shim_table *t,
	struct intel_tx_kind *kind, struct err *e);

/*
 * The compiled ends of queues that all of Intel's drivers share since 25.07, if this is such a
 * layout; else NULL.
 */
const char *intel_named_rx_end(const struct intel_rx_layout *l);
const char *intel_named_tx_end(const struct intel_tx_layout *l);
