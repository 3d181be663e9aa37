/* Refuses devices whose driver this build lacks, with a message that names the driver. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/left_out.h"

#include "base/err.h"

#include <rte_version.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

int
left_out_device(const char *const *drivers, const char *device, struct err *e)
{
	const char *slash = strrchr(device, '/');
	const char *name = slash != NULL && strchr(device, ',') == NULL ? slash + 1 : device;
	const char *digits = "0123456789";

	if (access(device, F_OK) == 0) /* an existing plugin brings the driver */
		return 0;
	for (; *drivers != NULL; drivers++) {
		const size_t n = strlen(*drivers);

		if (strncmp(name, *drivers, n) == 0 &&
			strchr(",.", name[n + strspn(name + n, digits)]) != NULL)
			return err_set(e, ENODEV,
				"%s: this build lacks the driver %s: fetch the source of DPDK %d.%02d with devtools/driver-source, then build again",
				device, *drivers, RTE_VER_YEAR, RTE_VER_MONTH);
	}
	return 0;
}

int
left_out_option(const char *const *drivers, const char *option, int argc, char **argv,
	struct err *e)
{
	const size_t n = strlen(option);

	for (int i = 1; i < argc; i++) {
		const char *value = argv[i] + n;

		if (strncmp(argv[i], option, n) != 0)
			continue;
		if (*value == '\0' && i + 1 < argc)
			value = argv[i + 1];
		if (left_out_device(drivers, *value == '=' ? value + 1 : value, e) != 0)
			return -e->code;
	}
	return 0;
}
