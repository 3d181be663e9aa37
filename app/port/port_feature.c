/* Port features: call their functions; their states are one block per port, in list order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_feature.h"

#include "base/base.h"
#include "base/err.h"
#include "port/port.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>

static size_t
room(size_t bytes)
{
	return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

int
port_features_open(struct ports *ps, const struct port_feature *const *list, struct err *e)
{
	size_t bytes = 0, shared = 0;

	for (size_t i = 0; list[i] != NULL; i++) {
		bytes += room(list[i]->state_size);
		shared += room(list[i]->shared_size);
	}
	ps->feature_states = calloc(RTE_MAX_ETHPORTS, bytes);
	ps->feature_shared = calloc(1, shared);
	if (ps->feature_states == NULL || ps->feature_shared == NULL)
		return err_set(e, ENOMEM, "no memory for the features of ports");
	ps->features = list;
	ps->feature_bytes = bytes;
	for (size_t i = 0; list[i] != NULL; i++)
		if (list[i]->open != NULL)
			list[i]->open(ps);
	return 0;
}

void
port_features_close(struct ports *ps)
{
	free(ps->feature_states);
	free(ps->feature_shared);
	ps->feature_states = ps->feature_shared = NULL;
	ps->features = NULL;
}

void *
port_feature_state(const struct port *p, const struct port_feature *f)
{
	const struct ports *ps = p->all;
	size_t at = p->id * ps->feature_bytes;
	size_t i;

	for (i = 0; ps->features[i] != NULL && ps->features[i] != f; i++)
		at += room(ps->features[i]->state_size);
	assert(ps->features[i] == f);
	return ps->feature_states + at;
}

void *
port_feature_shared(const struct ports *ps, const struct port_feature *f)
{
	size_t at = 0;
	size_t i;

	for (i = 0; ps->features[i] != NULL && ps->features[i] != f; i++)
		at += room(ps->features[i]->shared_size);
	assert(ps->features[i] == f);
	return ps->feature_shared + at;
}

void
port_features_prompt(struct ports *ps)
{
	for (size_t i = 0; ps->features[i] != NULL; i++)
		if (ps->features[i]->prompt != NULL)
			ps->features[i]->prompt(ps);
}

void
port_features_end(struct ports *ps)
{
	for (size_t i = 0; ps->features != NULL && ps->features[i] != NULL; i++)
		if (ps->features[i]->end != NULL)
			ps->features[i]->end(ps);
}

int
port_features_configure(struct ports *ps, struct port *p, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; ps->features != NULL && ps->features[i] != NULL && ret == 0; i++)
		if (ps->features[i]->configure != NULL)
			ret = ps->features[i]->configure(ps, p, e);
	return ret;
}

void
port_features_at(struct ports *ps, struct port *p, enum port_moment moment)
{
	for (size_t i = 0; ps->features != NULL && ps->features[i] != NULL; i++)
		if (ps->features[i]->at[moment] != NULL)
			ps->features[i]->at[moment](ps, p);
}

void
port_features_dma_queues(const struct ports *ps, struct text *t, int16_t dma)
{
	for (size_t i = 0; ps->features != NULL && ps->features[i] != NULL; i++)
		if (ps->features[i]->dma_queues != NULL)
			ps->features[i]->dma_queues(t, dma);
}

int
port_features_run(struct ports *ps, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);
	int ret = 0;

	for (size_t i = 0; ps->features != NULL && ps->features[i] != NULL; i++)
		for (unsigned int k = 0; k < n && ret == 0 && ps->features[i]->run != NULL; k++)
			ret = ps->features[i]->run(ps, port_at(ps, ids[k]), e);
	return ret;
}
