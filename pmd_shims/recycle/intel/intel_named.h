/* Functions shared by the drivers whose burst modes name the burst function in use: i40e, ice,
 * iavf. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/intel/intel.h"

/* How a transmit function stores the mbufs that are not sent yet. */
struct intel_tx_kind {
	bool bare;   /* as bare pointers, otherwise as pointers in entries of 16 bytes */
	bool simple; /* in entries that it clears after it has freed the mbufs */
};

/*
 * Find the layout of the running release, then check and bind the queue by intel_rx_bind() or
 * intel_tx_bind(). They also fill path, laid and *kind. Errors: -ENOTSUP.
 */
int intel_named_rx_bind(struct shim_rx *rx, const char *driver, const struct shim_table *t,
	struct err *e);
int intel_named_tx_bind(struct shim_tx *tx, const char *driver, const struct shim_table *t,
	struct intel_tx_kind *kind, struct err *e);

/*
 * The name of the compiled end for a layout that all of Intel's drivers share since 25.07; NULL for
 * any other layout.
 */
const char *intel_named_rx_end(const struct intel_rx_layout *l);
const char *intel_named_tx_end(const struct intel_tx_layout *l);
