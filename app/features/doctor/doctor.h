/* What on a host spoils the tails of latencies and the rate of forwarding lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "port/port_descriptors.h"
#include "run/run_cpu.h"

#include <rte_config.h>

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	DOCTOR_TEXT = 240,
	DOCTOR_CHECKS = 14,
	DOCTOR_NODE_ANY = -1, /* unknown, or there is only one */
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
};

/* How the program uses the host. */
struct doctor_use {
	struct doctor_lcore lcores[RTE_MAX_LCORE]; /* that forward */
	unsigned int n_lcores;
	cpu_set_t main_cpus; /* of the control thread */
	struct doctor_port ports[RTE_MAX_ETHPORTS];
	unsigned int n_ports;
	/* the lcore with the smallest share of its CPU in the current or last run; NAN: no run */
	struct run_cpu least;
	bool forwarding; /* that run goes on */
	bool hugepages;
	uint64_t l2_bytes; /* of a CPU; 0: unknown */
};

enum doctor_verdict {
	DOCTOR_OK,
	DOCTOR_SPOILS,
	DOCTOR_UNKNOWN, /* this host does not tell */
};

struct doctor_finding {
	const char *check;
	enum doctor_verdict verdict;
	char found[DOCTOR_TEXT];
	char change[DOCTOR_TEXT]; /* how to change it; empty: nothing to change */
};

/*
 * Examine a host whose /proc and /sys are below root; "" is this one. Writes DOCTOR_CHECKS findings.
 * Changes nothing. Thread: control.
 */
void doctor_examine(const char *root, const struct doctor_use *use,
	struct doctor_finding findings[DOCTOR_CHECKS]);

/* The word of a verdict: "ok", "spoils" or "unknown". */
const char *doctor_verdict_word(enum doctor_verdict verdict);
