/* The XL710 as net_i40e sees it: registers, resets, queue contexts, interrupts. Offsets: Intel
 * XL710 datasheet, chapter 10. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/xl710/xl710.h"

#include "model_nic/model_life.h"
#include "model_nic/xl710/xl710_priv.h"

#include <string.h>

enum {
	BAR_BYTES = 8 << 20,
	QUEUES = 128, /* that the function owns; those beyond MODEL_QUEUES_MAX cannot be enabled */
	QUEUES_OF_CHIP = 1536,
	PAGE = 4096,
};

enum {
	INT_CAUSE = 0x38780,   /* PFINT_ICR0 */
	INT_CONTROL = 0x38480, /* PFINT_DYN_CTL0 */
	RX_CAUSE = 0x3a000,    /* QINT_RQCTL */
	RESET_CONTROL = 0x92400,
	NVM_LOADED = 0xb6008,
	NVM_SIZE = 0xb6100,
	NVM_FLASH = 0xb6108,
	NVM_CONTROL = 0xb6110,
	NVM_DATA = 0xb6114,
	PORT_CONFIG = 0xb8120, /* PRTGEN_CNF of each of four ports */
	VECTORS = 0xbe494,     /* GLPCI_CNF2 */
	SEGMENT_COMMAND = 0xc0000,
	TX_CONTEXT_SIZE = 0xc2004,
	CONTEXTS_MAX = 0xc2008,
	RX_CONTEXT_SIZE = 0xc200c,
	FCOE_FILTERS_MAX = 0xc20d0,
	TX_HEAD = 0xe4000,
	QUEUES_OWNED = 0x1c0400, /* PFLAN_QALLOC */
	LINK_STATE = 0x1e2420,   /* PRTMAC_LINKSTA */
};

/* What is not 0 after power on. */
static const struct {
	uint32_t offset, value;
} power_on[] = {
	{ NVM_LOADED, 0x18 }, { NVM_SIZE, 6 << 5 | 1 },            /* 2^6 KiB, present */
	{ NVM_FLASH, 1 << 6 }, { NVM_CONTROL, UINT32_C(1) << 31 }, /* ready for a command */
	{ PORT_CONFIG + 4, 1 }, /* one port, the other three are disabled */
	{ PORT_CONFIG + 8, 1 }, { PORT_CONFIG + 12, 1 },
	/* Vectors of the function and of its VFs: the driver counts to n - 2, unsigned. */
	{ VECTORS, 2 << 2 | 2 << 13 }, { TX_CONTEXT_SIZE, 7 }, /* powers of two, bytes */
	{ RX_CONTEXT_SIZE, 5 }, { CONTEXTS_MAX, QUEUES_OF_CHIP }, { FCOE_FILTERS_MAX, 0x8000 },
	{ QUEUES_OWNED, UINT32_C(1) << 31 | (QUEUES - 1) << 16 },
	/*
	 * Of the whole chip, as its NVM loads them. The driver wants these values and warns when it
	 * has to set them.
	 */
	{ 0x2689a0, 0x29 },   /* GLQF_ORT: where field vectors come from */
	{ 0x268ca4, 0x9420 }, /* GLQF_PIT */
	{ 0x269ba4, 0x2 },    /* GLQF_CTL: Toeplitz */
	{ 0x26c7a0, 0x28 },   /* GLQF_L3_MAP */
};

/* What a reset of the function clears. */
static const struct {
	uint32_t offset, words;
} cleared[] = {
	{ INT_CAUSE, 1 },
	{ INT_CONTROL, 1 },
	{ RX_CAUSE, QUEUES },
	{ SEGMENT_COMMAND, 1 },
	{ XL710_ATQ_LEN, 1 },
	{ XL710_ATQ_HEAD, 1 },
	{ XL710_ATQ_TAIL, 1 },
	{ XL710_ARQ_LEN, 1 },
	{ XL710_ARQ_HEAD, 1 },
	{ XL710_ARQ_TAIL, 1 },
	{ XL710_TX_ENABLE, QUEUES },
	{ XL710_TX_TAIL, QUEUES },
	{ XL710_RX_ENABLE, QUEUES },
	{ XL710_RX_TAIL, QUEUES },
};

