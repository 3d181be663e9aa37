/* Preloaded into the program: DPDK says that it is the release that RELEASE names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

const char *rte_version(void);

const char *
rte_version(void)
{
	return getenv("RELEASE");
}
