/* The list of modelled chips: to add one, make a folder for it and add its name here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/families.h"

#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe.h"
#include "pmd_shims/drivers/model_nic/qemu/qemu.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710.h"

const struct model_family *const model_families[] = { &model_xl710, &model_82599, &model_x540,
	&model_igb, &model_igbvf, &model_e1000e, &model_e1000, &model_vmxnet3, &model_virtio_pci,
	NULL };
