/* NVIDIA's CUDA driver, loaded at run time: its functions by name, and its error texts.
 * Nothing of CUDA is needed to build. */
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

int
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

void
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
