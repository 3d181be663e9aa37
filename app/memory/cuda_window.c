/* A CPU mapping of GPU memory (BAR1) through GDRCopy's library and kernel module, if the machine
 * has them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/cuda_window.h"

#include "base/base.h"
#include "base/err.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define LIBRARY "libgdrapi.so.2"

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
} symbols[] = {
	{ "gdr_open", offsetof(struct window_functions, open) },
	{ "gdr_close", offsetof(struct window_functions, close) },
	{ "gdr_pin_buffer", offsetof(struct window_functions, pin) },
	{ "gdr_unpin_buffer", offsetof(struct window_functions, unpin) },
	{ "gdr_map", offsetof(struct window_functions, map) },
	{ "gdr_unmap", offsetof(struct window_functions, unmap) },
};

/* RTLD_NODELETE keeps the library loaded after dlclose(), so that no handle must be stored. */
static int
functions_find(struct window_functions *f, struct err *e)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	int ret = 0;

	if (library == NULL)
		return err_set(e, ENOTSUP,
			"the CPU cannot write GPU memory on this machine: DPDK's gpudev does not support the device, and GDRCopy is not installed (%s)",
			dlerror());
	for (size_t i = 0; i < ARRAY_SIZE(symbols) && ret == 0; i++) {
		void *found = dlsym(library, symbols[i].name);

		if (found == NULL)
			ret = err_set(e, ENOTSUP, "%s has no %s: use GDRCopy 2", LIBRARY,
				symbols[i].name);
		memcpy((char *)f + symbols[i].at, &found, sizeof(found));
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
	int ret = functions_find(&f, e);

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

	if (w->gdr == NULL || functions_find(&f, NULL) != 0)
		return;
	f.unmap(w->gdr, (struct gdr_handle){ w->handle }, w->addr, w->bytes);
	f.unpin(w->gdr, (struct gdr_handle){ w->handle });
	f.close(w->gdr);
	*w = (struct cuda_window){ 0 };
}
