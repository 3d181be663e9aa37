/* What a fuzzer asserts: stays on in release builds, and aborts, so that the input is kept. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK(true_fact) \
	do { \
		if (!(true_fact)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #true_fact); \
			abort(); \
		} \
	} while (0)
