/* Turns made for ixgbe's queues, at one width of vectors each. */
#pragma once

#include "pmd_shims/shim.h"

/*
 * The turn of a release (rte_version()) and a size of entries, at one width of vectors; NULL: none
 * is made.
 */
pair_turn *ixgbe_turn_128(const char *version, size_t stride, enum recycle_mode mode);
pair_turn *ixgbe_turn_256(const char *version, size_t stride, enum recycle_mode mode);
pair_turn *ixgbe_turn_512(const char *version, size_t stride, enum recycle_mode mode);
