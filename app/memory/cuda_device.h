/* A GPU of the CUDA driver: found by number, with the context that all of this process share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/cuda.h"

struct err;

struct cuda_device {
	struct cuda cuda;
	unsigned int id;
	int device;
	cuda_handle context; /* the device's primary one */
	char name[128];
};

/*
 * Begin to use GPU number id. ENOTSUP without a driver, ENODEV no such GPU, EIO what the driver
 * said; then nothing is open. Thread: control, as cuda_device_close().
 */
int cuda_device_open(struct cuda_device *d, unsigned int id, struct err *e);

/* End that; all zero is fine. */
void cuda_device_close(struct cuda_device *d);

/*
 * Between the two the calling thread's calls are the device's; pairs nest. Thread: any. EIO with e
 * (may be NULL) filled.
 */
int cuda_device_enter(const struct cuda_device *d, struct err *e);
void cuda_device_leave(const struct cuda_device *d);
