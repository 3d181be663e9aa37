/* The parts of doctor: a host and its use, and the tables of checks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/doctor/doctor.h"
#include "features/doctor/pci_card.h"

#include <sched.h>

/* A host and its use, for all checks. */
struct examined {
	const char *root;
	const struct doctor_use *use;
	cpu_set_t cpus; /* of the forwarding lcores */
	struct pci_card *cards;
	unsigned int n_cards;
	struct doctor_findings *findings;
};

/* A check that may have several findings. */
struct doctor_row {
	const char *name;
	void (*check)(const struct examined *x);
	const char *fine;   /* the finding if the check adds none */
	const char *source; /* of findings that have none of their own */
};

/* Checks of cards, by files of the kernel. */
extern const struct doctor_row doctor_cards_rows[];
extern const unsigned int doctor_cards_n;

/* Checks of ports, by what DPDK reports. */
extern const struct doctor_row doctor_ports_rows[];
extern const unsigned int doctor_ports_n;
