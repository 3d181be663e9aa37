/* --model: software NICs on the PCI bus, by the plugin model_nic.so. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;

/*
 * Open the plugin and have it make the devices of n texts, each as --model has it; none: do
 * nothing. They are there once EAL is up, and the plugin stays until the process ends. Errors:
 * ENOTSUP on another processor than x86-64; ENOENT where the plugin is not where the program was
 * built or installed; EINVAL with the bad word and what was expected. Thread: main, once, before
 * EAL.
 */
int model_plugin_open(const char *const *devices, unsigned int n, struct err *e);
