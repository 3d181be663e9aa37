/* Read what the kernel tells of network cards on the PCI bus. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	PCI_CARD_ADDRESS = 16,
	PCI_CARD_NAME = 32,
	PCI_CARD_NO_GROUP = -1,
	PCI_CARD_MELLANOX = 0x15b3, /* its cards keep the kernel's driver */
};

#define PCI_CARD_FOLDER "/sys/bus/pci/devices"

/* How the kernel uses the interface of a card; the last ones weigh most. */
enum pci_card_use {
	PCI_CARD_IDLE,
	PCI_CARD_UP,
	PCI_CARD_BELOW, /* another interface is on top: a bridge, a bond, a VLAN */
	PCI_CARD_ADDRESSED,
	PCI_CARD_DEFAULT_ROUTE,
};

/* The state of a PCI Express link. */
struct pci_card_link {
	double gts;         /* transfers per second and lane, 1e9; 0: unknown */
	unsigned int width; /* lanes; 0: unknown */
};

struct pci_card {
	char address[PCI_CARD_ADDRESS]; /* "0000:01:00.0" */
	uint16_t vendor, device;
	char driver[PCI_CARD_NAME];    /* the kernel's; "": none */
	int node;                      /* NUMA node; -1: unknown */
	int group;                     /* IOMMU group, or PCI_CARD_NO_GROUP */
	bool unsafe;                   /* that group is one of vfio's mode without IOMMU */
	char interface[PCI_CARD_NAME]; /* of the kernel; "": none */
	enum pci_card_use use;         /* of the interface */
	struct pci_card_link link, link_max;
	char pf[PCI_CARD_ADDRESS]; /* the card is a virtual function of that one; "": it is none */
};

/* All functions: root as in host_files.h. Thread: any. */

/* Read a card. Returns false if there is no such device. */
bool pci_card_read(const char *root, const char *address, struct pci_card *card);

/*
 * List all Ethernet cards (class 0x0200) by their addresses; free *cards. Returns their number; 0 also
 * without memory.
 */
unsigned int pci_card_list(const char *root, struct pci_card **cards);

/* Return whether the card's kernel driver is one for programs: vfio-pci, igb_uio, uio_pci_generic. */
bool pci_card_bound(const struct pci_card *card);

/* Return the bits that a link carries per second in one direction, 1e9; 0: unknown. */
double pci_card_gbps(const struct pci_card_link *link);
