/* Let a GPU reach host memory in place: through DPDK's gpudev where it knows the device, else the
 * CUDA driver's library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;
struct extmem_gpu;

/*
 * Let GPU number id reach addr[0..bytes). Returns what extmem_gpu_close() takes, or NULL with e
 * filled: ENOTSUP without gpudev and CUDA driver, ENODEV no such GPU, EIO what the driver said.
 * Thread: control, all of this file.
 */
struct extmem_gpu *extmem_gpu_open(unsigned int id, void *addr, size_t bytes, struct err *e);

/* End that; NULL is fine. */
void extmem_gpu_close(struct extmem_gpu *g);

/* The device's name, and the address that kernels on it use. */
const char *extmem_gpu_name(const struct extmem_gpu *g);
uint64_t extmem_gpu_address(const struct extmem_gpu *g);
