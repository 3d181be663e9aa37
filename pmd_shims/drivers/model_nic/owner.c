/* The ownership map: one table of buffer addresses for all ports, since recycled buffers move from
 * one port to another. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/owner.h"

#include "pmd_shims/drivers/model_nic/report.h"

enum { SLOTS = 1 << 17, MASK = SLOTS - 1 };

/*
 * A hash table with open addressing. A buffer is in it only while a descriptor has it, since
 * external buffers would fill the table with new addresses.
 */
static struct slot {
	const uint8_t *buffer; /* NULL: free */
	uint16_t armed, sending;
	uint16_t armed_on, sending_on; /* ring_number() of the last ring */
} slots[SLOTS];

static uint32_t
home(const uint8_t *buffer)
{
	uint64_t hash = ((uint64_t)(uintptr_t)buffer >> 6) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(hash >> 40) & MASK;
}

/* The slot of a buffer, or a free one for it; NULL if the table is full. */
static struct slot *
slot_of(const uint8_t *buffer)
{
	for (uint32_t i = home(buffer), tries = 0; tries < SLOTS; i++, tries++) {
		struct slot *s = &slots[i & MASK];

		if (s->buffer == NULL || s->buffer == buffer)
			return s;
	}
	return NULL;
}

/*
 * Free a slot if no descriptor has the buffer. Entries after it that were displaced by collisions
 * move up, so that a search can end at a free slot.
 */
static void
slot_leave(struct slot *s)
{
	const uint32_t first = (uint32_t)(s - slots);
	uint32_t hole = first;

	if (s->armed != 0 || s->sending != 0)
		return;
	for (uint32_t i = (first + 1) & MASK; i != first && slots[i].buffer != NULL;
		i = (i + 1) & MASK) {
		if (((i - home(slots[i].buffer)) & MASK) >= ((i - hole) & MASK)) {
			slots[hole] = slots[i];
			hole = i;
		}
	}
	slots[hole] = (struct slot){ .buffer = NULL };
}

static void
complain(struct model *m, const struct ring *r, const uint8_t *buffer, const char *what,
	uint64_t times)
{
	enum { LINES = 4 };

	if (times <= LINES)
		model_log(m, 1, "buffer %p, queue %u, descriptor %u: %s", (const void *)buffer,
			r->index, r->seen, what);
}

static uint16_t
ring_number(const struct model *m, const struct ring *r)
{
	return (uint16_t)(m->port * MODEL_QUEUES_MAX + r->index);
}

static void
tx_posted(struct model *m, struct ring *r, uint32_t tail, struct model_nic_report *report)
{
	for (; r->seen != tail; r->seen = r->seen + 1 == r->size ? 0 : r->seen + 1) {
		const uint8_t *buffer = m->family->buffer(r, r->seen, false);
		struct slot *s = buffer != NULL ? slot_of(buffer) : NULL;

		if (s == NULL)
			continue;
		s->buffer = buffer;
		s->sending++;
		s->sending_on = ring_number(m, r);
		if (s->armed != 0)
			complain(m, r, buffer, "sent while armed", ++report->sent_while_armed);
	}
}

static void
rx_posted(struct model *m, struct ring *r, uint32_t tail, struct model_nic_report *report)
{
	for (; r->seen != tail; r->seen = r->seen + 1 == r->size ? 0 : r->seen + 1) {
		const uint8_t *buffer = m->family->buffer(r, r->seen, true);
		struct slot *s = buffer != NULL ? slot_of(buffer) : NULL;

		if (s == NULL)
			continue;
		if (s->armed != 0)
			complain(m, r, buffer, "armed twice", ++report->armed_twice);
		if (s->sending != 0)
			complain(m, r, buffer, "armed while it waits to be sent",
				++report->armed_in_tx);
		s->buffer = buffer;
		s->armed++;
		s->armed_on = ring_number(m, r);
	}
}

void
owner_scan(struct model *m, struct model_nic_report *report)
{
	uint32_t tails[MODEL_QUEUES_MAX];

	/*
	 * Read Rx tails first, then scan Tx rings, then Rx rings up to these tails. So a buffer
	 * that was posted for sending before it was armed is found in the Tx ring first. A buffer
	 * that was armed after its packet had been sent was completed in an earlier poll.
	 */
	for (unsigned i = 0; i < m->rings; i++)
		tails[i] = atomic_load_explicit(&m->rx[i].enabled, memory_order_relaxed)
			? *m->rx[i].tail
			: UINT32_MAX;
	atomic_thread_fence(memory_order_acquire);
	for (unsigned i = 0; i < m->rings; i++)
		if (atomic_load_explicit(&m->tx[i].enabled, memory_order_relaxed) &&
			*m->tx[i].tail < m->tx[i].size)
			tx_posted(m, &m->tx[i], *m->tx[i].tail, report);
	for (unsigned i = 0; i < m->rings; i++)
		if (tails[i] < m->rx[i].size)
			rx_posted(m, &m->rx[i], tails[i], report);
}

void
owner_received(const uint8_t *buffer)
{
	struct slot *s = slot_of(buffer);

	if (s != NULL && s->armed > 0) {
		s->armed--;
		slot_leave(s);
	}
}

void
owner_sent(const uint8_t *buffer)
{
	struct slot *s = slot_of(buffer);

	if (s != NULL && s->sending > 0) {
		s->sending--;
		slot_leave(s);
	}
}

/* Scans the table, since the ring's descriptors may already be set up again. */
void
owner_ring_off(struct model *m, const struct ring *r, bool rx)
{
	uint16_t number = ring_number(m, r);
	struct slot *s;

	for (s = slots; s < slots + SLOTS; s++) {
		if (rx && s->armed_on == number)
			s->armed = 0;
		else if (!rx && s->sending_on == number)
			s->sending = 0;
	}
	/*
	 * Free slots only after all counts are cleared: freeing one lets others move up, and such
	 * an entry may have to be freed too.
	 */
	for (s = slots; s < slots + SLOTS; s++)
		while (s->buffer != NULL && s->armed == 0 && s->sending == 0)
			slot_leave(s);
}
