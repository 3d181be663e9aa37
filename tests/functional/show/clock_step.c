/* Before libc: a wall clock that goes back an hour with every look at it. Other clocks are as they
 * are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HOUR 3600

int
clock_gettime(clockid_t id, struct timespec *t)
{
	static _Atomic long looks;
	int ret = (int)syscall(SYS_clock_gettime, id, t);

	if (ret == 0 && id == CLOCK_REALTIME)
		t->tv_sec -= HOUR * ++looks;
	return ret;
}
