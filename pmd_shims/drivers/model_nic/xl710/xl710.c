/* Model of the XL710 for net_i40e: NVM, counters, queues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/xl710/xl710.h"

#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

#include <string.h>

enum { BAR_BYTES = 8 << 20, PAGE = 4096, TX_HEAD = 0xe4000 };

static void
link_changed(struct model *m, bool up)
{
	xl710_link_refresh(m);
}

/*
 * Announce a global reset. net_i40e only logs it; the application has to reset the port.
 */
static void
reset_announce(struct model *m)
{
	const uint32_t global_reset = UINT32_C(1) << 20;

	xl710_cause(m, global_reset);
}

/* Commands may write registers, but not the tail of the command ring. */
static void
written(struct model *m, uint32_t offset, uint32_t old, uint32_t value)
{
	if (offset == XL710_ATQ_TAIL)
		xl710_aq_run(m);
	else
		xl710_written(m, offset, old, value);
}

static void
before_read(struct model *m, uint32_t offset)
{
	if (offset >= XL710_STATISTICS && offset < XL710_STATISTICS_END)
		xl710_counter_read(m, offset);
	else if (offset == XL710_INT_CAUSE && atomic_exchange(&xl710_state(m)->queue_cause, false))
		model_reg_set(m, offset, model_reg(m, offset) | XL710_CAUSE_QUEUE);
	else if (xl710_among(offset, TX_HEAD, MODEL_QUEUES_MAX, 4))
		model_reg_set(m, offset, m->tx[(offset - TX_HEAD) / 4].head);
}

static void
after_read(struct model *m, uint32_t offset)
{
	if (offset == XL710_INT_CAUSE)
		model_reg_set(m, offset, 0);
}

const struct model_family model_xl710 = {
	.name = "xl710",
	.text = "Intel XL710 (i40e)",
	.vendor_id = 0x8086,
	.device_id = 0x1583,
	.bar_len = BAR_BYTES,
	.msix = { XL710_VECTORS, 3, 32 << 10, 0x1000 },
	.state_size = sizeof(struct xl710),
	.queues_max = MODEL_DATA_QUEUES,
	.open = { { XL710_TX_TAIL, PAGE }, { XL710_RX_TAIL, PAGE } },
	.reset = xl710_reset,
	.before_read = before_read,
	.after_read = after_read,
	.written = written,
	.link = link_changed,
	.reset_announce = reset_announce,
	.accepts = xl710_accepts,
	.rss = xl710_rss,
	.rx_peek = xl710_rx_peek,
	.rx_give = xl710_rx_give,
	.tx_take = xl710_tx_take,
	.tx_done = xl710_tx_done,
	.buffer = xl710_buffer,
};

/* The XL710's NVM: the few words that net_i40e reads; all others are 0. Source: Intel XL710
 * datasheet, chapter 6. */

uint16_t
xl710_nvm_word(uint32_t address)
{
	enum { SETTINGS = 0x0100, LLDP = 0x2b, LLDP_OFFSET = 4, BOOT = 0x0200 };
	enum { VALID = 1 << 6, CHECKSUM = 0x3f, SUM = 0xbaba };
	static const struct {
		uint16_t address, word;
	} words[] = {
		{ 0x00, VALID }, { 0x2f, 0x7c00 },
		{ 0x3e, 0x7e00 },                 /* areas that have no checksum */
		{ 0x17, BOOT }, { 0x18, 0x6010 }, /* version 6.01 */
		{ 0x2d, 0x0710 },                 /* image: 80000710 */
		{ 0x2e, 0x8000 }, { 0x48, SETTINGS }, { SETTINGS + LLDP, LLDP_OFFSET },
		{ SETTINGS + LLDP + LLDP_OFFSET + 1, 0x3333 }, /* each port: receive and send */
	};

	uint32_t sum = 0;

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].address == address)
			return words[i].word;
		sum += words[i].word;
	}
	return address == CHECKSUM ? (uint16_t)(SUM - sum) : 0;
}

/* Counters of the XL710: free-running registers, computed from rings and report when the driver
 * reads them. */

/*
 * All counters show the same moment until one of them is read a second time. Reading does not clear
 * them, so nothing is lost.
 */
