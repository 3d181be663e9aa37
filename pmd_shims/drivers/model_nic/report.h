/* What is counted of a port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Counts since the last reset of a port's report. Packets, all queues together. */
struct model_nic_report {
	uint64_t rx_packets, rx_bytes; /* given to the driver */
	uint64_t tx_packets, tx_bytes; /* taken from the driver */
	uint64_t rx_missed;            /* no descriptor armed, or queue off */
	uint64_t rx_oversize;          /* longer than the driver accepts: not given */
	uint64_t rx_filtered;          /* dropped by a filter of the driver's */
	uint64_t rx_errors;            /* given with an error in the descriptor */
	/* Verify mode: what this port took back of what verifying ports generated. */
	uint64_t generated; /* verified packets that this port gave */
	uint64_t ok, corrupted, duplicated, reordered, foreign;
	uint64_t missing; /* generated here and seen again nowhere so far */
	/* Ownership map. */
	uint64_t armed_twice;          /* an armed buffer armed again */
	uint64_t armed_in_tx;          /* armed while waiting for transmission */
	uint64_t sent_while_armed;     /* transmitted while armed: the NIC would write into it */
	uint64_t link_changes, resets; /* resets: asked for by the driver */
	/* Faults that began (fault.h): all, and those of each kind. */
	uint64_t faults, faults_link, faults_stall, faults_starve;
	uint64_t faults_error, faults_oversize, faults_jumbo, faults_reset;
};
