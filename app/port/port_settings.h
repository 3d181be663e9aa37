/* The settings of ports: rxq, txd, max-pkt-len, thresholds, ... */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stddef.h>

/* One flat table, for settings_add(). */
extern const struct setting_table port_settings;
