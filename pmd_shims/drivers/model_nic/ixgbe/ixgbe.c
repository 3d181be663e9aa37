/* Model of 82599 and X540 for net_ixgbe: registers, resets, link. Source: Intel 82599 datasheet,
 * chapter 8. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe.h"

#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"

enum {
	BAR_BYTES = 512 << 10,
	RESET_BYTES = 64 << 10, /* registers behind it belong to NVM and firmware */
	PAGE = 4096,
	FRAME_DEFAULT = 1518, /* bytes with CRC */
};

enum {
	CONTROL = 0x0,
	PINS = 0x20, /* ESDP */
	RX_DMA = 0x2f00,
	PHY_COMMAND = 0x425c,
	PHY_DATA = 0x4260,
	FRAME_MAX = 0x4268, /* upper half */
	LINK_MODE = 0x42a0, /* AUTOC */
	LINK_STATE = 0x42a4,
	LINK_MODE_2 = 0x42a8,
	LINK_PARTNER = 0x42b0,
	ADDRESS_LOW = 0x5400,
	ADDRESS_HIGH = 0x5404,
	TX_SECURITY = 0x8804,
	RX_SECURITY = 0x8d04,
	MANAGEMENT = 0x10110,
};

#define CAUSE_LINK (UINT32_C(1) << 20)
#define MODULE_PRESENT (UINT32_C(1) << 2)

/* Registers that are not 0 after power on. */
static const struct {
	uint32_t offset, value;
} power_on[] = {
	{ PINS, MODULE_PRESENT }, { RX_DMA, 1 << 3 }, /* ready */
	{ IXGBE_MAC_CONTROL,
		1 | IXGBE_CRC_STRIP | 1 << 10 }, /* CRC added and stripped, short packets padded */
	{ FRAME_MAX, FRAME_DEFAULT << 16 }, { LINK_MODE, 3 << 13 }, /* 10G serial, */
	{ LINK_MODE_2, 2 << 16 },                                   /* SFI */
	{ LINK_PARTNER, 1 << 16 },                                  /* the state machine runs */
	{ TX_SECURITY, 1 }, { RX_SECURITY, 1 },                     /* ready */
	{ MANAGEMENT, 3 << 18 },                                    /* configured */
	{ IXGBE_NVM_CONTROL, 1 << 8 | 5 << 11 },                    /* present, its size */
};

static void
frame_max(struct model *m)
{
	const uint32_t jumbo = 1 << 2;
	uint32_t max = (model_reg(m, IXGBE_MAC_CONTROL) & jumbo) != 0
		? model_reg(m, FRAME_MAX) >> 16
		: FRAME_DEFAULT;

	atomic_store(&m->frame_max, max > CRC_BYTES ? max - CRC_BYTES : 0);
	atomic_store(&ixgbe_state(m)->crc_stays,
		(model_reg(m, IXGBE_MAC_CONTROL) & IXGBE_CRC_STRIP) == 0);
}

static void
link_show(struct model *m)
{
	enum { UP_10G = 0x70000080 };

	model_reg_set(m, LINK_STATE, atomic_load(&m->link_up) ? UP_10G : 0);
}

static void
address_show(struct model *m)
{
	const uint32_t valid = UINT32_C(1) << 31;
	const uint8_t *a = m->mac;

	model_reg_set(m, ADDRESS_LOW,
		a[0] | (uint32_t)a[1] << 8 | (uint32_t)a[2] << 16 | (uint32_t)a[3] << 24);
	model_reg_set(m, ADDRESS_HIGH, a[4] | (uint32_t)a[5] << 8 | valid);
}

static void
reset(struct model *m)
{
	struct ixgbe *s = ixgbe_state(m);

	ixgbe_queues_reset(m);
	memset(m->bar, 0, RESET_BYTES);
	for (unsigned i = 0; i < sizeof(power_on) / sizeof(power_on[0]); i++)
		model_reg_set(m, power_on[i].offset, power_on[i].value);
	atomic_store(&s->director_n, 0);
	ixgbe_interrupts_reset(m);
	s->module = (struct ixgbe_module){ .sent = true };
	ixgbe_tables_make(s);
	ixgbe_hash_types(m);
	atomic_store(&m->rx_csum, true);
	atomic_fetch_add(&m->rss_generation, 1);
	address_show(m);
	frame_max(m);
	link_show(m);
}

