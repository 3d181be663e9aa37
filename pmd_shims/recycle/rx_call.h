/* What vector receive functions do wrong: how many packets they may be asked for in one call, and
 * which give packets twice when their pool is empty. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * How many packets one call may ask of a receive queue of a started port, UINT16_MAX: any number.
 * Vector functions of i40e, ice and iavf refill 32 at each call, take as many as they are asked
 * for, and count done bits beyond the first that is not there: once a ring has been emptied faster
 * than it is filled they give old packets again. Thread: control.
 */
uint16_t rx_call_max(uint16_t port, uint16_t queue);

/*
 * Whether a queue's function may give packets twice once its pool is empty: AVX2 and AVX512 of i40e,
 * ice and iavf, in all releases up to 26.07, clear four descriptors then, and look at eight. Thread:
 * control.
 */
bool rx_call_repeats(uint16_t port, uint16_t queue);
