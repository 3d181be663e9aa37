/* How many packets a driver may be asked for in one receive call: some vector functions go wrong
 * beyond 32. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * How many packets one call may ask of a receive queue of a started port, UINT16_MAX: any number.
 * Vector functions of i40e, ice and iavf refill 32 at each call, take as many as they are asked
 * for, and count done bits beyond the first that is not there: once a ring has been emptied faster
 * than it is filled they give old packets again. Thread: control.
 */
uint16_t rx_call_max(uint16_t port, uint16_t queue);
