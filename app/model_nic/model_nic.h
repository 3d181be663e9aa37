/* What a program that loaded the plugin can ask of it: by dlsym() on its handle, or from outside by
 * telemetry, /model_nic/... */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Counts since the last reset of a port's report. Packets, all queues together. */
struct model_nic_report {
	uint64_t rx_packets, rx_bytes; /* given to the driver */
	uint64_t tx_packets, tx_bytes; /* taken from the driver */
	uint64_t rx_missed;            /* no descriptor armed, or queue off */
	uint64_t rx_oversize;          /* longer than the driver accepts: not given */
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

/* The plugin shows nothing else to dlsym(). */
#define MODEL_NIC_API __attribute__((visibility("default")))

/* Ports configured, 0..MODEL_PORTS_MAX. */
MODEL_NIC_API unsigned model_nic_ports(void);

/*
 * Fill *r for a port; false: there is none of that number. Thread: any; exact while no traffic
 * runs.
 */
MODEL_NIC_API bool model_nic_report(unsigned port, struct model_nic_report *r);
MODEL_NIC_API void model_nic_report_reset(unsigned port);

/*
 * Lockstep (MODEL_NIC_MODE=step): move frames for every port once, on the calling thread. Returns
 * frames moved. In the other mode a thread of the plugin does it and this returns 0.
 */
MODEL_NIC_API unsigned model_nic_step(void);

/* Sources on or off, so that what is under way can arrive. */
MODEL_NIC_API void model_nic_pause(unsigned port, bool paused);

/*
 * "link down 100", "stall tx 50", ...: fault.h names them all. false: not understood, *why says
 * what was expected.
 */
MODEL_NIC_API bool model_nic_fault(unsigned port, const char *words, const char **why);

/*
 * Plug or pull the cable: the driver sees the link change. false: no such port, or it is detached.
 */
MODEL_NIC_API bool model_nic_link(unsigned port, bool up);
