/* A window of the CPU into memory of a GPU: its pages in the card's own memory space (BAR1), mapped
 * by GDRCopy's library and kernel module where a machine has them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/cuda.h"

struct err;
struct gdr;

#define CUDA_WINDOW_PAGE 65536u /* bytes: where it begins and how long it is are multiples */

struct cuda_window {
	struct gdr *gdr;
	unsigned long handle;
	void *addr; /* of the CPU */
	size_t bytes;
};

/*
 * Map at[0..bytes), memory of the device whose context is the thread's: addr of *w is the CPU's.
 * The CPU writes there fast and reads slowly. Errors: ENOTSUP and what the machine lacks, EIO what
 * the library said. Thread: control, all of this file.
 */
int cuda_window_open(struct cuda_window *w, const struct cuda *c, cuda_address at, size_t bytes,
	struct err *e);

/* End that, before the memory is freed; all zero is fine. */
void cuda_window_close(struct cuda_window *w);
