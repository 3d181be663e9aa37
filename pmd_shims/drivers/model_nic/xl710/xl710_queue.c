/* Enables and disables queues of the XL710: contexts in the function's private memory, rings from
 * contexts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

#include <string.h>

enum { PAGE = 4096, DESCS_MIN = 8, DESCS_MAX = 8160 };

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
		return (const uint8_t *)(uintptr_t)((segment & ~(uint64_t)(PAGE - 1)) + offset);
	memcpy(&page,
		(const uint64_t *)(uintptr_t)(segment & ~(uint64_t)(PAGE - 1)) + offset / PAGE,
		sizeof(page));
	if ((page & valid) == 0)
		return NULL;
	return (const uint8_t *)(uintptr_t)((page & ~(uint64_t)(PAGE - 1)) + offset % PAGE);
}

void
xl710_segment_command(struct model *m, uint32_t value)
{
	const uint32_t write = UINT32_C(1) << 31, index = value & 0xfff, page = PAGE - 1;

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
	uint64_t bit = UINT64_C(1) << r->index;

	r->size = (uint16_t)bits(c, 89, 13);
	r->buf_len = (uint16_t)(bits(c, 102, 7) * 128);
	r->desc_size = bits(c, 116, 1) != 0 ? 32 : 16;
	if (bits(c, 117, 1) != 0)
		atomic_fetch_and(&s->crc_stays, ~bit);
	else
		atomic_fetch_or(&s->crc_stays, bit);
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

	if (c == NULL)
		return "it has no context";
	if (queue >= first && data >= MODEL_DATA_QUEUES)
		return "a modelled port has 16 queues";
	r->index = (uint16_t)queue;
	r->data_queue = (int16_t)(queue >= first ? (int)data : -1);
	r->desc = (uint8_t *)(uintptr_t)(bits(c, 32, 57) * 128);
	r->tail = (volatile uint32_t *)(volatile void *)(m->bar +
		(rx ? XL710_RX_TAIL : XL710_TX_TAIL) + 4 * queue);
	if (rx) {
		if (!rx_context(m, r, c))
			return "the buffer size is 0";
	} else {
		r->size = (uint16_t)bits(c, 161, 13);
		r->desc_size = 16;
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
