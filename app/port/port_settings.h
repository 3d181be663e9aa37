/* The settings of ports (rxq, txd, max-pkt-len, ...): one flat table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stddef.h>

/* Settings of ports (rxq, txq, rxd, txd, max-pkt-len, thresholds, ...), for settings_add(). */
extern const struct setting port_settings[];
extern const size_t port_settings_n;