static const struct {
	uint32_t offset;
	uint16_t field; /* offset in shown */
} counters[] = {
#define FIELD(name) offsetof(struct totals, name)
	{ 0x358000 + 8 * XL710_COUNTER, FIELD(rx_bytes) }, /* GLV_GORC */
	{ 0x36c000 + 8 * XL710_COUNTER, FIELD(rx) },       /* GLV_UPRC */
	{ 0x328000 + 8 * XL710_COUNTER, FIELD(tx_bytes) }, /* GLV_GOTC */
	{ 0x33c000 + 8 * XL710_COUNTER, FIELD(tx) },       /* GLV_UPTC */
	{ 0x300000, FIELD(rx_bytes) },                     /* GLPRT_... */
	{ 0x300080, FIELD(errors) },                       /* CRC */
	{ 0x300120, FIELD(oversize) },
	{ 0x300480, FIELD(rx_sizes[0]) },
	{ 0x3004a0, FIELD(rx_sizes[1]) },
	{ 0x3004c0, FIELD(rx_sizes[2]) },
	{ 0x3004e0, FIELD(rx_sizes[3]) },
	{ 0x300500, FIELD(rx_sizes[4]) },
	{ 0x300520, FIELD(rx_sizes[5]) },
	{ 0x300540, FIELD(rx_sizes[6]) },
	{ 0x3005a0, FIELD(rx) },
	{ 0x300600, FIELD(missed) },
	{ 0x300680, FIELD(tx_bytes) },
	{ 0x3006a0, FIELD(tx_sizes[0]) },
	{ 0x3006c0, FIELD(tx_sizes[1]) },
	{ 0x3006e0, FIELD(tx_sizes[2]) },
	{ 0x300700, FIELD(tx_sizes[3]) },
	{ 0x300720, FIELD(tx_sizes[4]) },
	{ 0x300740, FIELD(tx_sizes[5]) },
	{ 0x300760, FIELD(tx_sizes[6]) },
	{ 0x3009c0, FIELD(tx) },
#undef FIELD
};

enum { COUNTERS = sizeof(counters) / sizeof(counters[0]) };

/* Update the totals that the registers show; their bytes include the CRC. */
static void
show(struct model *m)
{
	struct xl710 *s = xl710_state(m);

	counts_total(m, &s->counts, &s->shown);
	s->shown.rx_bytes += CRC_BYTES * s->shown.rx;
	s->shown.tx_bytes += CRC_BYTES * s->shown.tx;
	s->fresh = (UINT64_C(1) << COUNTERS) - 1;
}

void
xl710_counter_read(struct model *m, uint32_t offset)
{
	const uint64_t low = UINT32_MAX, high = 0xffff;
	struct xl710 *s = xl710_state(m);
	uint64_t value;

	for (unsigned i = 0; i < COUNTERS; i++) {
		if (counters[i].offset != offset)
			continue;
		if ((s->fresh >> i & 1) == 0)
			show(m);
		s->fresh &= ~(UINT64_C(1) << i);
		memcpy(&value, (const uint8_t *)&s->shown + counters[i].field, sizeof(value));
		model_reg_set(m, offset, (uint32_t)(value & low));
		model_reg_set(m, offset + 4, (uint32_t)(value >> 32 & high));
	}
}

/* Enables and disables queues of the XL710: contexts in the function's private memory, rings from
 * contexts. */

enum { QUEUE_PAGE = 4096, DESCS_MIN = 8, DESCS_MAX = 8160 };

enum {
	SEGMENT_LOW = 0xc0100,
	SEGMENT_HIGH = 0xc0200,
	TX_CONTEXTS = 0xc6200,
	RX_CONTEXTS = 0xc6400,
};

/* Bits [at, at + n) of a context; n: at most 57. */
static uint64_t
bits(const uint8_t *context, unsigned at, unsigned n)
{
	uint64_t value;

	memcpy(&value, context + at / 8, sizeof(value));
	return value >> at % 8 & ((UINT64_C(1) << n) - 1);
}

/* A queue's context in the function's private memory; NULL: the driver has provided no memory. */
static const uint8_t *
context_of(const struct model *m, uint32_t base, unsigned queue, unsigned bytes)
{
	const uint64_t block = 512, segment_bytes = 2 << 20, valid = 1, direct = 2;
	const struct xl710 *s = xl710_state(m);
	uint64_t address = (model_reg(m, base) & 0xffffff) * block + (uint64_t)queue * bytes;
	uint64_t offset = address % segment_bytes, segment, page;

	if (address / segment_bytes >= XL710_SEGMENTS)
		return NULL;
	segment = s->segment[address / segment_bytes];
	if ((segment & valid) == 0)
		return NULL;
	if ((segment & direct) != 0)
		return (const uint8_t *)(uintptr_t)((segment & ~(uint64_t)(QUEUE_PAGE - 1)) +
			offset);
	memcpy(&page,
		(const uint64_t *)(uintptr_t)(segment & ~(uint64_t)(QUEUE_PAGE - 1)) +
			offset / QUEUE_PAGE,
		sizeof(page));
	if ((page & valid) == 0)
		return NULL;
	return (const uint8_t *)(uintptr_t)((page & ~(uint64_t)(QUEUE_PAGE - 1)) +
		offset % QUEUE_PAGE);
}

