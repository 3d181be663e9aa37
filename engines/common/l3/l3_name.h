/* Unique names for DPDK's tables: while routes are replaced, old and new tables exist. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#define L3_NAME 24 /* bytes; rte_hash derives names of up to 28 bytes from it */

/* Write to name the name of the table for IPv4 or IPv6 (family: 4, 6) of the object at of. */
static inline const char *
l3_name(char name[L3_NAME], unsigned int family, const void *of)
{
	snprintf(name, L3_NAME, "l3_%u_%" PRIxPTR, family, (uintptr_t)of);
	return name;
}
