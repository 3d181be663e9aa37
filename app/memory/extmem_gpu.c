/* Let a GPU access host memory, or let this process access GPU memory: through DPDK's gpudev if it
 * supports the device, else through the CUDA driver's library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem_gpu.h"

#include "base/err.h"
#include "memory/cuda.h"

#include <rte_common.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<rte_gpudev.h>)
#include <rte_errno.h>
#include <rte_gpudev.h>
#define HAVE_GPUDEV 1
#else
#define HAVE_GPUDEV 0
#endif

struct extmem_gpu {
	unsigned int id;
	void *addr; /* CPU address */
	size_t bytes;
	char name[128];
	uint64_t address; /* device address */
	bool by_gpudev;
	bool on_device;
	struct cuda_device device;
	cuda_address memory; /* on_device: the allocation, at or before address */
	struct cuda_window window;
};

static int
cuda_register(struct extmem_gpu *g, struct err *e)
{
	const struct cuda *c = &g->device.cuda;
	int ret = c->host_register(g->addr, g->bytes, CUDA_HOST_PORTABLE | CUDA_HOST_DEVICEMAP);

	if (ret != CUDA_OK)
		return cuda_fail(c, "cuMemHostRegister", ret, e);
	ret = c->host_address(&g->address, g->addr, 0);
	if (ret == CUDA_OK)
		return 0;
	c->host_unregister(g->addr);
	return cuda_fail(c, "cuMemHostGetDevicePointer", ret, e);
}

/* Allocate device memory, aligned for a window, and map a window into it. */
static int
cuda_alloc(struct extmem_gpu *g, struct err *e)
{
	const size_t bytes = RTE_ALIGN_CEIL(g->bytes, (size_t)CUDA_WINDOW_PAGE);
	const struct cuda *c = &g->device.cuda;
	int ret = c->alloc(&g->memory, bytes + CUDA_WINDOW_PAGE);

	if (ret != CUDA_OK)
		return cuda_fail(c, "cuMemAlloc", ret, e);
	g->address = RTE_ALIGN_CEIL(g->memory, (uint64_t)CUDA_WINDOW_PAGE);
	ret = c->fill(g->address, 0, bytes);
	ret = ret != CUDA_OK ? cuda_fail(c, "cuMemsetD8", ret, e)
			     : cuda_window_open(&g->window, c, g->address, bytes, e);
	if (ret != 0)
		c->free(g->memory);
	g->addr = g->window.addr;
	return ret;
}

static int
open_cuda(struct extmem_gpu *g, struct err *e)
{
	int ret = cuda_device_open(&g->device, g->id, e);

	if (ret != 0)
		return ret;
	snprintf(g->name, sizeof(g->name), "%s", g->device.name);
	ret = cuda_device_enter(&g->device, e);
	if (ret == 0) {
		ret = g->on_device ? cuda_alloc(g, e) : cuda_register(g, e);
		cuda_device_leave(&g->device);
	}
	if (ret != 0)
		cuda_device_close(&g->device);
	return ret;
}

static void
close_cuda(struct extmem_gpu *g)
{
	if (cuda_device_enter(&g->device, NULL) == 0) {
		cuda_window_close(&g->window);
		if (g->on_device)
			g->device.cuda.free(g->memory);
		else
			g->device.cuda.host_unregister(g->addr);
		cuda_device_leave(&g->device);
	}
	cuda_device_close(&g->device);
}

#if HAVE_GPUDEV
static int
gpudev_fail(const struct extmem_gpu *g, const char *what, struct err *e)
{
	return err_set(e, EIO, "gpu %u (%s): %s: %s", g->id, g->name, what,
		rte_strerror(rte_errno));
}

static int
gpudev_alloc(struct extmem_gpu *g, struct err *e)
{
	const size_t bytes = RTE_ALIGN_CEIL(g->bytes, (size_t)CUDA_WINDOW_PAGE);
	void *memory = rte_gpu_mem_alloc((int16_t)g->id, bytes, CUDA_WINDOW_PAGE);

	if (memory == NULL)
		return gpudev_fail(g, "rte_gpu_mem_alloc", e);
	g->address = (uint64_t)(uintptr_t)memory;
	g->addr = rte_gpu_mem_cpu_map((int16_t)g->id, bytes, memory);
	if (g->addr != NULL)
		return 0;
	gpudev_fail(g, "the CPU cannot write its memory: rte_gpu_mem_cpu_map", e);
	rte_gpu_mem_free((int16_t)g->id, memory);
	return -EIO;
}

/* Open the GPU by gpudev. Returns false if gpudev has no such device; else e has the result. */
static bool
open_gpudev(struct extmem_gpu *g, struct err *e)
{
	struct rte_gpu_info info;

	if (!rte_gpu_is_valid((int16_t)g->id))
		return false;
	g->by_gpudev = true;
	if (rte_gpu_info_get((int16_t)g->id, &info) == 0)
		snprintf(g->name, sizeof(g->name), "%s", info.name);
	if (g->on_device) {
		gpudev_alloc(g, e);
		return true;
	}
	g->address = (uint64_t)(uintptr_t)g->addr; /* CPU and GPU use the same addresses */
	if (rte_gpu_mem_register((int16_t)g->id, g->bytes, g->addr) != 0)
		gpudev_fail(g, "rte_gpu_mem_register", e);
	return true;
}

static void
close_gpudev(struct extmem_gpu *g)
{
	void *memory = (void *)(uintptr_t)g->address;

	if (!g->on_device) {
		rte_gpu_mem_unregister((int16_t)g->id, g->addr);
		return;
	}
	rte_gpu_mem_cpu_unmap((int16_t)g->id, memory);
	rte_gpu_mem_free((int16_t)g->id, memory);
}
#else
static bool
open_gpudev(struct extmem_gpu *g, struct err *e)
{
	return false;
}

static void
close_gpudev(struct extmem_gpu *g)
{
}
#endif

static struct extmem_gpu *
gpu_new(const struct extmem_gpu *like, struct err *e)
{
	struct extmem_gpu *g = malloc(sizeof(*g));

	if (g == NULL) {
		err_set(e, ENOMEM, "no memory for gpu %u", like->id);
		return NULL;
	}
	*g = *like;
	if (open_gpudev(g, e) ? e->code == 0 : open_cuda(g, e) == 0)
		return g;
	free(g);
	return NULL;
}

struct extmem_gpu *
extmem_gpu_open(unsigned int id, void *addr, size_t bytes, struct err *e)
{
	return gpu_new(&(struct extmem_gpu){ .id = id, .addr = addr, .bytes = bytes }, e);
}

struct extmem_gpu *
extmem_gpu_alloc(unsigned int id, size_t bytes, void **addr, struct err *e)
{
	struct extmem_gpu *g =
		gpu_new(&(struct extmem_gpu){ .id = id, .bytes = bytes, .on_device = true }, e);

	if (g != NULL)
		*addr = g->addr;
	return g;
}

void
extmem_gpu_close(struct extmem_gpu *g)
{
	if (g == NULL)
		return;
	if (g->by_gpudev)
		close_gpudev(g);
	else
		close_cuda(g);
	free(g);
}

unsigned int
extmem_gpu_id(const struct extmem_gpu *g)
{
	return g->id;
}

const char *
extmem_gpu_name(const struct extmem_gpu *g)
{
	return g->name;
}

uint64_t
extmem_gpu_address(const struct extmem_gpu *g)
{
	return g->address;
}