void
xl710_segment_command(struct model *m, uint32_t value)
{
	const uint32_t write = UINT32_C(1) << 31, index = value & 0xfff, page = QUEUE_PAGE - 1;

	if ((value & write) != 0 && index < XL710_SEGMENTS)
		xl710_state(m)->segment[index] = (uint64_t)model_reg(m, SEGMENT_HIGH) << 32 |
			(model_reg(m, SEGMENT_LOW) & (~page | 3));
}

void
xl710_frame_max(struct model *m)
{
	const struct xl710 *s = xl710_state(m);
	uint16_t max = s->rx_max < s->mac_max ? s->rx_max : s->mac_max;

	atomic_store(&m->frame_max, (uint32_t)(max > CRC_BYTES ? max - CRC_BYTES : 0));
}

static bool
rx_context(struct model *m, struct ring *r, const uint8_t *c)
{
	struct xl710 *s = xl710_state(m);

	r->size = (uint16_t)bits(c, 89, 13);
	r->buf_len = (uint16_t)(bits(c, 102, 7) * 128);
	r->desc_size = bits(c, 116, 1) != 0 ? 32 : 16;
	xl710_ring_mark(&s->crc_stays, r->index, bits(c, 117, 1) == 0);
	s->rx_max = (uint16_t)bits(c, 174, 14);
	atomic_store(&m->scattered, s->rx_max > r->buf_len);
	xl710_frame_max(m);
	return r->buf_len > CRC_BYTES;
}

/*
 * Set up a ring from the context that the driver has written. Returns NULL, or why the queue cannot
 * be enabled.
 */
static const char *
ring_set_up(struct model *m, struct ring *r, unsigned queue, bool rx)
{
	struct xl710 *s = xl710_state(m);
	const uint8_t *c = rx ? context_of(m, RX_CONTEXTS, queue, 32)
			      : context_of(m, TX_CONTEXTS, queue, 128);
	unsigned first = atomic_load(&s->first_queue), data = queue - first;
	bool filters = queue < first || queue == atomic_load(&s->filter_queue);

	if (c == NULL)
		return "it has no context";
	if (!filters && data >= MODEL_DATA_QUEUES)
		return "a modelled port has 64 queues";
	r->index = (uint16_t)queue;
	r->data_queue = (int16_t)(filters ? -1 : (int)data);
	r->desc = (uint8_t *)(uintptr_t)(bits(c, 32, 57) * 128);
	r->tail = (volatile uint32_t *)(volatile void *)(m->bar +
		(rx ? XL710_RX_TAIL : XL710_TX_TAIL) + 4 * queue);
	if (rx) {
		if (!rx_context(m, r, c))
			return "the buffer size is 0";
	} else {
		r->size = (uint16_t)bits(c, 161, 13);
		r->desc_size = 16;
		s->tx_head[queue] = bits(c, 160, 1) != 0
			? (uint32_t *)(uintptr_t)(bits(c, 192, 32) | bits(c, 224, 32) << 32)
			: NULL;
		*r->tail = 0;
	}
	if (r->desc == NULL || r->size < DESCS_MIN || r->size > DESCS_MAX)
		return "no ring address, or an unsupported ring size";
	return NULL;
}

/* The status bit is set or cleared once the queue is enabled or disabled. */
void
xl710_queue_switch(struct model *m, uint32_t offset, uint32_t value, bool rx)
{
	const uint32_t request = 1, status = 4;
	unsigned queue = (offset - (rx ? XL710_RX_ENABLE : XL710_TX_ENABLE)) / 4;
	struct ring *r = rx ? &m->rx[queue % MODEL_QUEUES_MAX] : &m->tx[queue % MODEL_QUEUES_MAX];
	const char *why = "the model has no such queue";
	bool on = (value & request) != 0;

	if (queue < MODEL_QUEUES_MAX) {
		model_ring_disable(m, r);
		why = on ? ring_set_up(m, r, queue, rx) : NULL;
	}
	if (on && why == NULL)
		model_ring_enable(m, r);
	else if (on)
		model_log(m, 0, "%s queue %u cannot be enabled: %s", rx ? "Rx" : "Tx", queue, why);
	model_reg_set(m, offset, on && why == NULL ? value | status : value & ~status);
}
