/* Precompiled for unit tests, as app/pch.h for the program, and what cmocka needs before it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/pch.h"
#include "fixtures/unit.h"
