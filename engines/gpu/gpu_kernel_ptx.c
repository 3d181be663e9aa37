/* The kernel of the engine gpu as the CUDA driver takes it: the build writes gpu_kernel.ptx into a header. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/gpu/gpu_kernel_ptx.h"

#include "engines/gpu/gpu_priv.h"

const char gpu_kernel_ptx[] = GPU_KERNEL_PTX;
