/* Interrupts of 82599 and X540: causes, masks, and the cause of each queue's packets. Source: Intel
 * 82599 datasheet 8.2.3.5. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"

enum {
	CAUSE = 0x800,
	CAUSE_SET = 0x808,
	CAUSE_CLEARS = 0x810, /* EIAC: causes that are cleared when raised */
	MASK_SET = 0x880,
	MASK_CLEAR = 0x888,
	INTERRUPT_CONTROL = 0x898, /* GPIE */
	VECTORS = 0x900,           /* IVAR: a byte for each receive and transmit queue */
	MASK_CLEARS = 0xad0,       /* EIAM_EX(0): causes that are masked when raised */
};

/*
 * Raise an interrupt if a cause is not masked. Needs no lock: the later of cause and mask raises
 * it.
 */
static void
raise_due(struct model *m)
{
	const uint32_t once = UINT32_C(1) << 30;
	struct ixgbe *s = ixgbe_state(m);
	uint32_t due = atomic_load(&s->cause) & atomic_load(&s->mask);

	if (due == 0)
		return;
	if ((model_reg(m, INTERRUPT_CONTROL) & once) != 0)
		atomic_fetch_and(&s->mask, ~(due & model_reg(m, MASK_CLEARS)));
	atomic_fetch_and(&s->cause, ~(due & model_reg(m, CAUSE_CLEARS)));
	model_interrupt(m);
}

void
ixgbe_cause(struct model *m, uint32_t causes)
{
	atomic_fetch_or(&ixgbe_state(m)->cause, causes);
	raise_due(m);
}

void
ixgbe_interrupts_reset(struct model *m)
{
	struct ixgbe *s = ixgbe_state(m);

	atomic_store(&s->cause, 0);
	atomic_store(&s->mask, 0);
	for (unsigned i = 0; i < MODEL_DATA_QUEUES; i++)
		atomic_store(&s->rx_cause[i], 0);
}

/* Set the causes of the packets of two queues, which share a register. */
static void
vector_write(struct model *m, unsigned pair, uint32_t value)
{
	enum { VALID = 0x80, CAUSES = 16 };

	for (unsigned i = 0; i < 2 && 2 * pair + i < MODEL_DATA_QUEUES; i++) {
		uint32_t entry = value >> 16 * i & 0xff, cause = entry & 0x3f;
		bool valid = (entry & VALID) != 0 && cause < CAUSES;

		atomic_store(&ixgbe_state(m)->rx_cause[2 * pair + i],
			valid ? UINT32_C(1) << cause : 0);
	}
}

void
ixgbe_interrupt_written(struct model *m, uint32_t offset, uint32_t value)
{
	struct ixgbe *s = ixgbe_state(m);

	switch (offset) {
	case CAUSE: atomic_fetch_and(&s->cause, ~value); break;
	case CAUSE_SET: ixgbe_cause(m, value); break;
	case MASK_CLEAR: atomic_fetch_and(&s->mask, ~value); break;
	case MASK_SET:
		atomic_fetch_or(&s->mask, value);
		raise_due(m);
		break;
	default:
		if (offset >= VECTORS && offset < VECTORS + 2 * MODEL_DATA_QUEUES)
			vector_write(m, (offset - VECTORS) / 4, value);
	}
}

void
ixgbe_interrupt_read(struct model *m, uint32_t offset)
{
	struct ixgbe *s = ixgbe_state(m);

	if (offset == CAUSE)
		model_reg_set(m, offset, atomic_exchange(&s->cause, 0));
	else if (offset == MASK_SET)
		model_reg_set(m, offset, atomic_load(&s->mask));
}
