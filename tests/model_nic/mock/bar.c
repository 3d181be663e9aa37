/* Registers of mock ports: plain memory, since no probe function watches them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/trap.h"

#include <errno.h>
#include <stdlib.h>

/* One for all: what it guards, links and power, is rarely touched. */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int
trap_open(struct model *m)
{
	m->bar = aligned_alloc(4096, m->family->bar_len);
	if (m->bar == NULL)
		return -ENOMEM;
	memset(m->bar, 0, m->family->bar_len);
	m->bar_driver = m->bar;
	return 0;
}

void
trap_close(struct model *m)
{
	free(m->bar);
	m->bar = m->bar_driver = NULL;
}

void
trap_lock(struct model *m)
{
	pthread_mutex_lock(&lock);
}

void
trap_unlock(struct model *m)
{
	pthread_mutex_unlock(&lock);
}

void
trap_counts(const struct model *m, uint64_t *accesses, uint64_t *stepped)
{
	*accesses = *stepped = 0;
}
