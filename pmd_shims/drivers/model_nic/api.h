/* What the plugin shows to dlsym(): the functions that are declared so, and nothing else. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#define MODEL_NIC_API __attribute__((visibility("default")))
