/* Settings of every run, with any engine, and what takes effect when one of them changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stddef.h>

struct run;

/* Settings of forwarding and of mbuf recycling, for settings_add(). */
extern const struct setting_table run_settings, run_recycle_settings;

/*
 * From now on apply new values of settings that take effect at once. r->settings must have all
 * rows. Thread: control, once.
 */
void run_settings_apply(struct run *r);

/*
 * From now on, recreate existing pools when mbuf-pool-ops, mbcache or mbuf-size changes. Such a
 * change fails with EBUSY while a port is started or buffers are in use, and with the errors of
 * pool_create_all(); the pools are unchanged then. r->settings must have all rows. Thread: control,
 * once.
 */
void run_pools_apply(struct run *r);
