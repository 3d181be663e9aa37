/* Let a GPU reach host memory in place, or this process memory of a GPU: through DPDK's gpudev where
 * it knows the device, else the CUDA driver's library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;
struct extmem_gpu;

/*
 * Let GPU number id reach addr[0..bytes). Returns what extmem_gpu_close() takes, or NULL with e
 * filled: ENOTSUP without gpudev and CUDA driver, ENODEV no such GPU, ENOMEM, EIO what the driver
 * said. Thread: control, all of this file.
 */
struct extmem_gpu *extmem_gpu_open(unsigned int id, void *addr, size_t bytes, struct err *e);

/*
 * Memory of GPU number id that this process writes: *addr is where. As extmem_gpu_open(); ENOTSUP
 * also where the platform has no window into it.
 */
struct extmem_gpu *extmem_gpu_alloc(unsigned int id, size_t bytes, void **addr, struct err *e);

/* End that; NULL is fine. */
void extmem_gpu_close(struct extmem_gpu *g);

/* The device's number and name, and the address that kernels on it use. */
unsigned int extmem_gpu_id(const struct extmem_gpu *g);
const char *extmem_gpu_name(const struct extmem_gpu *g);
uint64_t extmem_gpu_address(const struct extmem_gpu *g);
