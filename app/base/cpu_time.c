/* Read a thread's CPU clock, and the files schedstat and status of its folder in /proc. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cpu_time.h"

#include "base/stat.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TID_MAX = (1 << 28) - 1 /* of a clock number; the kernel has at most 2^22 */ };
enum { STATUS_BYTES = 4096 /* about 1,500 are used; lists of CPUs and nodes may be long */ };

/* Read the begin of a file in a thread's folder, with one system call. Returns false if it fails. */
static bool
file_read(const char *tasks, pid_t tid, const char *name, char *text, size_t bytes)
{
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%d/%s", tasks, (int)tid, name) >= (int)sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	n = read(fd, text, bytes - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Read a number that ends with a blank or a newline, and move *at behind it. */
static bool
number(char **at, uint64_t *n)
{
	char *end;

	*at += strspn(*at, " \t");
	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*n = strtoull(*at, &end, 10);
	if (errno != 0 || (*end != ' ' && *end != '\n'))
		return false;
	*at = end;
	return true;
}

/* "run wait slices": nanoseconds, nanoseconds, a number. Zeros: a kernel without CONFIG_SCHED_INFO. */
static void
schedstat(char *text, struct cpu_time *t)
{
	uint64_t run, wait, slices;

	if (!number(&text, &run) || !number(&text, &wait) || !number(&text, &slices) || slices == 0)
		return;
	t->wait_ns = wait;
	t->slices = slices;
}

static void
status(char *text, struct cpu_time *t)
{
	static const char key[] = "\nnonvoluntary_ctxt_switches:";
	char *at = strstr(text, key);
	uint64_t n;

	if (at == NULL)
		return;
	at += strlen(key);
	if (number(&at, &n))
		t->preempted = n;
}

/*
 * The clock of another thread of this process, in the kernel's format of clock numbers. libc has
 * pthread_getcpuclockid(), but only for a pthread_t.
 */
static clockid_t
cpu_clock(pid_t tid)
{
	enum { SCHED = 2, PER_THREAD = 4 };

	return (clockid_t)(~(unsigned int)tid << 3 | PER_THREAD | SCHED);
}

bool
cpu_time_read(const char *tasks, pid_t tid, struct cpu_time *t)
{
	char text[STATUS_BYTES];
	struct timespec ran;

	*t = (struct cpu_time){ .known = false };
	/*
	 * The clock is exact. The first number of schedstat is older by up to a timer tick, which
	 * is a second on a CPU without ticks, unless the clock was read before.
	 */
	if (tid <= 0 || tid > TID_MAX || clock_gettime(cpu_clock(tid), &ran) != 0)
		return false;
	t->run_ns = (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
	t->wait_ns = t->slices = t->preempted = STAT_NONE;
	if (file_read(tasks, tid, "schedstat", text, sizeof(text)))
		schedstat(text, t);
	if (file_read(tasks, tid, "status", text, sizeof(text)))
		status(text, t);
	t->known = true;
	return true;
}

static void
subtract(uint64_t *n, uint64_t base)
{
	*n = *n == STAT_NONE || base == STAT_NONE ? STAT_NONE : *n - base;
}

void
cpu_time_subtract(struct cpu_time *t, const struct cpu_time *base)
{
	if (!t->known || !base->known) {
		*t = (struct cpu_time){ .known = false };
		return;
	}
	t->run_ns -= base->run_ns;
	subtract(&t->wait_ns, base->wait_ns);
	subtract(&t->slices, base->slices);
	subtract(&t->preempted, base->preempted);
}
