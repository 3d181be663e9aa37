/* Reads the sizes of packets of a description. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/traffic/traffic_sizes.h"

#include "cmdline/grammar/grammar.h"
#include "engines/measure/probe.h"
#include "engines/measure/traffic/traffic_range.h"

#include <stdio.h>
#include <string.h>

/* Shuffle, so that sizes do not grow from packet to packet. */
static void
sizes_shuffle(struct traffic *t)
{
	for (unsigned int i = t->n_sizes - 1; i > 0; i--) {
		const unsigned int other =
			(unsigned int)(traffic_mix((uint64_t)t->seed << 32 | i) % (i + 1));
		const uint16_t size = t->sizes[i];

		t->sizes[i] = t->sizes[other];
		t->sizes[other] = size;
	}
}

static void
sizes_sum(struct traffic *t)
{
	uint64_t sum = 0;

	t->size_min = UINT16_MAX;
	t->size_max = 0;
	for (unsigned int i = 0; i < t->n_sizes; i++) {
		t->size_min = RTE_MIN(t->size_min, t->sizes[i]);
		t->size_max = RTE_MAX(t->size_max, t->sizes[i]);
		sum += t->sizes[i];
	}
	t->size_mean = (double)sum / t->n_sizes;
}

/* Read N:WEIGHT,N:WEIGHT,... */
static bool
sizes_weighted(struct traffic *t, char *text)
{
	char *rest, *part;
	uint64_t weight, size;

	for (part = strtok_r(text, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
		char *colon = strchr(part, ':');

		if (colon == NULL)
			return false;
		*colon = '\0';
		if (!traffic_range_number(part, 1, TRAFFIC_SIZE_MAX, &size) ||
			!traffic_range_number(colon + 1, 1, TRAFFIC_SIZES_MAX - t->n_sizes,
				&weight))
			return false;
		while (weight-- > 0)
			t->sizes[t->n_sizes++] = (uint16_t)size;
	}
	return t->n_sizes > 0;
}

bool
traffic_sizes_read(struct traffic *t, const char *word)
{
	char text[LINE_BYTES];
	struct traffic_range r;
	unsigned int most;

	/* The simple IMIX: 64, 594 and 1518 bytes with CRC, 7:4:1. */
	t->grows = strcmp(word, "imix") == 0;
	snprintf(text, sizeof(text), "%s", t->grows ? "60:7,590:4,1514:1" : word);
	t->n_sizes = 0;
	t->in_order = strchr(text, '*') != NULL;
	if (strchr(text, ':') != NULL)
		return sizes_weighted(t, text);
	if (!traffic_range_read(t, text, TRAFFIC_NUMBERS, TRAFFIC_SIZE_MAX, &r) ||
		(t->in_order && r.count > TRAFFIC_SIZES_MAX))
		return false;
	t->in_order |= r.list > 0;
	/* A longer range is represented by as many sizes as there is room for. */
	t->n_sizes = (unsigned int)RTE_MIN(r.count, (uint64_t)TRAFFIC_SIZES_MAX);
	most = RTE_MAX(t->n_sizes, 2u) - 1;
	for (unsigned int i = 0; i < t->n_sizes; i++) {
		uint8_t size[16];

		traffic_range_value(t, &r, i * (r.count - 1) / most, size);
		t->sizes[i] = (uint16_t)(size[14] << 8 | size[15]);
	}
	return true;
}

void
traffic_sizes_finish(struct traffic *t)
{
	for (unsigned int i = 0; t->grows && i < t->n_sizes; i++)
		t->sizes[i] = (uint16_t)RTE_MAX(t->sizes[i], t->head_bytes + PROBE_BYTES);
	if (!t->in_order)
		sizes_shuffle(t);
	sizes_sum(t);
}
