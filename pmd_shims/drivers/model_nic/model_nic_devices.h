/* The door for a program that opens model_nic.so by itself and says which devices it wants. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/api.h"

#include <stddef.h>

/*
 * Make the devices that the words name (as MODEL_NIC has them, which then counts no more); they are
 * on the PCI bus once EAL is up. devices: at least one. The other variables of the environment
 * hold. Returns 0, or -1 with one line in why (of size bytes) that names the bad word and what was
 * expected. Thread: main, once, between dlopen() and rte_eal_init().
 */
typedef int model_nic_devices_make(const char *devices, char *why, size_t size);

/* By dlsym(): "model_nic_devices". */
MODEL_NIC_API model_nic_devices_make model_nic_devices;

/*
 * The same of MODEL_NIC, for the bus, unless it was done. Messages name the variable; no device is
 * no error.
 */
int model_nic_devices_default(char *why, size_t size);
