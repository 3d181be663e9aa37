/* QEMU's cards: a QEMU without a guest for each port, whose card DPDK's stock driver uses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/family.h"

/* The cards that MODEL_NIC can name. */
extern const struct model_family model_e1000, model_e1000e, model_igb, model_vmxnet3,
	model_virtio_pci;

/* Remove the files of the wires' sockets; at the end of the process. */
void qemu_wires_end(void);
