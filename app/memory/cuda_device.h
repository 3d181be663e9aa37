/* A GPU opened by number through the CUDA driver, with its primary context, which the whole process
 * shares. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/cuda.h"

struct err;

struct cuda_device {
	struct cuda cuda;
	unsigned int id;
	int device;
	cuda_handle context; /* the device's primary context */
	char name[128];
};

/*
 * Open GPU number id. ENOTSUP: no driver, or the GPU cannot access host memory; ENODEV: no such
 * GPU; EIO: errors of the driver. After an error nothing is open. Thread: control, also of
 * cuda_device_close().
 */
int cuda_device_open(struct cuda_device *d, unsigned int id, struct err *e);

/* Close the GPU; *d may be all zero. */
void cuda_device_close(struct cuda_device *d);

/*
 * Make the device's context current for the calling thread, and restore the former one; pairs nest.
 * e may be NULL. Thread: any. EIO.
 */
int cuda_device_enter(const struct cuda_device *d, struct err *e);
void cuda_device_leave(const struct cuda_device *d);
