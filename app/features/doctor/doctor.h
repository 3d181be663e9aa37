/* What on a host spoils the tails of latencies and the rate of forwarding lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/doctor/doctor_finding.h"
#include "memory/memory_lock.h"
#include "port/port_descriptors.h"
#include "run/run_cpu.h"

#include <rte_config.h>

#include <assert.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	DOCTOR_NODE_ANY = -1, /* unknown, or there is only one */
	DOCTOR_PCI = 16,
	DOCTOR_NAME = 64,
};

struct doctor_lcore {
	unsigned int id;
	cpu_set_t cpus; /* on which it may run */
	int node;
};

struct doctor_port {
	uint16_t id;
	int node;
	struct port_rings rings;
	char pci[DOCTOR_PCI]; /* "0000:01:00.0"; "": no PCI device, or a modelled one */
	char driver[DOCTOR_NAME];
	char firmware[DOCTOR_NAME]; /* "": the driver reports none */
	bool started;
	/* of a started port: rte_eth_link_get_nowait(), and the best that the driver reports */
	bool link_known, link_up, half_duplex;
	uint32_t mbps, mbps_max; /* 0: unknown */
	bool pause_rx, pause_tx; /* pause frames are obeyed, are sent */
	uint32_t frame_bytes;    /* of the longest frame that the MTU allows */
	uint32_t
		buffer_bytes; /* of the first queue's buffers; 0: unknown, or there are several pools */
	bool scatter;         /* a frame may fill several buffers */
	bool can_scatter;     /* the driver has that offload */
	char pool[DOCTOR_NAME]; /* of the first queue; "": unknown */
	int pool_node;          /* or DOCTOR_NODE_ANY */
	bool polled_known;
	unsigned int n_rxq, n_polled; /* Rx queues, and those that the next start polls */
	bool served_known;
	/* lcores, by id, that receive from the port, or only send to it if the engine never receives */
	cpu_set_t served_by;
};

static_assert(RTE_MAX_LCORE <= CPU_SETSIZE, "served_by has a bit for each lcore");

/* How the program uses the host. */
struct doctor_use {
	struct doctor_lcore lcores[RTE_MAX_LCORE]; /* that forward */
	unsigned int n_lcores;
	cpu_set_t main_cpus; /* of the control thread */
	struct doctor_port ports[RTE_MAX_ETHPORTS];
	unsigned int n_ports;  /* that forward */
	unsigned int n_others; /* behind them: the other ports that are started */
	bool any_port;         /* the program has a port */
	bool no_pci;           /* --no-pci */
	/* the limit on locked memory and how to raise it; "": none */
	char lock_limit[MEMORY_LOCK_CHARS];
	unsigned int n_idle; /* lcores without a queue, of n_lcores */
	/* the lcore with the smallest share of its CPU in the current or last run; NAN: no run */
	struct run_cpu least;
	bool forwarding; /* that run goes on */
	bool hugepages;
	uint64_t l2_bytes; /* of a CPU; 0: unknown */
};

/*
 * Examine a host whose /proc, /sys, /dev and /lib are below root; "" is this one. Adds the findings of
 * each check to an empty list. Changes nothing. Thread: control.
 */
void doctor_examine(const char *root, const struct doctor_use *use,
	struct doctor_findings *findings);
