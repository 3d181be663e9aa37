/* Which transmit queues feed a receive queue: a queue joins at once but leaves only after a while,
 * so that it still feeds if its traffic comes back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/recycle_traffic.h"

#include <string.h>

static bool
feeds(const struct recycle_traffic *t, unsigned int i)
{
	return (t->feeds >> i & 1) != 0;
}

void
recycle_traffic_begin(struct recycle_traffic *t, unsigned int n, uint32_t can, unsigned int first,
	uint64_t hz)
{
	*t = (struct recycle_traffic){ .n = n,
		.can = can,
		.feeds = can & UINT32_C(1) << first,
		.hz = hz };
	t->order[0] = (uint8_t)first;
	t->n_order = t->feeds != 0;
}

/* The candidate among the bits of with the most packets; t->n: there is none. */
static unsigned int
most(const struct recycle_traffic *t, const uint64_t *packets, uint32_t of)
{
	unsigned int found = t->n;

	for (unsigned int i = 0; i < t->n; i++)
		if ((of >> i & 1) != 0 && (found == t->n || packets[i] > packets[found]))
			found = i;
	return found;
}

/* The feeding candidate with the fewest packets. */
static unsigned int
fewest(const struct recycle_traffic *t, const uint64_t *packets)
{
	unsigned int found = t->n;

	for (unsigned int i = 0; i < t->n; i++)
		if (feeds(t, i) && (found == t->n || packets[i] < packets[found]))
			found = i;
	return found;
}

/* Insert candidate i at place at, or ahead of each one that it exceeds by more than 25 %. */
static void
place(struct recycle_traffic *t, const uint64_t *packets, unsigned int at, uint8_t i)
{
	for (; at > 0 && packets[i] * 4 > packets[t->order[at - 1]] * 5; at--)
		t->order[at] = t->order[at - 1];
	t->order[at] = i;
}

/*
 * Sort the feeding candidates by packets, but keep the order of those with similar numbers:
 * otherwise receive queues that share transmit queues evenly would all take from the same one, and
 * the mbufs of the others would go to the pool.
 */
static void
order(struct recycle_traffic *t, const uint64_t *packets)
{
	const unsigned int before = t->n_order;
	uint32_t rest = t->feeds;

	t->n_order = 0;
	for (unsigned int i = 0; i < before; i++)
		if (feeds(t, t->order[i])) {
			rest &= ~(UINT32_C(1) << t->order[i]);
			place(t, packets, t->n_order++, t->order[i]);
		}
	for (unsigned int i = 0; i < t->n; i++)
		if ((rest >> i & 1) != 0)
			place(t, packets, t->n_order++, (uint8_t)i);
}

/* Remove candidates that have been idle for long enough, but keep at least one. */
static void
leave(struct recycle_traffic *t)
{
	for (unsigned int i = 0; i < t->n; i++)
		if (feeds(t, i) && t->idle[i] >= RECYCLE_TRAFFIC_IDLE &&
			(t->feeds & (t->feeds - 1)) != 0)
			t->feeds &= ~(UINT32_C(1) << i);
}

/* Add candidates that have a share of the packets, those with the most packets first. */
static void
join(struct recycle_traffic *t, const uint64_t *packets, uint64_t all)
{
	unsigned int n = (unsigned int)__builtin_popcount(t->feeds), i;
	uint32_t others = t->can & ~t->feeds;

	while ((i = most(t, packets, others)) < t->n && packets[i] * RECYCLE_TRAFFIC_JOIN >= all) {
		unsigned int last;

		if (n == RECYCLE_TRAFFIC_FED) {
			last = fewest(t, packets);
			if (packets[i] <= 2 * packets[last])
				return;
			t->feeds &= ~(UINT32_C(1) << last);
			n--;
		}
		t->feeds |= UINT32_C(1) << i;
		others &= ~(UINT32_C(1) << i);
		n++;
	}
}

/* True if a change now would exceed RECYCLE_TRAFFIC_CHANGES within a second. */
static bool
too_often(const struct recycle_traffic *t, uint64_t now)
{
	return t->n_changes >= RECYCLE_TRAFFIC_CHANGES &&
		now - t->changed[t->n_changes % RECYCLE_TRAFFIC_CHANGES] < t->hz;
}

bool
recycle_traffic_sample(struct recycle_traffic *t, const uint64_t *sent, uint64_t now)
{
	uint64_t packets[RECYCLE_TRAFFIC_QUEUES] = { 0 }, all = 0;
	const uint32_t before = t->feeds;

	if (now < t->next)
		return false;
	t->next = now + t->hz / RECYCLE_TRAFFIC_HZ;
	if (!t->begun) {
		memcpy(t->before, sent, t->n * sizeof(sent[0]));
		t->begun = true;
		return false;
	}
	for (unsigned int i = 0; i < t->n; i++)
		all += packets[i] = sent[i] - t->before[i];
	if (all < RECYCLE_TRAFFIC_LEAST)
		return false;
	memcpy(t->before, sent, t->n * sizeof(sent[0]));
	for (unsigned int i = 0; i < t->n; i++)
		if (packets[i] * RECYCLE_TRAFFIC_LEAVE >= all)
			t->idle[i] = 0;
		else if (t->idle[i] < RECYCLE_TRAFFIC_IDLE)
			t->idle[i]++;
	if (!too_often(t, now)) {
		join(t, packets, all);
		leave(t);
	}
	order(t, packets);
	if (t->feeds == before)
		return false;
	t->changed[t->n_changes++ % RECYCLE_TRAFFIC_CHANGES] = now;
	return true;
}
