/* Recreate the packet pools when a setting changes them, while all ports are stopped. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct run;

/*
 * From now on, recreate existing pools when mbuf-pool-ops, mbcache or mbuf-size changes. Such a
 * change fails with EBUSY while a port is started or buffers are in use, and with the errors of
 * pool_create_all(); the pools are unchanged then. r->settings must have all rows. Thread: control,
 * once.
 */
void run_pools_apply(struct run *r);
