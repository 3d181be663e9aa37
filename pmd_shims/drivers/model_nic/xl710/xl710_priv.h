/* Declarations shared by the files of the XL710: state, and functions on it. Source: Intel XL710
 * datasheet, chapter 10. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/counts.h"
#include "pmd_shims/drivers/model_nic/rss.h"

#include <stdbool.h>
#include <stdint.h>

/* Registers of the XL710 that more than one file uses: offsets in the BAR. */

enum {
	XL710_VECTOR_CONTROL = 0x34800, /* PFINT_DYN_CTLN of vectors 1 and higher */
	XL710_INT_CONTROL = 0x38480,    /* PFINT_DYN_CTL0 */
	XL710_INT_CAUSE = 0x38780,      /* PFINT_ICR0 */
	XL710_RX_CAUSE = 0x3a000,       /* QINT_RQCTL */
	XL710_TX_CAUSE = 0x3c000,       /* QINT_TQCTL */
	XL710_ATQ_LOW = 0x80000,
	XL710_ATQ_HIGH = 0x80100,
	XL710_ATQ_LEN = 0x80200,
	XL710_ATQ_HEAD = 0x80300,
	XL710_ATQ_TAIL = 0x80400,
	XL710_ARQ_LOW = 0x80080,
	XL710_ARQ_HIGH = 0x80180,
	XL710_ARQ_LEN = 0x80280,
	XL710_ARQ_HEAD = 0x80380,
	XL710_ARQ_TAIL = 0x80480,
	XL710_TX_ENABLE = 0x100000,
	XL710_TX_TAIL = 0x108000,
	XL710_RX_ENABLE = 0x120000,
	XL710_RX_TAIL = 0x128000,
	XL710_HLUT = 0x240000,
	XL710_HKEY = 0x244800,
	XL710_HENA = 0x245900,
	XL710_ARRAY = 128, /* bytes between the registers of HLUT, HKEY, HENA */
	XL710_HLUT_WORDS = 128,
	XL710_HKEY_WORDS = 13,
	XL710_FILTER_CONTROL = 0x1c0ac0, /* PFQF_CTL_0 */
	XL710_STRIP = 0x50800,           /* VSI_TSR of the main VSI */
	XL710_PORT_HASH = 0x256e60,      /* PRTQF_CTL_0: bit 0, symmetric hash */
	XL710_HASH_KIND = 0x269ba4,      /* GLQF_CTL: bit 1, Toeplitz, else XOR */
	XL710_SYMMETRIC = 0x269d00,      /* GLQF_HSYM of each packet class: bit 0 */
	XL710_HASH_INPUT = 0x267600,     /* GLQF_HASH_INSET: two words for each packet class */
	XL710_STATISTICS = 0x300000,
	XL710_STATISTICS_END = 0x380000,
};

/* True if offset is one of n registers from first on, step bytes apart. */
static inline bool
xl710_among(uint32_t offset, uint32_t first, uint32_t n, uint32_t step)
{
	return offset >= first && offset < first + n * step && (offset - first) % step == 0;
}

enum {
	XL710_VSIS = 16,
	XL710_VSI_BYTES = 128, /* bytes of a VSI's properties */
	XL710_SEGMENTS = 16,   /* segments of the function's private memory, 2 MiB each */
	/* combinations of flags that appear in an Rx descriptor */
	XL710_RX_WORDS = FRAME_ERROR * 2,
	XL710_FRAME_MAX = 9728, /* bytes with CRC */
	XL710_SEID = 390,       /* id of the VSI that exists at power on */
	XL710_SEID_VEB = 288,
	XL710_UPLINK = 16,
	/* GLV_* index of all VSIs; with the port's number it would count as internal traffic */
	XL710_COUNTER = 8,
	/* maximum bytes of a packet's fields that are hashed or compared */
	XL710_INPUT_BYTES = TOEPLITZ_BYTES + 2,
	XL710_DIRECTOR_FILTERS = 8192,
	XL710_ETHERTYPES = 16,
	XL710_MACS = 4096, /* filters of a MAC address, with or without a VLAN */
	XL710_VECTORS = 129,
	XL710_NO_QUEUE = 0xffff,
};

