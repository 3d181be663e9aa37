/* What the files of the XL710 share: state, registers, and who does what with them. Offsets: Intel
 * XL710 datasheet, chapter 10. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/counts.h"
#include "pmd_shims/drivers/model_nic/rss.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_regs.h"

enum {
	XL710_VSIS = 16,
	XL710_VSI_BYTES = 128, /* of a VSI's properties */
	XL710_SEGMENTS = 16,   /* of the function's private memory, 2 MiB each */
	/* combinations of the flags that an Rx descriptor shows */
	XL710_RX_WORDS = FRAME_ERROR * 2,
	XL710_FRAME_MAX = 9728, /* with CRC */
	XL710_SEID = 390,       /* the VSI that is there at power on */
	XL710_SEID_VEB = 288,
	XL710_UPLINK = 16,
	/* GLV_* index of every VSI; the port's number would count as internal traffic */
	XL710_COUNTER = 8,
	XL710_INPUT_BYTES =
		TOEPLITZ_BYTES + 2, /* of a packet's fields that are hashed or compared */
	XL710_DIRECTOR_FILTERS = 8192,
	XL710_ETHERTYPES = 16,
};

/* Bits of PFINT_ICR0. */
#define XL710_CAUSE_ADMIN (UINT32_C(1) << 30)

/* The PHY as the driver configured it. */
struct xl710_phy {
	uint32_t types; /* bit mask; 0: no link */
	uint8_t speeds, abilities;
};

/* A filter of the flow director: what a packet of its class has in the fields that the class compares. */
struct xl710_director_filter {
	uint8_t class, input[XL710_INPUT_BYTES];
	uint16_t bytes;
	int queue; /* MODEL_QUEUE_DROP; -1: as RSS says */
};

/* Of struct ethertype_filter's what, beside the EtherType. */
#define XL710_ETHERTYPE_ANY_MAC (UINT32_C(1) << 16)
#define XL710_ETHERTYPE_DROP (UINT32_C(1) << 17)

/* Packets of an EtherType, from all or to one MAC address. */
struct ethertype_filter {
	_Atomic uint32_t what; /* written last; 0: there is none */
	uint8_t mac[6];
	uint16_t queue;
};

struct xl710 {
	/* as PFHMC_SDCMD wrote them: address, bit 0 valid, bit 1 direct */
	uint64_t segment[XL710_SEGMENTS];
	uint8_t vsi[XL710_VSIS][XL710_VSI_BYTES];
	bool vsi_used[XL710_VSIS];
	/*
	 * Of the main VSI: where its queues begin and how many the table may choose from. Read by
	 * the thread that moves frames.
	 */
	_Atomic uint16_t first_queue, rss_queues;
	uint16_t rx_max, mac_max; /* longest frame, with CRC: of queue contexts, of the MAC */
	struct xl710_phy phy;
	_Atomic bool link_up; /* cable and PHY */
	bool link_events;     /* the driver waits for one */
	uint16_t events_masked;
	_Atomic uint64_t rx_interrupts; /* bit i: Rx ring i is wired to vector 0 */
	_Atomic bool armed,
		pending;            /* vector 0: may be raised; something came while it might not */
	_Atomic uint64_t crc_stays; /* bit i: Rx ring i shows the CRC */
	/* an Rx descriptor's second half but for the length, by a frame's flags */
	uint64_t rx_word[XL710_RX_WORDS];
	struct rss_hash hash;
	struct counts counts;
	struct totals shown; /* in registers: of one moment, bytes with CRC */
	uint64_t fresh;      /* counters not read since then, a bit each */
	/* By the thread that moves frames; cleared under trap_lock(). */
	struct xl710_director_filter director[XL710_DIRECTOR_FILTERS];
	_Atomic unsigned director_n;
	struct ethertype_filter ethertype[XL710_ETHERTYPES]; /* written under trap_lock() */
};

static inline struct xl710 *
xl710_state(const struct model *m)
{
	return m->state;
}

/* model_family.reset. */
void xl710_reset(struct model *m);

/* Act on a register that the driver wrote, directly or by a command: value is there already. */
void xl710_written(struct model *m, uint32_t offset, uint32_t old, uint32_t value);

/*
 * Raise vector 0 for a cause, when the driver lets it; else when it does next. Thread: under
 * trap_lock().
 */
void xl710_cause(struct model *m, uint32_t cause);

/* An Rx ring that is wired to vector 0 got packets. Thread: the one that moves frames. */
void xl710_rx_interrupt(struct model *m);

/* PFINT_DYN_CTL0, QINT_RQCTL of a queue: were written. */
void xl710_vector_control(struct model *m, uint32_t value);
void xl710_rx_cause(struct model *m, unsigned queue, uint32_t value);

/* PFHMC_SDCMD: a segment of the function's private memory. */
void xl710_segment_command(struct model *m, uint32_t value);

/* QRX_ENA, QTX_ENA: a queue on or off, once its context makes sense. offset: of the register. */
void xl710_queue_switch(struct model *m, uint32_t offset, uint32_t value, bool rx);

/* Fill rx_word and the lanes of counts. */
void xl710_tables_make(struct xl710 *s);

/* Word at an address of the NVM's shadow RAM. */
uint16_t xl710_nvm_word(uint32_t address);

/* Longest frame that Rx accepts, from queue contexts and MAC. */
void xl710_frame_max(struct model *m);

/* The PHY or the cable changed: link register, event, interrupt. */
void xl710_link_refresh(struct model *m);

/* Carry out the commands between head and tail of the admin send queue. */
void xl710_aq_run(struct model *m);

/* Make a counter's register up to date before it is read. offset: XL710_STATISTICS... */
void xl710_counter_read(struct model *m, uint32_t offset);

/* What each packet class is hashed over, at power on. */
void xl710_rss_reset(struct model *m);

/* Fields that xl710_input_copy() knows. */
uint64_t xl710_input_known(void);

/*
 * Copy the chosen fields of a packet, XL710_INPUT_BYTES at most; answer: sources as destinations
 * and the other way round. Returns bytes.
 */
unsigned xl710_input_copy(const struct packet_parts *in, uint64_t chosen, bool answer, uint8_t *to);

/*
 * The queue that a filter chooses for a packet, MODEL_QUEUE_DROP, or -1 where RSS decides. Thread:
 * the one that moves frames.
 */
int xl710_filter(const struct model *m, const struct packet_parts *p, unsigned class,
	const uint8_t *pkt);

/* Learn the filters between head and tail of a ring that carries nothing else. Returns descriptors. */
uint16_t xl710_filters_take(struct model *m, struct ring *r);

/* A register was written: true when it decides what filters do. */
bool xl710_filter_written(struct model *m, uint32_t offset, uint32_t value);

/* No filter is left. */
void xl710_filters_reset(struct model *m);

/* The ring operations, and RSS, of the family: see model.h. */
uint16_t xl710_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash);
uint16_t xl710_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max);
void xl710_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n);
uint16_t xl710_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max,
	uint16_t *descs);
void xl710_tx_done(struct model *m, struct ring *r, uint16_t descs);
uint8_t *xl710_buffer(const struct ring *r, uint16_t i, bool rx);
