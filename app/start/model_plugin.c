/* --model: software NICs on the PCI bus, provided by the plugin model_nic.so. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plugin is loaded here and not by EAL's -d: EAL refuses plugins below a directory that others
 * can write to, such as /tmp, and does not know the plugin's location. The plugin is found relative
 * to the program, and is as trustworthy as the program. Without --model it is not loaded.
 */
#include "start/model_plugin.h"

#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/drivers/model_nic/model_nic_devices.h"
#include "start/lists.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PLUGIN "model_nic.so"

/* Drivers' register accesses are emulated by decoding x86-64 instructions. */
static int
processor_check(struct err *e)
{
#ifdef RTE_ARCH_X86_64
	return 0;
#else
	struct utsname machine;

	return err_set(e, ENOTSUP, "--model: modelled NICs need an x86-64 processor, this is %s",
		uname(&machine) == 0 ? machine.machine : "another one");
#endif
}

/* Find the plugin in the build directory, else in the installation directory. */
static int
find(char *path, size_t size, struct err *e)
{
	const char *const folders[] = { "pmd_shims/drivers/model_nic", program_plugins };
	char own[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	unsigned int i;

	if (n < 0)
		return err_set(e, errno, "--model: /proc/self/exe: %s", strerror(errno));
	own[n] = '\0';
	*strrchr(own, '/') = '\0';
	for (i = 0; i < ARRAY_SIZE(folders); i++)
		if ((size_t)snprintf(path, size, "%s/%s/" PLUGIN, own, folders[i]) < size &&
			access(path, R_OK) == 0)
			return 0;
	return err_set(e, ENOENT, "--model: " PLUGIN " not found in %s/%s or %s/%s", own,
		folders[0], own, folders[1]);
}

/* Return the devices as "A;B;C", to be freed; NULL without memory. */
static char *
join(const char *const *devices, unsigned int n)
{
	size_t bytes = 1, used = 0;
	unsigned int i;
	char *all;

	for (i = 0; i < n; i++)
		bytes += strlen(devices[i]) + 1;
	all = malloc(bytes);
	for (i = 0; i < n && all != NULL; i++)
		used += (size_t)snprintf(all + used, bytes - used, "%s%s", i > 0 ? ";" : "",
			devices[i]);
	return all;
}

int
model_plugin_open(const char *const *devices, unsigned int n, struct err *e)
{
	char path[PATH_MAX], why[512], *all;
	model_nic_devices_make *make;
	void *plugin, *found;
	int ret;

	if (n == 0)
		return 0;
	ret = processor_check(e);
	if (ret == 0)
		ret = find(path, sizeof(path), e);
	if (ret != 0)
		return ret;
	plugin = dlopen(path, RTLD_NOW);
	found = plugin != NULL ? dlsym(plugin, "model_nic_devices") : NULL;
	if (found == NULL)
		return err_set(e, ENOEXEC, "--model: %s", dlerror());
	/* ISO C does not allow a cast from dlsym()'s object pointer to a function pointer. */
	memcpy(&make, &found, sizeof(make));
	all = join(devices, n);
	if (all == NULL)
		return err_set(e, ENOMEM, "--model: no memory");
	ret = make(all, why, sizeof(why));
	free(all);
	return ret != 0 ? err_set(e, EINVAL, "--model: %s", why) : 0;
}
