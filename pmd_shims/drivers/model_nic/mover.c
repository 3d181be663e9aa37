/* The thread that moves frames between rings and wires, and its naps while idle. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/mover.h"

#include "pmd_shims/drivers/model_nic/config.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

enum {
	SPIN_ALONE = 2000,  /* idle polls before a nap on a CPU of its own */
	SPIN_SHARED = 32,   /* idle polls before a nap on a CPU that others need to make progress */
	SHARED_NAPS = 1000, /* naps for which a CPU counts as shared after a preemption */
	NAP_NS = 50 * 1000,
	SLACK_NS = 1000,
};

static struct {
	pthread_t thread;
	bool running; /* protected by lock */
	atomic_bool stop;
	sem_t wake;
	unsigned (*poll)(void);
	bool (*awake)(void);
} mover;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* True if this thread was preempted since the last call. */
static bool
preempted(long *seen)
{
	struct rusage usage = { 0 };
	long before = *seen;

	getrusage(RUSAGE_THREAD, &usage);
	*seen = usage.ru_nivcsw;
	return *seen != before;
}

void
mover_signals_block(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGTRAP);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGFPE);
	pthread_sigmask(SIG_SETMASK, &all, old);
}

/* Let others run. Returns the number of idle polls until the next nap. */
static unsigned
nap(unsigned *shared, long *switches)
{
	const struct timespec time = { .tv_nsec = NAP_NS };

	if (preempted(switches))
		*shared = SHARED_NAPS;
	else if (*shared > 0)
		--*shared;
	nanosleep(&time, NULL);
	return *shared > 0 ? SPIN_SHARED : SPIN_ALONE;
}

static inline void
spin_pause(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void *
mover_run(void *unused)
{
	unsigned idle = 0, limit = SPIN_ALONE, shared = 0;
	long switches = 0;

	prctl(PR_SET_TIMERSLACK, SLACK_NS, 0, 0, 0);
	preempted(&switches);
	while (!atomic_load_explicit(&mover.stop, memory_order_relaxed)) {
		if (mover.poll() != 0) {
			idle = 0;
		} else if (!mover.awake()) {
			sem_wait(&mover.wake);
		} else if (++idle >= limit) {
			limit = nap(&shared, &switches);
			idle = 0;
		} else {
			spin_pause();
		}
	}
	return NULL;
}

bool
mover_cpu_usable(int cpu)
{
	cpu_set_t own, wanted;
	bool usable;

	CPU_ZERO(&wanted);
	CPU_SET((unsigned)cpu, &wanted);
	if (sched_getaffinity(0, sizeof(own), &own) != 0)
		return false;
	usable = sched_setaffinity(0, sizeof(wanted), &wanted) == 0;
	sched_setaffinity(0, sizeof(own), &own);
	return usable;
}

/* Start the thread on the CPU of MODEL_NIC_CPU, or on those of its creator. */
static int
thread_create(void)
{
	pthread_attr_t attr;
	cpu_set_t cpus;
	sigset_t old;
	int ret;

	CPU_ZERO(&cpus);
	ret = pthread_attr_init(&attr);
	if (ret != 0)
		return -ret;
	if (config_current.cpu >= 0) {
		CPU_SET((unsigned)config_current.cpu, &cpus);
		pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	}
	mover_signals_block(&old);
	ret = pthread_create(&mover.thread, &attr, mover_run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (ret == 0)
		pthread_setname_np(mover.thread, "model_nic");
	return -ret;
}

int
mover_start(unsigned (*poll)(void), bool (*awake)(void))
{
	int ret = 0;

	if (config_current.step)
		return 0;
	pthread_mutex_lock(&lock);
	if (!mover.running) {
		sem_init(&mover.wake, 0, 0);
		atomic_store(&mover.stop, false);
		mover.poll = poll;
		mover.awake = awake;
		ret = thread_create();
		mover.running = ret == 0;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

void
mover_stop(void)
{
	pthread_mutex_lock(&lock);
	if (mover.running) {
		atomic_store(&mover.stop, true);
		sem_post(&mover.wake);
		pthread_join(mover.thread, NULL);
		sem_destroy(&mover.wake);
		mover.running = false;
	}
	pthread_mutex_unlock(&lock);
}

void
mover_wake(void)
{
	if (!config_current.step)
		sem_post(&mover.wake);
}