static const struct xl710_phy phy_initial = { .types = UINT32_C(1) << 0x19, /* 40GBASE-SR4 */
	.speeds = 0x10,                                                     /* 40 Gbps */
	.abilities = 0x18 }; /* link on, autonegotiation */

static void
reset(struct model *m)
{
	struct xl710 *s = xl710_state(m);

	model_rings_disable(m);
	memset(s->segment, 0, sizeof(s->segment));
	memset(s->vsi, 0, sizeof(s->vsi));
	memset(s->vsi_used, 0, sizeof(s->vsi_used));
	memset(s->rx_partial, 0, sizeof(s->rx_partial));
	memset(s->taken, 0, sizeof(s->taken));
	xl710_tables_make(s);
	s->vsi_used[0] = true;
	s->rx_max = s->mac_max = XL710_FRAME_MAX;
	s->link_events = false;
	s->events_masked = 0;
	s->phy = phy_initial;
	atomic_store(&s->first_queue, 0);
	atomic_store(&s->rss_queues, 1);
	atomic_store(&s->rx_interrupts, 0);
	atomic_store(&s->crc_stays, 0);
	atomic_store(&s->armed, false);
	atomic_store(&s->pending, false);
	for (unsigned i = 0; i < sizeof(cleared) / sizeof(cleared[0]); i++)
		for (uint32_t k = 0; k < cleared[i].words; k++)
			model_reg_set(m, cleared[i].offset + 4 * k, 0);
	for (unsigned i = 0; i < sizeof(power_on) / sizeof(power_on[0]); i++)
		model_reg_set(m, power_on[i].offset, power_on[i].value);
	atomic_store(&m->rx_csum, true);
	atomic_store(&m->vlan_strip, false);
	atomic_store(&m->scattered, false);
	atomic_fetch_add(&m->rss_generation, 1);
	xl710_rss_reset(m);
	xl710_frame_max(m);
	xl710_link_refresh(m);
}

void
xl710_frame_max(struct model *m)
{
	const struct xl710 *s = xl710_state(m);
	uint16_t max = s->rx_max < s->mac_max ? s->rx_max : s->mac_max;

	atomic_store(&m->frame_max, (uint32_t)(max > CRC_BYTES ? max - CRC_BYTES : 0));
}

/*
 * Needs no lock against xl710_rx_interrupt(): either side sees what the other wrote first (both
 * orders are sequentially consistent).
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
	model_reg_set(m, INT_CAUSE, model_reg(m, INT_CAUSE) | cause | 1);
	raise_vector(m);
}

void
xl710_rx_interrupt(struct model *m)
{
	raise_vector(m);
}

static void
vector_control(struct model *m, uint32_t value)
{
	struct xl710 *s = xl710_state(m);
	const uint32_t enable = 1, leave_enable = UINT32_C(1) << 31;

	if ((value & leave_enable) != 0)
		return;
	atomic_store(&s->armed, (value & enable) != 0);
	if ((value & enable) != 0 && atomic_load(&s->pending))
		raise_vector(m);
}

static void
rx_cause(struct model *m, unsigned queue, uint32_t value)
{
	const uint32_t vector = 0xff, enable = UINT32_C(1) << 30;
	struct xl710 *s = xl710_state(m);
	uint64_t bit = queue < MODEL_QUEUES_MAX ? UINT64_C(1) << queue : 0;

	if ((value & enable) != 0 && (value & vector) == 0)
		atomic_fetch_or(&s->rx_interrupts, bit);
	else
		atomic_fetch_and(&s->rx_interrupts, ~bit);
}

static bool
rings_on(const struct model *m)
{
	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++)
		if (atomic_load(&m->rx[i].enabled) || atomic_load(&m->tx[i].enabled))
			return true;
	return false;
}

void
xl710_link_refresh(struct model *m)
{
	enum { LINK_UP_40G = 0x58000080, SPEED_40G = 0x10, LINK_ON = 0x08 };
	struct xl710 *s = xl710_state(m);
	bool up = atomic_load(&m->link_up) && s->phy.types != 0 &&
		(s->phy.abilities & LINK_ON) != 0 && (s->phy.speeds & SPEED_40G) != 0;

	model_reg_set(m, LINK_STATE, up ? LINK_UP_40G : 0);
	/*
	 * A driver that stops switches the PHY off last; firmware that tells it so would meet it in
	 * the middle of closing.
	 */
	if (atomic_exchange(&s->link_up, up) != up && rings_on(m))
		xl710_aq_link_event(m);
}