/* Bits of PFINT_ICR0. */
#define XL710_CAUSE_ADMIN (UINT32_C(1) << 30)
#define XL710_CAUSE_QUEUE (UINT32_C(3)) /* an event; of queue 0 */

/* The PHY as the driver configured it. */
struct xl710_phy {
	uint32_t types; /* bit mask; 0: no link */
	uint8_t speeds, abilities;
};

/* A filter of the flow director: values of the fields that its class compares. */
struct xl710_director_filter {
	uint8_t class, input[XL710_INPUT_BYTES];
	uint16_t bytes;
	int queue; /* or MODEL_QUEUE_DROP; -1: RSS decides */
};

/* Bits of struct ethertype_filter's what, above the EtherType. */
#define XL710_ETHERTYPE_ANY_MAC (UINT32_C(1) << 16)
#define XL710_ETHERTYPE_DROP (UINT32_C(1) << 17)

/* A filter for packets of an EtherType, to any or to one MAC address. */
struct ethertype_filter {
	_Atomic uint32_t what; /* written last; 0: no filter */
	uint8_t mac[6];
	uint16_t queue;
};

/* An interrupt vector. Any thread may raise it. */
struct xl710_vector {
	_Atomic bool armed;   /* it is enabled */
	_Atomic bool pending; /* it is to be raised when it is enabled */
};

/* A set of rings. Written by the driver's thread, read by the thread that moves frames. */
struct xl710_rings {
	_Atomic uint64_t bits[MODEL_QUEUES_MAX / 64];
};

/* Put a ring, 0..MODEL_QUEUES_MAX - 1, into a set, or take it out. */
static inline void
xl710_ring_mark(struct xl710_rings *set, unsigned ring, bool in)
{
	const uint64_t bit = UINT64_C(1) << ring % 64;

	if (in)
		atomic_fetch_or(&set->bits[ring / 64], bit);
	else
		atomic_fetch_and(&set->bits[ring / 64], ~bit);
}

struct xl710 {
	/* as written by PFHMC_SDCMD: address; bit 0: valid; bit 1: direct */
	uint64_t segment[XL710_SEGMENTS];
	uint8_t vsi[XL710_VSIS][XL710_VSI_BYTES];
	bool vsi_used[XL710_VSIS];
	/*
	 * The main VSI's first queue, and how many queues the redirection table can choose from.
	 * Read by the thread that moves frames.
	 */
	_Atomic uint16_t first_queue, rss_queues;
	/* the queue of the VSI for filters; XL710_NO_QUEUE: none behind first_queue */
	_Atomic uint16_t filter_queue;
	uint16_t rx_max, mac_max; /* maximum frame with CRC, of queue contexts and of the MAC */
	struct xl710_phy phy;
	_Atomic bool link_up; /* cable and PHY together */
	bool link_events;     /* the driver has requested an event */
	uint16_t events_masked;
	struct xl710_rings rx_interrupts; /* Rx rings that raise a vector */
	struct xl710_rings tx_interrupts; /* Tx rings whose reports raise a vector */
	_Atomic uint8_t rx_vector[MODEL_QUEUES_MAX], tx_vector[MODEL_QUEUES_MAX]; /* that vector */
	/* a queue has raised vector 0 since the cause was read */
	_Atomic bool queue_cause;
	struct xl710_vector vector[XL710_VECTORS];
	struct xl710_rings crc_stays;        /* Rx rings that include the CRC */
	uint32_t *tx_head[MODEL_QUEUES_MAX]; /* where the head is written to; NULL: nowhere */
	/* an Rx descriptor's second half without the length, by a frame's flags */
	uint64_t rx_word[XL710_RX_WORDS];
	struct rss_hash hash;
	struct counts counts;
	struct totals shown; /* totals in the registers: of one moment, bytes with CRC */
	uint64_t fresh;      /* counters that were not read since then, a bit each */
	/* Written by the thread that moves frames; cleared under trap_lock(). */
	struct xl710_director_filter director[XL710_DIRECTOR_FILTERS];
	_Atomic unsigned director_n;
	struct ethertype_filter ethertype[XL710_ETHERTYPES]; /* written under trap_lock() */
	/*
	 * The main VSI's filters in the first macs places, made by mac_key(); 0: a free place. Written
	 * under trap_lock().
	 */
	_Atomic uint64_t mac[XL710_MACS];
	_Atomic unsigned macs;
	_Atomic uint16_t promiscuous; /* bits of admin command 0x0254 */
	/* Tags: double VLAN mode, its outer EtherType. Under trap_lock(). */
	bool double_vlan;
	uint16_t first_tag;
	/* outer tags were stripped: descriptors have a second half to write */
	_Atomic bool second_tags;
};

