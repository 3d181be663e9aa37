/* Registers of the XL710: values at power on, and effects of the driver's writes. Source: Intel
 * XL710 datasheet, chapter 10. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

#include <string.h>

enum {
	QUEUES = 128, /* queues of the function; only the first MODEL_QUEUES_MAX can be enabled */
	QUEUES_OF_CHIP = 1536,
	CLASSES = 64, /* of packets */
	/* bytes without CRC; the transmitter pads to this, no register disables it */
	FRAME_SHORTEST = 60,
};

enum {
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
	QUEUES_OWNED = 0x1c0400,  /* PFLAN_QALLOC */
	MAC_FRAME_MAX = 0x1e2140, /* PRTGL_SAH: its upper half */
};

/* Registers that are not 0 after power on. */
static const struct {
	uint32_t offset, value;
} power_on[] = {
	{ NVM_LOADED, 0x18 }, { NVM_SIZE, 6 << 5 | 1 },            /* 2^6 KiB, present */
	{ NVM_FLASH, 1 << 6 }, { NVM_CONTROL, UINT32_C(1) << 31 }, /* ready for a command */
	{ PORT_CONFIG + 4, 1 }, /* one port, the other three are disabled */
	{ PORT_CONFIG + 8, 1 }, { PORT_CONFIG + 12, 1 },
	/* Vectors of the function and of its VFs; at least 2, since the driver computes n - 2. */
	{ VECTORS, 2 << 2 | 2 << 13 }, { TX_CONTEXT_SIZE, 7 }, /* powers of two, bytes */
	{ RX_CONTEXT_SIZE, 5 }, { CONTEXTS_MAX, QUEUES_OF_CHIP }, { FCOE_FILTERS_MAX, 0x8000 },
	{ QUEUES_OWNED, UINT32_C(1) << 31 | (QUEUES - 1) << 16 },
	{ MAC_FRAME_MAX, XL710_FRAME_MAX << 16 },
	/*
	 * Registers of the whole chip that are loaded from the NVM. The driver expects these values
	 * and prints a warning if it has to set them.
	 */
	{ 0x2689a0, 0x29 },       /* GLQF_ORT: origin of field vectors */
	{ 0x268ca4, 0x9420 },     /* GLQF_PIT */
	{ XL710_HASH_KIND, 0x2 }, /* Toeplitz */
	{ 0x26c7a0, 0x28 },       /* GLQF_L3_MAP */
};

/* Registers that a reset of the function clears. */
static const struct {
	uint32_t offset, words;
} cleared[] = {
	{ XL710_INT_CAUSE, 1 },
	{ XL710_INT_CONTROL, 1 },
	{ XL710_VECTOR_CONTROL, XL710_VECTORS - 1 },
	{ XL710_RX_CAUSE, QUEUES },
	{ XL710_TX_CAUSE, QUEUES },
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
	{ XL710_STRIP, 1 },
	{ XL710_PORT_HASH, 1 },
	{ XL710_SYMMETRIC, CLASSES },
};

static const struct xl710_phy phy_initial = { .types = UINT32_C(1) << 0x19, /* 40GBASE-SR4 */
	.speeds = 0x10,                                                     /* 40 Gbps */
	.abilities = 0x18 }; /* link on, autonegotiation */

