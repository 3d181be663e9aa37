/* Precompiled for unit tests, as app/pch.h for the program, and what cmocka needs before it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "app/pch.h"
