/* Locations in a packet or its metadata that actions read and write. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* In the order of enum rte_flow_field_id of this DPDK; NULL-terminated. */
extern const char *const flow_places[];
