/* What a driver imports from other libraries, replaced. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Let net_virtio find its BARs mapped: rte_pci_map_device(), which it calls and other drivers leave to
 * EAL, knows only cards of the kernel. Idempotent. Thread: the one that configures.
 */
void import_bars_mapped(void);
