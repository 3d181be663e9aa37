/* The packet pools made anew while all ports are stopped, when a setting asks for others. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct run;

/*
 * From now on new values of mbuf-pool-ops, mbcache and mbuf-size make the pools anew, once there are
 * any. They fail with EBUSY while a port is started or buffers are out, and as pool_create_all();
 * then the pools are as they were. r->settings has all rows. Thread: control, once.
 */
void run_pools_apply(struct run *r);
