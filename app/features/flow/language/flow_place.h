/* Where in a packet, or beside it, actions take values from and put them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* In the order of enum rte_flow_field_id of this DPDK; NULL behind the last. */
extern const char *const flow_places[];