static void
link_changed(struct model *m, bool up)
{
	link_show(m);
	ixgbe_cause(m, CAUSE_LINK);
}

static void
control_write(struct model *m, uint32_t value)
{
	const uint32_t resets = UINT32_C(1) << 26 | 1 << 3;

	if ((value & resets) == 0)
		return;
	atomic_fetch_add(&m->resets, 1);
	reset(m);
	model_reg_set(m, CONTROL, value & ~resets);
}

static bool
of_rss(uint32_t offset)
{
	return offset == IXGBE_HASH_CONTROL ||
		(offset >= IXGBE_TABLE && offset < IXGBE_TABLE + 4 * IXGBE_TABLE_WORDS) ||
		(offset >= IXGBE_KEY && offset < IXGBE_KEY + 4 * IXGBE_KEY_WORDS);
}

static void
written(struct model *m, uint32_t offset, uint32_t old, uint32_t value)
{
	const uint32_t phy_busy = UINT32_C(1) << 30, restart = 1 << 12;

	if (ixgbe_filter_written(m, offset, value) || (of_rss(offset) && old != value))
		atomic_fetch_add(&m->rss_generation, 1);
	switch (offset) {
	case CONTROL: control_write(m, value); break;
	case PINS: model_reg_set(m, offset, value | MODULE_PRESENT); break;
	case IXGBE_I2C: ixgbe_module_wires(m, value); break;
	case IXGBE_RX_CONTROL:
	case IXGBE_TX_CONTROL: ixgbe_queues_follow(m); break;
	case IXGBE_MAC_CONTROL:
	case FRAME_MAX: frame_max(m); break;
	case PHY_COMMAND: model_reg_set(m, offset, value & ~phy_busy); break;
	/*
	 * Reads return 0: there is no PHY. If all bits were 1 the driver would wait 3 s for a busy
	 * one.
	 */
	case PHY_DATA: model_reg_set(m, offset, value & 0xffff); break;
	case LINK_MODE: model_reg_set(m, offset, value & ~restart); break;
	case IXGBE_HASH_CONTROL: ixgbe_hash_types(m); break;
	case IXGBE_NVM_READ: ixgbe_nvm_read(m, value); break;
	case IXGBE_NVM_CONTROL: ixgbe_nvm_control(m, value); break;
	default: ixgbe_interrupt_written(m, offset, value); ixgbe_time_written(m, offset);
	}
}

static void
before_read(struct model *m, uint32_t offset)
{
	if (offset >= IXGBE_MISSED_FIRST && offset < IXGBE_STATISTICS_END)
		ixgbe_counter_read(m, offset);
	else
		ixgbe_interrupt_read(m, offset);
	ixgbe_time_read(m, offset);
}

/*
 * A chip. Chips differ only in the device id, by which the driver chooses the registers it uses.
 */
#define FAMILY(word, words, id) \
	{ \
		.name = word, .text = words, .vendor_id = 0x8086, .device_id = id, \
		.bar_len = BAR_BYTES, .state_size = sizeof(struct ixgbe), \
		.queues_max = MODEL_DATA_QUEUES, \
		.open = { { IXGBE_RX_QUEUES, PAGE }, { IXGBE_TX_QUEUES, PAGE } }, .reset = reset, \
		.before_read = before_read, .after_read = ixgbe_time_was_read, .written = written, \
		.link = link_changed, .rss = ixgbe_rss, .arrived = ixgbe_time_arrived, \
		.watch = ixgbe_queues_watch, .act = ixgbe_queues_follow, .rx_peek = ixgbe_rx_peek, \
		.rx_give = ixgbe_rx_give, .tx_take = ixgbe_tx_take, .tx_done = ixgbe_tx_done, \
		.buffer = ixgbe_buffer \
	}

const struct model_family model_82599 = FAMILY("82599", "Intel 82599 with SFP+ (ixgbe)", 0x10fb);
const struct model_family model_x540 = FAMILY("x540", "Intel X540 (ixgbe)", 0x1528);
