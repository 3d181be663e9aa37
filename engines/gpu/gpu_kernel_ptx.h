/* The kernel of the engine gpu in the CUDA driver's format, PTX. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The PTX text, NUL-terminated; its only entry is GPU_KERNEL of gpu_kernel.h. */
extern const char gpu_kernel_ptx[];
