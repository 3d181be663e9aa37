/* Interrupts of the XL710, vector 0, and events of its admin queue. Source: Intel XL710 datasheet
 * 7.5, 7.10. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/xl710/xl710_aq_priv.h"

enum { COMMANDS_MAX = 0x3ff }; /* maximum size of a ring */

/*
 * Raise vector 0 if it is armed. Needs no lock against xl710_rx_interrupt(): accesses are
 * sequentially consistent, so one of both sides sees what the other one wrote.
 */
static void
raise_vector(struct model *m)
{
	struct xl710 *s = xl710_state(m);

	atomic_store(&s->pending, true);
	if (atomic_exchange(&s->armed, false)) {
		atomic_store(&s->pending, false);
		model_interrupt(m);
	}
}

void
xl710_cause(struct model *m, uint32_t cause)
{
	model_reg_set(m, XL710_INT_CAUSE, model_reg(m, XL710_INT_CAUSE) | cause | 1);
	raise_vector(m);
}

void
xl710_rx_interrupt(struct model *m)
{
	raise_vector(m);
}

void
xl710_vector_control(struct model *m, uint32_t value)
{
	struct xl710 *s = xl710_state(m);
	const uint32_t enable = 1, leave_enable = UINT32_C(1) << 31;

	if ((value & leave_enable) != 0)
		return;
	atomic_store(&s->armed, (value & enable) != 0);
	if ((value & enable) != 0 && atomic_load(&s->pending))
		raise_vector(m);
}

void
xl710_rx_cause(struct model *m, unsigned queue, uint32_t value)
{
	const uint32_t vector = 0xff, enable = UINT32_C(1) << 30;
	struct xl710 *s = xl710_state(m);
	uint64_t bit = queue < MODEL_QUEUES_MAX ? UINT64_C(1) << queue : 0;

	if ((value & enable) != 0 && (value & vector) == 0)
		atomic_fetch_or(&s->rx_interrupts, bit);
	else
		atomic_fetch_and(&s->rx_interrupts, ~bit);
}

struct command *
xl710_aq_ring(const struct model *m, uint32_t low, uint32_t high, uint32_t length, uint32_t *size)
{
	const uint32_t enabled = UINT32_C(1) << 31;
	uint64_t address = (uint64_t)model_reg(m, high) << 32 | model_reg(m, low);

	*size = model_reg(m, length) & COMMANDS_MAX;
	if ((model_reg(m, length) & enabled) == 0 || *size == 0)
		return NULL;
	return (struct command *)(uintptr_t)address;
}

bool
xl710_aq_event(struct model *m, const struct command *event)
{
	uint32_t size, head = model_reg(m, XL710_ARQ_HEAD), tail = model_reg(m, XL710_ARQ_TAIL);
	struct command *events =
		xl710_aq_ring(m, XL710_ARQ_LOW, XL710_ARQ_HIGH, XL710_ARQ_LEN, &size);

	/* If head and tail are equal the driver has provided no buffer. */
	if (events == NULL || head >= size || head == tail)
		return false;
	events[head] = *event;
	model_reg_set(m, XL710_ARQ_HEAD, head + 1 == size ? 0 : head + 1);
	xl710_cause(m, XL710_CAUSE_ADMIN);
	return true;
}