static void
link_changed(struct model *m, bool up)
{
	xl710_link_refresh(m);
}

/*
 * A global reset: net_i40e says so in its log and does nothing; the application has to reset the
 * port.
 */
static void
reset_announce(struct model *m)
{
	const uint32_t global_reset = UINT32_C(1) << 20;

	xl710_cause(m, global_reset);
}

static void
nvm_command(struct model *m, uint32_t value)
{
	const uint32_t start = UINT32_C(1) << 30, done = UINT32_C(1) << 31;

	if ((value & start) == 0)
		return;
	model_reg_set(m, NVM_DATA, (uint32_t)xl710_nvm_word(value >> 14 & 0x7fff) << 16);
	model_reg_set(m, NVM_CONTROL, (value & ~start) | done);
}

/* Is offset one of n registers from first on, step bytes apart? */
static bool
among(uint32_t offset, uint32_t first, uint32_t n, uint32_t step)
{
	return offset >= first && offset < first + n * step && (offset - first) % step == 0;
}

static bool
of_rss(uint32_t offset)
{
	return among(offset, XL710_HLUT, XL710_HLUT_WORDS, XL710_ARRAY) ||
		among(offset, XL710_HKEY, XL710_HKEY_WORDS, XL710_ARRAY) ||
		among(offset, XL710_HENA, 2, XL710_ARRAY) ||
		among(offset, XL710_HASH_INPUT, 128, 4) || offset == XL710_FILTER_CONTROL;
}

void
xl710_written(struct model *m, uint32_t offset, uint32_t old, uint32_t value)
{
	const uint32_t software_reset = 1;

	if (among(offset, XL710_RX_ENABLE, QUEUES_OF_CHIP, 4)) {
		xl710_queue_switch(m, offset, value, true);
		return;
	}
	if (among(offset, XL710_TX_ENABLE, QUEUES_OF_CHIP, 4)) {
		xl710_queue_switch(m, offset, value, false);
		return;
	}
	if (among(offset, RX_CAUSE, QUEUES_OF_CHIP, 4))
		rx_cause(m, (offset - RX_CAUSE) / 4, value);
	if (of_rss(offset) && old != value)
		atomic_fetch_add(&m->rss_generation, 1);
	switch (offset) {
	case XL710_ATQ_TAIL: xl710_aq_run(m); break;
	case INT_CONTROL: vector_control(m, value); break;
	case NVM_CONTROL: nvm_command(m, value); break;
	case SEGMENT_COMMAND: xl710_segment_command(m, value); break;
	case RESET_CONTROL:
		if ((value & software_reset) == 0)
			break;
		atomic_fetch_add(&m->resets, 1);
		reset(m);
		model_reg_set(m, offset, value & ~software_reset);
		break;
	default: break;
	}
}

static void
before_read(struct model *m, uint32_t offset)
{
	if (offset >= XL710_STATISTICS && offset < XL710_STATISTICS_END)
		xl710_counter_read(m, offset);
	else if (among(offset, TX_HEAD, MODEL_QUEUES_MAX, 4))
		model_reg_set(m, offset, m->tx[(offset - TX_HEAD) / 4].head);
}

static void
after_read(struct model *m, uint32_t offset)
{
	if (offset == INT_CAUSE)
		model_reg_set(m, offset, 0);
}

const struct model_family model_xl710 = {
	.name = "xl710",
	.text = "Intel XL710 (i40e)",
	.vendor_id = 0x8086,
	.device_id = 0x1583,
	.bar_len = BAR_BYTES,
	.state_size = sizeof(struct xl710),
	.queues_max = MODEL_DATA_QUEUES,
	.open = { { XL710_TX_TAIL, PAGE }, { XL710_RX_TAIL, PAGE } },
	.reset = reset,
	.before_read = before_read,
	.after_read = after_read,
	.written = xl710_written,
	.link = link_changed,
	.reset_announce = reset_announce,
	.rss = xl710_rss,
	.rx_peek = xl710_rx_peek,
	.rx_give = xl710_rx_give,
	.tx_take = xl710_tx_take,
	.tx_done = xl710_tx_done,
	.buffer = xl710_buffer,
};