void
xl710_reset(struct model *m)
{
	struct xl710 *s = xl710_state(m);

	model_rings_disable(m);
	memset(s->segment, 0, sizeof(s->segment));
	memset(s->vsi, 0, sizeof(s->vsi));
	memset(s->vsi_used, 0, sizeof(s->vsi_used));
	xl710_tables_make(s);
	s->vsi_used[0] = true;
	s->rx_max = s->mac_max = XL710_FRAME_MAX;
	s->link_events = false;
	s->events_masked = 0;
	s->phy = phy_initial;
	atomic_store(&s->first_queue, 0);
	atomic_store(&s->rss_queues, 1);
	atomic_store(&s->filter_queue, XL710_NO_QUEUE);
	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++) {
		xl710_ring_mark(&s->rx_interrupts, i, false);
		xl710_ring_mark(&s->tx_interrupts, i, false);
		xl710_ring_mark(&s->crc_stays, i, false);
	}
	atomic_store(&s->queue_cause, false);
	for (unsigned i = 0; i < XL710_VECTORS; i++) {
		atomic_store(&s->vector[i].armed, false);
		atomic_store(&s->vector[i].pending, false);
	}
	for (unsigned i = 0; i < sizeof(cleared) / sizeof(cleared[0]); i++)
		for (uint32_t k = 0; k < cleared[i].words; k++)
			model_reg_set(m, cleared[i].offset + 4 * k, 0);
	for (unsigned i = 0; i < sizeof(power_on) / sizeof(power_on[0]); i++)
		model_reg_set(m, power_on[i].offset, power_on[i].value);
	atomic_store(&m->rx_csum, true);
	atomic_store(&m->tx_frame_min, FRAME_SHORTEST);
	atomic_store(&m->vlan_strip, false);
	s->double_vlan = false;
	s->first_tag = 0;
	atomic_store(&s->second_tags, false);
	xl710_tags_learn(m);
	atomic_store(&m->scattered, false);
	atomic_fetch_add(&m->rss_generation, 1);
	xl710_rss_reset(m);
	xl710_filters_reset(m);
	xl710_frame_max(m);
	xl710_link_refresh(m);
}

void
xl710_tags_learn(struct model *m)
{
	enum { STRIP_OUTER = 1 << 4, S_TAG = 0x88a8, VLAN = 0x8100 };
	struct xl710 *s = xl710_state(m);
	uint16_t outer = !s->double_vlan ? S_TAG : s->first_tag != 0 ? s->first_tag : VLAN;

	if ((model_reg(m, XL710_STRIP) & STRIP_OUTER) == 0)
		outer = 0;
	else
		atomic_store(&s->second_tags, true);
	atomic_store(&m->outer_strip, outer);
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

static bool
of_rss(uint32_t offset)
{
	return xl710_among(offset, XL710_HLUT, XL710_HLUT_WORDS, XL710_ARRAY) ||
		xl710_among(offset, XL710_HKEY, XL710_HKEY_WORDS, XL710_ARRAY) ||
		xl710_among(offset, XL710_HENA, 2, XL710_ARRAY) ||
		xl710_among(offset, XL710_HASH_INPUT, 128, 4) ||
		xl710_among(offset, XL710_SYMMETRIC, CLASSES, 4) ||
		offset == XL710_FILTER_CONTROL || offset == XL710_PORT_HASH ||
		offset == XL710_HASH_KIND;
}

void
xl710_written(struct model *m, uint32_t offset, uint32_t old, uint32_t value)
{
	const uint32_t software_reset = 1;

	if (xl710_among(offset, XL710_RX_ENABLE, QUEUES_OF_CHIP, 4)) {
		xl710_queue_switch(m, offset, value, true);
		return;
	}
	if (xl710_among(offset, XL710_TX_ENABLE, QUEUES_OF_CHIP, 4)) {
		xl710_queue_switch(m, offset, value, false);
		return;
	}
	if (xl710_among(offset, XL710_RX_CAUSE, QUEUES_OF_CHIP, 4))
		xl710_queue_cause(m, (offset - XL710_RX_CAUSE) / 4, true, value);
	if (xl710_among(offset, XL710_TX_CAUSE, QUEUES_OF_CHIP, 4))
		xl710_queue_cause(m, (offset - XL710_TX_CAUSE) / 4, false, value);
	if (xl710_among(offset, XL710_VECTOR_CONTROL, XL710_VECTORS - 1, 4))
		xl710_vector_control(m, 1 + (offset - XL710_VECTOR_CONTROL) / 4, value);
	if (xl710_filter_written(m, offset, value) || (of_rss(offset) && old != value))
		atomic_fetch_add(&m->rss_generation, 1);
	switch (offset) {
	case XL710_INT_CONTROL: xl710_vector_control(m, 0, value); break;
	case NVM_CONTROL: nvm_command(m, value); break;
	case SEGMENT_COMMAND: xl710_segment_command(m, value); break;
	case XL710_STRIP: xl710_tags_learn(m); break;
	case RESET_CONTROL:
		if ((value & software_reset) == 0)
			break;
		atomic_fetch_add(&m->resets, 1);
		xl710_reset(m);
		model_reg_set(m, offset, value & ~software_reset);
		break;
	default: break;
	}
}
