/* Interface for a program that opens model_nic.so itself and names the devices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/api.h"

#include <stddef.h>

/*
 * Make devices, which appear on the PCI bus when EAL is initialised. devices: at least one, in the
 * syntax of MODEL_NIC, which is then ignored; other environment variables apply. Returns 0, or -1
 * with one line in why (of size bytes) that has the bad word and what was expected. Thread: main,
 * once, between dlopen() and rte_eal_init().
 */
typedef int model_nic_devices_make(const char *devices, char *why, size_t size);

/* To be found by dlsym(), "model_nic_devices". */
MODEL_NIC_API model_nic_devices_make model_nic_devices;

/*
 * Make the devices of MODEL_NIC, unless model_nic_devices() has made devices. Messages begin with
 * the variable's name. Returns 0, also without any device, or -1 with one line in why (of size
 * bytes).
 */
int model_nic_devices_default(char *why, size_t size);
