/* The SFP+ module of the 82599, 10GBASE-SR: an EEPROM on an I2C bus whose two lines the driver
 * controls itself. Source: SFF-8472. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"

enum {
	CLOCK_IN = 1 << 0,
	CLOCK_OUT = 1 << 1,
	DATA_IN = 1 << 2,
	DATA_OUT = 1 << 3,
};

static uint8_t
rom(uint8_t at)
{
	switch (at) {
	case 0: return 3;     /* SFP */
	case 2: return 7;     /* LC */
	case 3: return 0x10;  /* 10GBASE-SR */
	case 37: return 0x00; /* Intel */
	case 38: return 0x1b;
	case 39: return 0x21;
	default: return 0;
	}
}

/*
 * Rising clock: the module reads a bit or an acknowledgement from the line, unless it is sending.
 */
static void
clock_up(struct ixgbe_module *w, bool line)
{
	enum { ACKNOWLEDGEMENT = 8 };

	if (w->phase == MODULE_IDLE)
		return;
	if (w->phase != MODULE_READ && w->clocks < ACKNOWLEDGEMENT)
		w->byte = (uint8_t)(w->byte << 1 | line);
	if (w->phase == MODULE_READ && w->clocks == ACKNOWLEDGEMENT && line)
		w->phase = MODULE_IDLE;
	w->clocks++;
}

/* End of a byte, after nine clocks. */
static void
byte_over(struct ixgbe_module *w)
{
	w->clocks = 0;
	if (w->phase == MODULE_ADDRESS)
		w->phase = (w->byte & 1) != 0 ? MODULE_READ : MODULE_OFFSET;
	else if (w->phase == MODULE_OFFSET)
		w->at = w->byte;
	else
		w->at++;
}

/* Falling clock: the module puts its next bit on the line; 1 releases the line. */
static void
clock_down(struct ixgbe_module *w)
{
	enum { BYTE = 8, DEVICE = 0xa0 };

	if (w->clocks > BYTE)
		byte_over(w);
	w->sent = true;
	if (w->phase == MODULE_READ) {
		w->sent = w->clocks == BYTE || (rom(w->at) >> (BYTE - 1 - w->clocks) & 1) != 0;
	} else if (w->phase != MODULE_IDLE && w->clocks == BYTE) {
		w->sent = w->phase == MODULE_ADDRESS && (w->byte & 0xfe) != DEVICE;
		if (w->sent)
			w->phase = MODULE_IDLE;
	}
}

void
ixgbe_module_wires(struct model *m, uint32_t value)
{
	struct ixgbe_module *w = &ixgbe_state(m)->module;
	bool clock = (value & CLOCK_OUT) != 0, data = (value & DATA_OUT) != 0, line;

	if (clock && w->clock && data != w->data) {
		/* Data that falls while the clock is high is a start; data that rises is a stop. */
		w->phase = data ? MODULE_IDLE : MODULE_ADDRESS;
		w->clocks = 0;
		w->sent = true;
	} else if (clock && !w->clock) {
		clock_up(w, data && w->sent);
	} else if (!clock && w->clock) {
		clock_down(w);
	}
	w->clock = clock;
	w->data = data;
	line = data && w->sent;
	value &= ~(uint32_t)(CLOCK_IN | DATA_IN);
	model_reg_set(m, IXGBE_I2C, value | (clock ? CLOCK_IN : 0) | (line ? DATA_IN : 0));
}
