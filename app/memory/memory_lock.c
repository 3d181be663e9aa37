/* Lock memory, and report the limit on locked memory if that fails. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/memory_lock.h"

#include "base/err.h"

#include <rte_eal.h>
#include <rte_memory.h>

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Return whether RLIMIT_MEMLOCK applies to this process, and get the limit. */
static bool
is_limited(struct rlimit *limit)
{
	struct __user_cap_header_struct version = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (getrlimit(RLIMIT_MEMLOCK, limit) != 0 || limit->rlim_cur == RLIM_INFINITY)
		return false;
	return syscall(SYS_capget, &version, has) != 0 ||
		(has[0].effective & (1u << CAP_IPC_LOCK)) == 0;
}

const char *
memory_lock_limit(char text[MEMORY_LOCK_CHARS])
{
	struct rlimit limit;

	text[0] = '\0';
	if (is_limited(&limit))
		snprintf(text, MEMORY_LOCK_CHARS,
			"only %.1f MiB may be locked (RLIMIT_MEMLOCK); raise it with ulimit -l, or "
			"with --ulimit memlock=-1 for a container",
			(double)limit.rlim_cur / (1024 * 1024));
	return text;
}

int
memory_lock_all(struct err *e)
{
	char why[MEMORY_LOCK_CHARS];
	const bool limited = memory_lock_limit(why)[0] != '\0';
	int code;

	/* With MCL_FUTURE, a mapping beyond the limit would fail instead of being left unlocked. */
	if (mlockall(limited ? MCL_CURRENT : MCL_CURRENT | MCL_FUTURE) == 0)
		return 0;
	code = errno;
	return err_set(e, code, "%s", limited ? why : strerror(code));
}

int
memory_lock_pages(void *addr, size_t bytes, struct err *e)
{
	char why[MEMORY_LOCK_CHARS];
	int code;

	if (mlock(addr, bytes) == 0 || rte_eal_iova_mode() == RTE_IOVA_VA ||
		rte_eal_using_phys_addrs() == 0)
		return 0;
	code = errno;
	return err_set(e, EPERM, "cannot lock %.1f MiB that devices access by physical address: %s",
		(double)bytes / (1024 * 1024),
		memory_lock_limit(why)[0] != '\0' ? why : strerror(code));
}
