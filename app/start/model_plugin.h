/* --model: software NICs on the PCI bus, provided by the plugin model_nic.so. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;

/*
 * Load the plugin and let it create the devices devices[0..n), each the value of a --model option;
 * n 0: do nothing. The devices exist once EAL is up; the plugin is never unloaded. Errors: ENOTSUP
 * not x86-64; ENOENT plugin not found in the build or installation directory; ENOEXEC it cannot be
 * loaded; EINVAL wrong device. Thread: main, once, before EAL.
 */
int model_plugin_open(const char *const *devices, unsigned int n, struct err *e);
