/* Locked memory: what is locked under a limit and without one, and what is said of the limit. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/memory_lock.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <rte_eal.h>
#include <rte_memory.h>

#include <dlfcn.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ONLY "only 1.5 MiB may be locked (RLIMIT_MEMLOCK); raise it "

static struct {
	rlim_t limit;
	bool capable;           /* CAP_IPC_LOCK */
	bool physical, unknown; /* addresses of devices */
	int error;              /* errno value of locking; 0: it succeeds */
	int flags;              /* of the last mlockall() */
} kernel;

/* Stand in front of functions of those names. */
int
getrlimit(__rlimit_resource_t what, struct rlimit *limit)
{
	limit->rlim_cur = limit->rlim_max = what == RLIMIT_MEMLOCK ? kernel.limit : RLIM_INFINITY;
	return 0;
}

int
mlockall(int flags)
{
	kernel.flags = flags;
	errno = kernel.error;
	return kernel.error == 0 ? 0 : -1;
}

int
mlock(const void *addr, size_t bytes)
{
	errno = kernel.error;
	return kernel.error == 0 ? 0 : -1;
}

enum rte_iova_mode
rte_eal_iova_mode(void)
{
	return kernel.physical ? RTE_IOVA_PA : RTE_IOVA_VA;
}

int
rte_eal_using_phys_addrs(void)
{
	return !kernel.unknown;
}

/* capget(2), which has no function in the C library; libraries make other calls when they are loaded. */
long
syscall(long number, ...)
{
	struct __user_cap_data_struct *has;
	long (*own)(long, ...), word[6];
	va_list args;

	va_start(args, number);
	for (size_t i = 0; i < ARRAY_SIZE(word); i++)
		word[i] = va_arg(args, long);
	va_end(args);
	if (number != SYS_capget) {
		*(void **)(&own) = dlsym(RTLD_NEXT, "syscall");
		return own(number, word[0], word[1], word[2], word[3], word[4], word[5]);
	}
	has = (void *)word[1];
	has->effective = kernel.capable ? 1u << CAP_IPC_LOCK : ~(1u << CAP_IPC_LOCK);
	return 0;
}

TEST(limited)
{
	char text[MEMORY_LOCK_CHARS], page[8];
	struct err e;

	err_clear(&e);
	kernel.limit = 3 << 19;
	assert_non_null(strstr(memory_lock_limit(text), ONLY));
	/* What is mapped later would fail if it were to be locked too. */
	assert_int_equal(memory_lock_all(&e), 0);
	assert_int_equal(kernel.flags, MCL_CURRENT);
	kernel.error = ENOMEM;
	assert_int_equal(memory_lock_all(&e), -ENOMEM);
	assert_string_equal(e.text, text);
	err_clear(&e);
	assert_int_equal(memory_lock_pages(page, sizeof(page), &e), 0);
	assert_int_equal(e.code, 0);
	kernel.physical = true;
	assert_int_equal(memory_lock_pages(page, sizeof(page), &e), -EPERM);
	assert_non_null(strstr(e.text,
		"cannot lock 0.0 MiB that devices access by physical address: " ONLY));
	kernel.unknown = true;
	assert_int_equal(memory_lock_pages(page, sizeof(page), &e), 0);
	kernel.unknown = false;
	kernel.error = 0;
	assert_int_equal(memory_lock_pages(page, sizeof(page), &e), 0);
}

/* No limit, or a capability that lifts it. */
TEST(free_to_lock)
{
	char text[MEMORY_LOCK_CHARS], page[8];
	struct err e;

	for (unsigned int capable = 0; capable < 2; capable++) {
		memset(&kernel, 0, sizeof(kernel));
		kernel.capable = capable == 1;
		kernel.limit = capable == 1 ? 3 << 19 : RLIM_INFINITY;
		assert_string_equal(memory_lock_limit(text), "");
		assert_int_equal(memory_lock_all(&e), 0);
		assert_int_equal(kernel.flags, MCL_CURRENT | MCL_FUTURE);
		kernel.error = EAGAIN;
		assert_int_equal(memory_lock_all(&e), -EAGAIN);
		assert_string_equal(e.text, strerror(EAGAIN));
		kernel.physical = true;
		assert_int_equal(memory_lock_pages(page, sizeof(page), &e), -EPERM);
		assert_non_null(strstr(e.text, strerror(EAGAIN)));
	}
}
