/* Names of DPDK's tables: two generations of routes are there while the one takes over. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#define L3_NAME 24 /* bytes; rte_hash makes names of it, of up to 28 */

/* The name of the table for a family, 4 or 6, of what lies at of; in name. */
static inline const char *
l3_name(char name[L3_NAME], unsigned int family, const void *of)
{
	snprintf(name, L3_NAME, "l3_%u_%" PRIxPTR, family, (uintptr_t)of);
	return name;
}
