/* The kernel of the engine gpu as the CUDA driver takes it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* PTX, NUL at its end; its one entry is GPU_KERNEL of gpu_kernel.h. */
extern const char gpu_kernel_ptx[];
