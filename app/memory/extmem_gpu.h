/* Let a GPU access host memory, or let this process access GPU memory: through DPDK's gpudev if it
 * supports the device, else through the CUDA driver's library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;
struct extmem_gpu;

/*
 * Let GPU number id access addr[0..bytes). Close it with extmem_gpu_close(). Returns NULL with e
 * filled: ENOTSUP: neither gpudev nor a CUDA driver; ENODEV: no such GPU; ENOMEM; EIO: errors of
 * the driver. Thread: control, for all of this file.
 */
struct extmem_gpu *extmem_gpu_open(unsigned int id, void *addr, size_t bytes, struct err *e);

/*
 * Allocate memory of GPU number id and map it at *addr for this process. Errors: as
 * extmem_gpu_open(); ENOTSUP also if the CPU cannot map GPU memory.
 */
struct extmem_gpu *extmem_gpu_alloc(unsigned int id, size_t bytes, void **addr, struct err *e);

/* End the access, or free the GPU's memory; g may be NULL. */
void extmem_gpu_close(struct extmem_gpu *g);

/* Return the GPU's number, its name, and the address of the memory for kernels. */
unsigned int extmem_gpu_id(const struct extmem_gpu *g);
const char *extmem_gpu_name(const struct extmem_gpu *g);
uint64_t extmem_gpu_address(const struct extmem_gpu *g);
