/* Turns made for net_virtio's queues, at one width of vectors each. */
#pragma once

#include "pmd_shims/shim.h"

/*
 * The turns of a release (rte_version()), at one width of vectors; packed: both queues' rings are;
 * NULL: none is made.
 */
pair_turn *virtio_turn_128(const char *version, bool packed, enum recycle_mode mode);
pair_turn *virtio_turn_256(const char *version, bool packed, enum recycle_mode mode);
pair_turn *virtio_turn_512(const char *version, bool packed, enum recycle_mode mode);
