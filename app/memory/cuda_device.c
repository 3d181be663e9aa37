/* A GPU opened by number through the CUDA driver, with its primary context, which the whole process
 * shares. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/cuda_device.h"

#include "base/err.h"

#include <errno.h>

static int
find(struct cuda_device *d, struct err *e)
{
	const struct cuda *c = &d->cuda;
	int n = 0, maps = 0, ret = c->device_count(&n);

	if (ret != CUDA_OK)
		return cuda_fail(c, "cuDeviceGetCount", ret, e);
	if (n == 0)
		return err_set(e, ENODEV, "gpu %u: the CUDA driver finds no device", d->id);
	if (d->id >= (unsigned int)n)
		return err_set(e, ENODEV, "gpu %u: expected 0..%d, the devices found", d->id,
			n - 1);
	ret = c->device_get(&d->device, (int)d->id);
	if (ret != CUDA_OK)
		return cuda_fail(c, "cuDeviceGet", ret, e);
	c->device_name(d->name, (int)sizeof(d->name), d->device);
	ret = c->device_attribute(&maps, CUDA_DEVICE_MAPS_HOST, d->device);
	if (ret != CUDA_OK)
		return cuda_fail(c, "cuDeviceGetAttribute", ret, e);
	if (maps == 0)
		return err_set(e, ENOTSUP, "gpu %u (%s) cannot access host memory directly", d->id,
			d->name);
	return 0;
}

int
cuda_device_open(struct cuda_device *d, unsigned int id, struct err *e)
{
	int ret;

	*d = (struct cuda_device){ .id = id };
	ret = cuda_open(&d->cuda, e);
	if (ret != 0)
		return ret;
	ret = find(d, e);
	if (ret == 0) {
		ret = d->cuda.context_retain(&d->context, d->device);
		if (ret == CUDA_OK)
			return 0;
		ret = cuda_fail(&d->cuda, "cuDevicePrimaryCtxRetain", ret, e);
	}
	cuda_close(&d->cuda);
	return ret;
}

void
cuda_device_close(struct cuda_device *d)
{
	if (d->cuda.library == NULL)
		return;
	d->cuda.context_release(d->device);
	cuda_close(&d->cuda);
}

int
cuda_device_enter(const struct cuda_device *d, struct err *e)
{
	const int ret = d->cuda.context_push(d->context);

	return ret == CUDA_OK ? 0 : cuda_fail(&d->cuda, "cuCtxPushCurrent", ret, e);
}

void
cuda_device_leave(const struct cuda_device *d)
{
	cuda_handle before;

	d->cuda.context_pop(&before);
}
