/* Settings that every run reads, whatever its engine. */
#pragma once

#include "base/setting.h"

#include <stddef.h>

/* The settings of this file, for settings_add(). */
extern const struct setting run_settings[];
extern const size_t run_settings_n;
