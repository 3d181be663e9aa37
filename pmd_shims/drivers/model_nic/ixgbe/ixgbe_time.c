/* The clock of 82599 and X540, and time stamps of received and sent PTP messages. Source: Intel
 * 82599 datasheet 7.9 and 8.2.3.26. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"

#include <time.h>

enum {
	RX_MESSAGE = 0x5120, /* RXMTRL: message type of version 2 in its second byte */
	RX_CONTROL = 0x5188, /* TSYNCRXCTL */
	RX_STAMP_HIGH = 0x51a4,
	RX_STAMP_LOW = 0x51e8,
	TX_CONTROL = 0x8c00, /* TSYNCTXCTL */
	TX_STAMP_LOW = 0x8c04,
	TX_STAMP_HIGH = 0x8c08,
	CLOCK_LOW = 0x8c0c, /* SYSTIM */
	CLOCK_HIGH = 0x8c10,
	CLOCK_INCREMENT = 0x8c14, /* TIMINCA */
	STAMP_VALID = 1,
	STAMP_KIND = 7 << 1,
	STAMP_ENABLED = 1 << 4,
};

/* Kinds of PTP messages that are stamped; modelled for layer 2 and version 2. */
enum { KIND_L2 = 0, KIND_L2_L4 = 4, KIND_ALL = 8, KIND_EVENTS = 10 };

enum {
	ETHERTYPE_1588 = 0x88f7,
	MESSAGE_AT = 14, /* message type, then the version, in the lower halves of two bytes */
	MESSAGE_END = 16,
	EVENTS = 4, /* event messages are 0..3 */
	CLOCK_TICK_PS = 6400,
	X540_ID = 0x1528,
};

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/*
 * The clock's value: the increment is added every 6.4 ns, in the 82599 every N times 6.4 ns, where
 * N is the upper byte of the increment register.
 */
static uint64_t
clock_now(const struct model *m)
{
	const uint32_t control = model_reg(m, CLOCK_INCREMENT);
	const bool x540 = m->family->device_id == X540_ID;
	const uint64_t step = x540 ? control : control & 0xffffff,
		       ticks_of = x540 || control >> 24 == 0 ? 1 : control >> 24,
		       ns = now_ns() - atomic_load(&ixgbe_state(m)->clock_began);

	if (step == 0)
		return 0;
	return ns * 1000 / (CLOCK_TICK_PS * ticks_of) * step;
}

/* Store the time until the driver reads it. Returns false if the last one was not read yet. */
static bool
stamp(struct model *m, uint32_t control, uint32_t low, uint32_t high)
{
	const uint64_t now = clock_now(m);

	if ((model_reg(m, control) & (STAMP_ENABLED | STAMP_VALID)) != STAMP_ENABLED)
		return false;
	model_reg_set(m, low, (uint32_t)now);
	model_reg_set(m, high, (uint32_t)(now >> 32));
	model_reg_set(m, control, model_reg(m, control) | STAMP_VALID);
	return true;
}

static bool
wanted(const struct model *m, unsigned message)
{
	switch (model_reg(m, RX_CONTROL) & STAMP_KIND) {
	case KIND_L2:
	case KIND_L2_L4: return message == (model_reg(m, RX_MESSAGE) >> 8 & 0xf);
	case KIND_ALL: return true;
	case KIND_EVENTS: return message < EVENTS;
	default: return false;
	}
}

uint16_t
ixgbe_time_arrived(struct model *m, const uint8_t *pkt, uint32_t len)
{
	enum { VERSION = 2 };

	if (len < MESSAGE_END || pkt[12] != ETHERTYPE_1588 >> 8 ||
		pkt[13] != (ETHERTYPE_1588 & 0xff) || !ixgbe_filter_ptp(m))
		return 0;
	if ((pkt[MESSAGE_AT + 1] & 0xf) != VERSION || !wanted(m, pkt[MESSAGE_AT] & 0xf) ||
		!stamp(m, RX_CONTROL, RX_STAMP_LOW, RX_STAMP_HIGH))
		return FRAME_PTP;
	return FRAME_PTP | FRAME_STAMPED;
}

void
ixgbe_time_sent(struct model *m, struct frame *f, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		if ((f[i].flags & FRAME_STAMPED) == 0)
			continue;
		stamp(m, TX_CONTROL, TX_STAMP_LOW, TX_STAMP_HIGH);
		f[i].flags &= (uint16_t)~FRAME_STAMPED;
	}
}

void
ixgbe_time_written(struct model *m, uint32_t offset)
{
	if (offset == CLOCK_INCREMENT)
		atomic_store(&ixgbe_state(m)->clock_began, now_ns());
}

void
ixgbe_time_read(struct model *m, uint32_t offset)
{
	uint64_t now;

	if (offset != CLOCK_LOW)
		return;
	now = clock_now(m);
	model_reg_set(m, CLOCK_LOW, (uint32_t)now);
	model_reg_set(m, CLOCK_HIGH, (uint32_t)(now >> 32));
}

void
ixgbe_time_was_read(struct model *m, uint32_t offset)
{
	const uint32_t control = offset == RX_STAMP_HIGH ? RX_CONTROL
		: offset == TX_STAMP_HIGH                ? TX_CONTROL
							 : 0;

	if (control != 0)
		model_reg_set(m, control, model_reg(m, control) & ~(uint32_t)STAMP_VALID);
}
