/* Let a GPU reach host memory in place: through DPDK's gpudev where it knows the device, else the
 * CUDA driver's library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem_gpu.h"

#include "base/err.h"

#include <dlfcn.h>
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

#define CUDA_LIBRARY "libcuda.so.1"
/* Of the CUDA driver API, which is not needed to build: its results, handles and flags. */
#define CUDA_SUCCESS 0
#define CUDA_REGISTER_PORTABLE 1u
#define CUDA_REGISTER_DEVICEMAP 2u

typedef void *cuda_context;

/* Functions of the CUDA driver, by their names in its library. */
struct cuda {
	void *library;
	int (*init)(unsigned int flags);
	int (*count)(int *n);
	int (*get)(int *device, int ordinal);
	int (*name)(char *name, int bytes, int device);
	int (*retain)(cuda_context *context, int device);
	int (*release)(int device);
	int (*push)(cuda_context context);
	int (*pop)(cuda_context *context);
	int (*host_register)(void *addr, size_t bytes, unsigned int flags);
	int (*host_address)(uint64_t *address, void *addr, unsigned int flags);
	int (*host_unregister)(void *addr);
	int (*error)(int result, const char **text);
};

struct extmem_gpu {
	unsigned int id;
	void *addr;
	char name[128];
	uint64_t address;
	bool by_gpudev;
	int device;
	cuda_context context;
	struct cuda cuda;
};

static int
cuda_open(struct cuda *c, struct err *e)
{
	const struct {
		const char *name;
		void *to;
	} symbols[] = {
		{ "cuInit", &c->init },
		{ "cuDeviceGetCount", &c->count },
		{ "cuDeviceGet", &c->get },
		{ "cuDeviceGetName", &c->name },
		{ "cuDevicePrimaryCtxRetain", &c->retain },
		{ "cuDevicePrimaryCtxRelease_v2", &c->release },
		{ "cuCtxPushCurrent_v2", &c->push },
		{ "cuCtxPopCurrent_v2", &c->pop },
		{ "cuMemHostRegister_v2", &c->host_register },
		{ "cuMemHostGetDevicePointer_v2", &c->host_address },
		{ "cuMemHostUnregister", &c->host_unregister },
		{ "cuGetErrorString", &c->error },
	};

	c->library = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (c->library == NULL)
		return err_set(e, ENOTSUP,
			"no GPU: DPDK's gpudev knows none, and there is no CUDA driver (%s)",
			dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *found = dlsym(c->library, symbols[i].name);

		if (found == NULL)
			return err_set(e, ENOTSUP, "%s has no %s: want a newer CUDA driver",
				CUDA_LIBRARY, symbols[i].name);
		memcpy(symbols[i].to, &found, sizeof(found));
	}
	return 0;
}

static int
cuda_fail(const struct cuda *c, const char *what, int result, struct err *e)
{
	const char *text = NULL;

	if (c->error(result, &text) != CUDA_SUCCESS || text == NULL)
		text = "unknown error";
	return err_set(e, EIO, "%s: CUDA error %d, %s", what, result, text);
}

static int
cuda_register(struct extmem_gpu *g, size_t bytes, struct err *e)
{
	const struct cuda *c = &g->cuda;
	cuda_context before;
	int ret = c->push(g->context);

	if (ret != CUDA_SUCCESS)
		return cuda_fail(c, "cuCtxPushCurrent", ret, e);
	ret = c->host_register(g->addr, bytes, CUDA_REGISTER_PORTABLE | CUDA_REGISTER_DEVICEMAP);
	if (ret != CUDA_SUCCESS) {
		ret = cuda_fail(c, "cuMemHostRegister", ret, e);
	} else {
		ret = c->host_address(&g->address, g->addr, 0);
		if (ret != CUDA_SUCCESS) {
			c->host_unregister(g->addr);
			ret = cuda_fail(c, "cuMemHostGetDevicePointer", ret, e);
		}
	}
	c->pop(&before);
	return ret;
}

static int
open_cuda(struct extmem_gpu *g, size_t bytes, struct err *e)
{
	const struct cuda *c = &g->cuda;
	int n = 0, ret = cuda_open(&g->cuda, e);

	if (ret != 0)
		return ret;
	ret = c->init(0);
	if (ret != CUDA_SUCCESS)
		return cuda_fail(c, "cuInit", ret, e);
	ret = c->count(&n);
	if (ret != CUDA_SUCCESS)
		return cuda_fail(c, "cuDeviceGetCount", ret, e);
	if (g->id >= (unsigned int)n)
		return err_set(e, ENODEV, "gpu %u: want a number below %d, the devices there are",
			g->id, n);
	ret = c->get(&g->device, (int)g->id);
	if (ret != CUDA_SUCCESS)
		return cuda_fail(c, "cuDeviceGet", ret, e);
	c->name(g->name, (int)sizeof(g->name), g->device);
	ret = c->retain(&g->context, g->device);
	if (ret != CUDA_SUCCESS)
		return cuda_fail(c, "cuDevicePrimaryCtxRetain", ret, e);
	ret = cuda_register(g, bytes, e);
	if (ret != 0)
		c->release(g->device);
	return ret;
}

#if HAVE_GPUDEV
/* True when gpudev has that device, which then serves; e tells how. */
static bool
open_gpudev(struct extmem_gpu *g, size_t bytes, struct err *e)
{
	struct rte_gpu_info info;

	if (!rte_gpu_is_valid((int16_t)g->id))
		return false;
	g->by_gpudev = true;
	if (rte_gpu_info_get((int16_t)g->id, &info) == 0)
		snprintf(g->name, sizeof(g->name), "%s", info.name);
	g->address = (uint64_t)(uintptr_t)g->addr; /* one space of addresses */
	if (rte_gpu_mem_register((int16_t)g->id, bytes, g->addr) != 0)
		err_set(e, EIO, "gpu %u (%s): %s", g->id, g->name, rte_strerror(rte_errno));
	return true;
}

static void
close_gpudev(struct extmem_gpu *g)
{
	rte_gpu_mem_unregister((int16_t)g->id, g->addr);
}
#else
static bool
open_gpudev(struct extmem_gpu *g, size_t bytes, struct err *e)
{
	return false;
}

static void
close_gpudev(struct extmem_gpu *g)
{
}
#endif

struct extmem_gpu *
extmem_gpu_open(unsigned int id, void *addr, size_t bytes, struct err *e)
{
	struct extmem_gpu *g = calloc(1, sizeof(*g));

	if (g == NULL) {
		err_set(e, ENOMEM, "no memory for gpu %u", id);
		return NULL;
	}
	g->id = id;
	g->addr = addr;
	if (open_gpudev(g, bytes, e) ? e->code == 0 : open_cuda(g, bytes, e) == 0)
		return g;
	if (g->cuda.library != NULL)
		dlclose(g->cuda.library);
	free(g);
	return NULL;
}

void
extmem_gpu_close(struct extmem_gpu *g)
{
	cuda_context before;

	if (g == NULL)
		return;
	if (g->by_gpudev) {
		close_gpudev(g);
	} else {
		if (g->cuda.push(g->context) == CUDA_SUCCESS) {
			g->cuda.host_unregister(g->addr);
			g->cuda.pop(&before);
		}
		g->cuda.release(g->device);
		dlclose(g->cuda.library);
	}
	free(g);
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
