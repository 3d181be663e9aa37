/* Tells the thread sanitizer what EAL's launch and wait and telemetry's registration order, which it
 * cannot see in DPDK: preloaded into a program built with -fsanitize=thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_telemetry.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Of the sanitizer's runtime. */
void __tsan_acquire(void *at);
void __tsan_release(void *at);

static struct {
	lcore_function_t *function;
	void *arg;
} work[RTE_MAX_LCORE];

static int
run(void *arg)
{
	const unsigned int lcore = rte_lcore_id();
	int ret;

	(void)arg;
	__tsan_acquire(&work[lcore]);
	ret = work[lcore].function(work[lcore].arg);
	__tsan_release(&work[lcore]);
	return ret;
}

int
rte_eal_remote_launch(lcore_function_t *f, void *arg, unsigned int lcore)
{
	int (*own)(lcore_function_t *, void *, unsigned int);

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eal_remote_launch");
	if (rte_eal_get_lcore_state(lcore) == WAIT) {
		work[lcore].function = f;
		work[lcore].arg = arg;
	}
	__tsan_release(&work[lcore]);
	return own(run, NULL, lcore);
}

int
rte_eal_wait_lcore(unsigned int lcore)
{
	int (*own)(unsigned int), ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eal_wait_lcore");
	ret = own(lcore);
	__tsan_acquire(&work[lcore]);
	return ret;
}

void
rte_eal_mp_wait_lcore(void)
{
	unsigned int lcore;

	RTE_LCORE_FOREACH_WORKER(lcore)
		rte_eal_wait_lcore(lcore);
}

/* A program has one function for all its endpoints. */
static telemetry_cb answer;

static int
on_command(const char *command, const char *params, struct rte_tel_data *data)
{
	__tsan_acquire(&answer);
	return answer(command, params, data);
}

int
rte_telemetry_register_cmd(const char *command, telemetry_cb function, const char *help)
{
	int (*own)(const char *, telemetry_cb, const char *);
	const bool program = strncmp(command, "/zcfwd/", 7) == 0;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_telemetry_register_cmd");
	if (program) {
		answer = function;
		__tsan_release(&answer);
	}
	return own(command, program ? on_command : function, help);
}
