/* Which transmit queues are to feed a receive queue: joined at once, left after a while, so that
 * traffic which comes back finds them. */
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

/* The candidate with the most packets that feeds, or that does not and can; n: there is none. */
static unsigned int
most(const struct recycle_traffic *t, const uint64_t *packets, uint32_t of)
{
	unsigned int found = t->n;

	for (unsigned int i = 0; i < t->n; i++)
		if ((of >> i & 1) != 0 && (found == t->n || packets[i] > packets[found]))
			found = i;
	return found;
}

/* Of those that feed the one with the fewest packets. */
static unsigned int
fewest(const struct recycle_traffic *t, const uint64_t *packets)
{
	unsigned int found = t->n;

	for (unsigned int i = 0; i < t->n; i++)
		if (feeds(t, i) && (found == t->n || packets[i] < packets[found]))
			found = i;
	return found;
}

/* Candidate i takes place at, or one further to the front for each that it has clearly outdone. */
static void
place(struct recycle_traffic *t, const uint64_t *packets, unsigned int at, uint8_t i)
{
	for (; at > 0 && packets[i] * 4 > packets[t->order[at - 1]] * 5; at--)
		t->order[at] = t->order[at - 1];
	t->order[at] = i;
}

/*
 * Those that feed, the most first, but as before where they are much the same: receive queues that
 * share transmit queues evenly would else all draw from the same one, and the others' mbufs go to
 * the pool.
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

/* Those that have been idle for long enough leave; all but one, as somebody has to be asked. */
static void
leave(struct recycle_traffic *t)
{
	for (unsigned int i = 0; i < t->n; i++)
		if (feeds(t, i) && t->idle[i] >= RECYCLE_TRAFFIC_IDLE &&
			(t->feeds & (t->feeds - 1)) != 0)
			t->feeds &= ~(UINT32_C(1) << i);
}

/* Those that have a share join, the most first. */
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

/* Whether one more change now would be one too many within a second. */
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
