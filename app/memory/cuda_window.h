/* A CPU mapping of GPU memory (BAR1) through GDRCopy's library and kernel module, if the machine
 * has them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/cuda.h"

struct err;
struct gdr;

#define CUDA_WINDOW_PAGE 65536u /* alignment of a window's address and size, bytes */

struct cuda_window {
	struct gdr *gdr;
	unsigned long handle;
	void *addr; /* CPU address */
	size_t bytes;
};

/*
 * Map at[0..bytes), memory of the device with the current context, to the CPU address w->addr. The
 * CPU writes there fast, but reads slowly. ENOTSUP: e names the missing library or kernel module;
 * EIO: errors of the library. Thread: control, for all of this file.
 */
int cuda_window_open(struct cuda_window *w, const struct cuda *c, cuda_address at, size_t bytes,
	struct err *e);

/* Unmap the window, before the memory is freed; *w may be all zero. */
void cuda_window_close(struct cuda_window *w);