static inline struct xl710 *
xl710_state(const struct model *m)
{
	return m->state;
}

/* Implements model_family.reset. */
void xl710_reset(struct model *m);

/* Handle a register that the driver has written, directly or by a command; it already has value. */
void xl710_written(struct model *m, uint32_t offset, uint32_t old, uint32_t value);

/*
 * Raise vector 0 for a cause, now or as soon as the driver enables it. Thread: any that holds
 * trap_lock().
 */
void xl710_cause(struct model *m, uint32_t cause);

/* Handle a write of a vector's PFINT_DYN_CTL, or of a queue's QINT_RQCTL or QINT_TQCTL. */
void xl710_vector_control(struct model *m, unsigned vector, uint32_t value);
void xl710_queue_cause(struct model *m, unsigned queue, bool rx, uint32_t value);

/* Handle a write of PFHMC_SDCMD, which sets a segment of the function's private memory. */
void xl710_segment_command(struct model *m, uint32_t value);

/*
 * Handle a write of QRX_ENA or QTX_ENA: disable a queue, or enable it if its context is valid.
 * offset: of the register.
 */
void xl710_queue_switch(struct model *m, uint32_t offset, uint32_t value, bool rx);

/* Fill rx_word and the table of counts. */
void xl710_tables_make(struct xl710 *s);

/* Read the word at an address of the NVM's shadow RAM. */
uint16_t xl710_nvm_word(uint32_t address);

/* Set m->frame_max from queue contexts and MAC. */
void xl710_frame_max(struct model *m);

/*
 * Update the link register after a change of PHY or cable; send an event if the link has changed.
 */
void xl710_link_refresh(struct model *m);

/* Execute the commands between head and tail of the admin send queue. */
void xl710_aq_run(struct model *m);

/* Update a counter's register before it is read. offset: in XL710_STATISTICS... */
void xl710_counter_read(struct model *m, uint32_t offset);

/* Set the fields that each packet class is hashed over to their values at power on. */
void xl710_rss_reset(struct model *m);

/* The fields that xl710_input_copy() supports. */
uint64_t xl710_input_known(void);

/*
 * Copy the chosen fields of a packet to to, at most XL710_INPUT_BYTES. answer: exchange sources and
 * destinations. Returns their bytes.
 */
unsigned xl710_input_copy(const struct packet_parts *in, uint64_t chosen, bool answer, uint8_t *to);

/*
 * The queue that a filter chooses for a packet, MODEL_QUEUE_DROP, or -1 if RSS decides. Thread: the
 * one that moves frames.
 */
int xl710_filter(const struct model *m, const struct packet_parts *p, unsigned class,
	const uint8_t *pkt);

/*
 * Add or remove the filters between head and tail of a ring that carries only these. Returns the
 * number of descriptors.
 */
uint16_t xl710_filters_take(struct model *m, struct ring *r);

/* Handle the write of a register. Returns true if it belongs to filters. */
bool xl710_filter_written(struct model *m, uint32_t offset, uint32_t value);

/* Remove all filters, but the one for the card's own address that firmware makes. */
void xl710_filters_reset(struct model *m);

/* Implements model_family.accepts: MAC and VLAN filters, and promiscuous modes. */
bool xl710_accepts(const struct model *m, const uint8_t *pkt, uint32_t len);

/* Set which outer tag is stripped, by VSI_TSR and the mode. */
void xl710_tags_learn(struct model *m);

/* Implement the functions of struct model_family for RSS and rings. */
uint16_t xl710_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash);
uint16_t xl710_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max);
void xl710_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n);
uint16_t xl710_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max,
	uint16_t *descs);
void xl710_tx_done(struct model *m, struct ring *r, uint16_t descs);
uint8_t *xl710_buffer(const struct ring *r, uint16_t i, bool rx);
