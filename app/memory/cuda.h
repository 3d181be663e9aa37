/* NVIDIA's CUDA driver, loaded at run time: its functions by name, a GPU opened by number, CPU mappings of GPU memory. Nothing of CUDA is needed to build. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;
struct gdr;

/* Handles, results and flags of the CUDA driver API. Source: its reference. */
typedef struct cuda_handle *cuda_handle; /* a context, module, function or stream */
typedef uint64_t cuda_address;           /* a device address */

enum {
	CUDA_OK = 0,
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_NOT_READY = 600,
};

enum {
	CUDA_HOST_PORTABLE = 1,  /* valid in all contexts; for registered and allocated memory */
	CUDA_HOST_DEVICEMAP = 2, /* mapped to a device address */
};

enum {
	CUDA_STREAM_NON_BLOCKING = 1,
	CUDA_JIT_ERROR_LOG = 5,       /* option of a module: a buffer for messages */
	CUDA_JIT_ERROR_LOG_BYTES = 6, /* option of a module: size of that buffer */
	CUDA_POINTER_SYNC_MEMOPS = 6, /* attribute of an address */
	CUDA_DEVICE_MAJOR = 75,       /* attributes of a device: its compute capability */
	CUDA_DEVICE_MINOR = 76,
	CUDA_DEVICE_MAPS_HOST = 19,
};

/* clang-format off */
/* X(member, name in the library, arguments) of every used function; each returns a CUDA result. */
#define CUDA_FUNCTIONS(X) \
	X(init, cuInit, (unsigned int flags)) \
	X(version, cuDriverGetVersion, (int *version)) \
	X(device_count, cuDeviceGetCount, (int *n)) \
	X(device_get, cuDeviceGet, (int *device, int ordinal)) \
	X(device_name, cuDeviceGetName, (char *name, int bytes, int device)) \
	X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device)) \
	X(context_retain, cuDevicePrimaryCtxRetain, (cuda_handle *context, int device)) \
	X(context_release, cuDevicePrimaryCtxRelease_v2, (int device)) \
	X(context_push, cuCtxPushCurrent_v2, (cuda_handle context)) \
	X(context_pop, cuCtxPopCurrent_v2, (cuda_handle *context)) \
	X(host_register, cuMemHostRegister_v2, (void *at, size_t bytes, unsigned int flags)) \
	X(host_unregister, cuMemHostUnregister, (void *at)) \
	X(host_address, cuMemHostGetDevicePointer_v2, (cuda_address *to, void *at, unsigned int flags)) \
	X(host_alloc, cuMemHostAlloc, (void **at, size_t bytes, unsigned int flags)) \
	X(host_free, cuMemFreeHost, (void *at)) \
	X(alloc, cuMemAlloc_v2, (cuda_address *at, size_t bytes)) \
	X(free, cuMemFree_v2, (cuda_address at)) \
	X(memory_info, cuMemGetInfo_v2, (size_t *left, size_t *total)) \
	X(fill, cuMemsetD8_v2, (cuda_address at, unsigned char with, size_t bytes)) \
	X(copy_in, cuMemcpyHtoDAsync_v2, (cuda_address to, const void *from, size_t bytes, cuda_handle stream)) \
	X(copy_out, cuMemcpyDtoH_v2, (void *to, cuda_address from, size_t bytes)) \
	X(pointer_set, cuPointerSetAttribute, (const void *value, int attribute, cuda_address at)) \
	X(module_load, cuModuleLoadDataEx, (cuda_handle *module, const void *image, unsigned int n, int *options, void **values)) \
	X(module_unload, cuModuleUnload, (cuda_handle module)) \
	X(module_function, cuModuleGetFunction, (cuda_handle *function, cuda_handle module, const char *name)) \
	X(launch, cuLaunchKernel, (cuda_handle function, unsigned int blocks_x, unsigned int blocks_y, unsigned int blocks_z, \
		unsigned int threads_x, unsigned int threads_y, unsigned int threads_z, unsigned int shared_bytes, \
		cuda_handle stream, void **parameters, void **extra)) \
	X(stream_create, cuStreamCreate, (cuda_handle *stream, unsigned int flags)) \
	X(stream_destroy, cuStreamDestroy_v2, (cuda_handle stream)) \
	X(stream_query, cuStreamQuery, (cuda_handle stream)) \
	X(error_name, cuGetErrorName, (int result, const char **name)) \
	X(error_text, cuGetErrorString, (int result, const char **text))

#define CUDA_MEMBER(member, name, arguments) int (*member) arguments;
/* clang-format on */

/* The open library. */
struct cuda {
	void *library;
	int driver; /* the newest CUDA version that it supports: 12040 is 12.4 */
	CUDA_FUNCTIONS(CUDA_MEMBER)
};

/*
 * Fill e with the function's name and the driver's text of result. Returns -ENOMEM, -ENODEV or
 * -EIO. Thread: any.
 */
int cuda_fail(const struct cuda *c, const char *function, int result, struct err *e);

/* A GPU opened by number through the CUDA driver, with its primary context, which the whole process
 * shares. */

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

/* A CPU mapping of GPU memory (BAR1) through GDRCopy's library and kernel module, if the machine
 * has them. */

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
