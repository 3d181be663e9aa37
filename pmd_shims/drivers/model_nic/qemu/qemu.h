/* QEMU's cards: a QEMU without a guest for each port, whose card DPDK's stock driver uses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/family.h"

struct door;

/* The cards that MODEL_NIC can name. */
extern const struct model_family model_e1000, model_e1000e, model_igb, model_vmxnet3,
	model_virtio_pci;
extern const struct model_family model_igbvf;

/* BARs are in a hole between the machine's memory and its interrupt controller; the card's slot on bus 0. */
enum { QEMU_BARS_AT = (int)0xe0000000, QEMU_BAR_STEP = 1 << 20, QEMU_SLOT = 4 };

/* The way into the QEMU of a card; NULL: it is off. */
struct door *qemu_door(const struct model *m);

/*
 * Read a register at offset in the BARs of m, which is at address in the machine. door: of its card;
 * NULL: it is off. One of a card that is gone reads as all ones, or as family->gone has it. Thread: any.
 */
uint64_t qemu_load(const struct model *m, struct door *door, uint64_t address, uint32_t offset,
	uint8_t bytes);

/*
 * Switch on n virtual functions of a card. Returns 0, or -ENOTSUP after a line of the log. Thread: the
 * one that configures.
 */
int functions_enable(struct model *m, struct door *d, unsigned n);

/* Remove the files of the wires' sockets; at the end of the process. */
void qemu_wires_end(void);
