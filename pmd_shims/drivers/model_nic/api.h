/* Marks the functions that the plugin exports to dlsym(); all others are hidden. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#define MODEL_NIC_API __attribute__((visibility("default")))
