/* Bugs of vector receive functions: how many packets they can safely be asked for in one call,
 * which return packets twice when their pool is empty, and which never refill a short ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Maximum packets that one rx_burst() call may ask of a started port's queue; UINT16_MAX: no limit.
 * Vector functions of i40e, ice and iavf refill 32 slots per call, return as many packets as asked
 * for, and count done bits beyond the first missing one. If a ring is emptied faster than it is
 * refilled, they return old packets again. Thread: control.
 */
uint16_t rx_call_max(uint16_t port, uint16_t queue);

/*
 * True if a queue's function may return packets twice when its pool is empty: AVX2 and AVX512 of
 * i40e, ice and iavf, in all releases up to 26.07, then clear four descriptors but read eight.
 * Thread: control.
 */
bool rx_call_repeats(uint16_t port, uint16_t queue);

/*
 * True if a queue's function never refills its ring, which then receives nothing after its first
 * descriptors: vector functions that arm 64 slots when more are free, of ice up to 25.11 and of i40e,
 * iavf and ixgbe from 25.07 to 25.11. From 26.03 on such rings are refused. Thread: control.
 */
bool rx_call_never_refills(uint16_t port, uint16_t queue);
