/* NVIDIA's CUDA driver, loaded at run time: its functions by name, a GPU opened by number, CPU mappings of GPU memory. Nothing of CUDA is needed to build. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/cuda.h"

#include "base/base.h"
#include "base/err.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define LIBRARY "libcuda.so.1"
#define DRIVER_LEAST 11000 /* CUDA 11.0, which introduced cuDevicePrimaryCtxRelease_v2() */
#define NO_DEVICE 100

#define SYMBOL(member, name, arguments) { #name, offsetof(struct cuda, member) },

static const struct {
	const char *name;
	size_t at;
} symbols[] = { CUDA_FUNCTIONS(SYMBOL) };

static void cuda_close(struct cuda *c);

static int
functions_find(struct cuda *c, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
		void *found = dlsym(c->library, symbols[i].name);

		if (found == NULL)
			return err_set(e, ENOTSUP, "%s has no %s: use a newer CUDA driver", LIBRARY,
				symbols[i].name);
		memcpy((char *)c + symbols[i].at, &found, sizeof(found));
	}
	return 0;
}

static int
begin(struct cuda *c, struct err *e)
{
	int ret = c->version(&c->driver);

	if (ret != CUDA_OK)
		return cuda_fail(c, "cuDriverGetVersion", ret, e);
	if (c->driver < DRIVER_LEAST)
		return err_set(e, ENOTSUP,
			"the CUDA driver supports CUDA %d.%d: expected %d.%d or newer",
			c->driver / 1000, c->driver % 1000 / 10, DRIVER_LEAST / 1000,
			DRIVER_LEAST % 1000 / 10);
	ret = c->init(0);
	return ret == CUDA_OK ? 0 : cuda_fail(c, "cuInit", ret, e);
}

/*
 * Open the library, find its functions and initialise it. ENOTSUP: no library, or too old (e names
 * the missing function); ENODEV: no device; EIO: other CUDA errors. Thread: control, also of
 * cuda_close().
 */
static int
cuda_open(struct cuda *c, struct err *e)
{
	int ret;

	c->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (c->library == NULL)
		return err_set(e, ENOTSUP, "no GPU: no CUDA driver found (%s)", dlerror());
	ret = functions_find(c, e);
	if (ret == 0)
		ret = begin(c, e);
	if (ret != 0)
		cuda_close(c);
	return ret;
}

/* Close the library; *c may be all zero. */
static void
cuda_close(struct cuda *c)
{
	if (c->library != NULL)
		dlclose(c->library);
	c->library = NULL;
}

int
cuda_fail(const struct cuda *c, const char *function, int result, struct err *e)
{
	const char *name = NULL, *text = NULL;
	const int code = result == CUDA_OUT_OF_MEMORY ? ENOMEM : result == NO_DEVICE ? ENODEV : EIO;

	if (c->error_name(result, &name) != CUDA_OK || name == NULL)
		name = "unknown";
	if (c->error_text(result, &text) != CUDA_OK || text == NULL)
		text = "unknown error";
	return err_set(e, code, "%s: CUDA error %d, %s: %s", function, result, name, text);
}

/* A GPU opened by number through the CUDA driver, with its primary context, which the whole process
 * shares. */

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

/* A CPU mapping of GPU memory (BAR1) through GDRCopy's library and kernel module, if the machine
 * has them. */

#define WINDOW_LIBRARY "libgdrapi.so.2"

struct gdr_handle {
	unsigned long h;
};

/* Functions of GDRCopy's library, version 2, found at run time. */
struct window_functions {
	struct gdr *(*open)(void);
	int (*close)(struct gdr *g);
	int (*pin)(struct gdr *g, unsigned long at, size_t bytes, uint64_t token, uint32_t space,
		struct gdr_handle *handle);
	int (*unpin)(struct gdr *g, struct gdr_handle handle);
	int (*map)(struct gdr *g, struct gdr_handle handle, void **addr, size_t bytes);
	int (*unmap)(struct gdr *g, struct gdr_handle handle, void *addr, size_t bytes);
};

static const struct {
	const char *name;
	size_t at;
} window_symbols[] = {
	{ "gdr_open", offsetof(struct window_functions, open) },
	{ "gdr_close", offsetof(struct window_functions, close) },
	{ "gdr_pin_buffer", offsetof(struct window_functions, pin) },
	{ "gdr_unpin_buffer", offsetof(struct window_functions, unpin) },
	{ "gdr_map", offsetof(struct window_functions, map) },
	{ "gdr_unmap", offsetof(struct window_functions, unmap) },
};

/* RTLD_NODELETE keeps the library loaded after dlclose(), so that no handle must be stored. */
static int
window_functions_find(struct window_functions *f, struct err *e)
{
	void *library = dlopen(WINDOW_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	int ret = 0;

	if (library == NULL)
		return err_set(e, ENOTSUP,
			"the CPU cannot write GPU memory on this machine: DPDK's gpudev does not support the device, and GDRCopy is not installed (%s)",
			dlerror());
	for (size_t i = 0; i < ARRAY_SIZE(window_symbols) && ret == 0; i++) {
		void *found = dlsym(library, window_symbols[i].name);

		if (found == NULL)
			ret = err_set(e, ENOTSUP, "%s has no %s: use GDRCopy 2", WINDOW_LIBRARY,
				window_symbols[i].name);
		memcpy((char *)f + window_symbols[i].at, &found, sizeof(found));
	}
	dlclose(library);
	return ret;
}

int
cuda_window_open(struct cuda_window *w, const struct cuda *c, cuda_address at, size_t bytes,
	struct err *e)
{
	const unsigned int yes = 1;
	struct window_functions f;
	struct gdr_handle handle;
	int ret = window_functions_find(&f, e);

	if (ret != 0)
		return ret;
	/* The driver's copies must not overtake writes of the CPU. */
	ret = c->pointer_set(&yes, CUDA_POINTER_SYNC_MEMOPS, at);
	if (ret != CUDA_OK)
		return cuda_fail(c, "cuPointerSetAttribute", ret, e);
	*w = (struct cuda_window){ .gdr = f.open(), .bytes = bytes };
	if (w->gdr == NULL)
		return err_set(e, ENOTSUP,
			"the CPU cannot write GPU memory on this machine: gdr_open: load the kernel module gdrdrv");
	ret = f.pin(w->gdr, at, bytes, 0, 0, &handle);
	if (ret == 0) {
		ret = f.map(w->gdr, handle, &w->addr, bytes);
		if (ret == 0) {
			w->handle = handle.h;
			return 0;
		}
		f.unpin(w->gdr, handle);
		ret = err_set(e, EIO, "gdr_map: %zu bytes: %s", bytes, strerror(ret));
	} else {
		ret = err_set(e, EIO, "gdr_pin_buffer: %zu bytes: %s", bytes, strerror(ret));
	}
	f.close(w->gdr);
	*w = (struct cuda_window){ 0 };
	return ret;
}

void
cuda_window_close(struct cuda_window *w)
{
	struct window_functions f;

	if (w->gdr == NULL || window_functions_find(&f, NULL) != 0)
		return;
	f.unmap(w->gdr, (struct gdr_handle){ w->handle }, w->addr, w->bytes);
	f.unpin(w->gdr, (struct gdr_handle){ w->handle });
	f.close(w->gdr);
	*w = (struct cuda_window){ 0 };
}
