/* See model_nic_xl710_bed.h. */
#include "model_nic_xl710_bed.h"

#include "model_nic.h"
#include "traffic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	COMMANDS = 32,
	EVENTS = 8,
	PRIVATE_BYTES = 2 << 20,
	RING_BYTES = 8192 * 32,
	PAGE = 4096,
	RX_CONTEXTS_AT = 64 * 1024, /* in private memory; Tx contexts at 0 */
};

struct model bed;
unsigned bed_interrupts, bed_enabled, bed_disabled;
char bed_log[256];
struct model_nic_report bed_report;
uint8_t *bed_rx_desc, *bed_tx_desc;

static uint8_t *private, *buffer;
static struct command *commands, *events;
static uint64_t *pages;

void
model_ring_enable(struct model *m, struct ring *r)
{
	r->head = r->seen = 0;
	atomic_store(&r->enabled, true);
	bed_enabled++;
}

void
model_ring_disable(struct model *m, struct ring *r)
{
	if (atomic_exchange(&r->enabled, false))
		bed_disabled++;
}

void
model_rings_disable(struct model *m)
{
	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++) {
		model_ring_disable(m, &m->rx[i]);
		model_ring_disable(m, &m->tx[i]);
	}
}

void
model_interrupt(struct model *m)
{
	bed_interrupts++;
}

void
model_log(const struct model *m, int level, const char *format, ...)
{
	va_list arguments;

	if (level > 1)
		return;
	va_start(arguments, format);
	vsnprintf(bed_log, sizeof(bed_log), format, arguments);
	va_end(arguments);
}

void
traffic_report(struct traffic *t, struct model_nic_report *r)
{
	*r = bed_report;
}

uint32_t
bed_read(uint32_t offset)
{
	uint32_t value;

	bed.family->before_read(&bed, offset);
	value = model_reg(&bed, offset);
	bed.family->after_read(&bed, offset);
	return value;
}

void
bed_write(uint32_t offset, uint32_t value)
{
	uint32_t old = model_reg(&bed, offset);

	model_reg_set(&bed, offset, value);
	bed.family->written(&bed, offset, old, value);
}

static void
address_write(uint32_t low, uint32_t high, const void *p)
{
	bed_write(low, (uint32_t)(uintptr_t)p);
	bed_write(high, (uint32_t)((uint64_t)(uintptr_t)p >> 32));
}

static void
segment_write(const void *p, bool direct)
{
	enum { VALID = 1, DIRECT = 2, COMMAND = 0xc0000, LOW = 0xc0100, HIGH = 0xc0200 };

	bed_write(HIGH, (uint32_t)((uint64_t)(uintptr_t)p >> 32));
	bed_write(LOW, (uint32_t)(uintptr_t)p | VALID | (direct ? DIRECT : 0));
	bed_write(COMMAND, UINT32_C(1) << 31);
}

uint8_t *
bed_private(void)
{
	return private;
}

void
bed_private_paged(void)
{
	for (unsigned i = 0; i < PRIVATE_BYTES / PAGE; i++)
		pages[i] = (uint64_t)(uintptr_t)(private + (size_t)i * PAGE) | 1;
	segment_write(pages, false);
}

static void *
zeroed(size_t bytes)
{
	void *p = aligned_alloc(PAGE, bytes);

	if (p == NULL)
		abort();
	return memset(p, 0, bytes);
}

int
bed_set_up(void **state)
{
	const uint32_t enabled = UINT32_C(1) << 31;

	memset(&bed, 0, sizeof(bed));
	bed.family = &model_xl710;
	bed.bar = zeroed(model_xl710.bar_len);
	bed.state = zeroed((model_xl710.state_size + PAGE - 1) / PAGE * PAGE);
	private = zeroed(PRIVATE_BYTES);
	pages = zeroed(PAGE);
	bed_rx_desc = zeroed(RING_BYTES);
	bed_tx_desc = zeroed(RING_BYTES);
	buffer = zeroed(BED_BUFFER);
	commands = zeroed(PAGE);
	events = zeroed(PAGE);
	memcpy(bed.mac, (const uint8_t[]){ 2, 0x4d, 0x4e, 1, 2, 3 }, sizeof(bed.mac));
	atomic_store(&bed.link_up, true);
	bed_interrupts = bed_enabled = bed_disabled = 0;
	bed_log[0] = '\0';
	memset(&bed_report, 0, sizeof(bed_report));
	bed.family->reset(&bed);
	segment_write(private, true);
	bed_write(0xc6400, RX_CONTEXTS_AT / 512);
	address_write(XL710_ATQ_LOW, XL710_ATQ_HIGH, commands);
	bed_write(XL710_ATQ_LEN, COMMANDS | enabled);
	address_write(XL710_ARQ_LOW, XL710_ARQ_HIGH, events);
	bed_write(XL710_ARQ_LEN, EVENTS | enabled);
	bed_write(XL710_ARQ_TAIL, EVENTS - 1);
	return 0;
}

int
bed_tear_down(void **state)
{
	void *all[] = { bed.bar, bed.state, private, pages, bed_rx_desc, bed_tx_desc, buffer,
		commands, events };

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]);
	return 0;
}

uint16_t
bed_command(struct command *c, void *data, uint16_t bytes)
{
	uint32_t at = bed_read(XL710_ATQ_HEAD), next = at + 1 == COMMANDS ? 0 : at + 1;

	if (data != NULL) {
		memcpy(buffer, data, bytes);
		c->flags |= XL710_AQ_BUFFER;
		c->bytes = bytes;
		c->dword[2] = (uint32_t)((uint64_t)(uintptr_t)buffer >> 32);
		c->dword[3] = (uint32_t)(uintptr_t)buffer;
	}
	commands[at] = *c;
	bed_write(XL710_ATQ_TAIL, next);
	if (bed_read(XL710_ATQ_HEAD) != next)
		abort();
	*c = commands[at];
	if (data != NULL)
		memcpy(data, buffer, bytes);
	return c->result;
}

void
bed_vsi(unsigned power, bool strip)
{
	uint8_t properties[XL710_VSI_BYTES] = { 0x44 }; /* VLAN and queue sections */
	struct command c = { .opcode = 0x0211, .word = { XL710_SEID } };
	uint16_t class = (uint16_t)(power << 9);

	properties[12] = strip ? 0x03 : 0x1b;
	properties[30] = BED_QUEUE;
	memcpy(properties + 62, &class, sizeof(class));
	bed_command(&c, properties, sizeof(properties));
}

static void
bits_set(uint8_t *context, unsigned at, unsigned n, uint64_t value)
{
	for (unsigned i = at; i < at + n; i++, value >>= 1)
		context[i / 8] = (uint8_t)((context[i / 8] & ~(1u << i % 8)) |
			(unsigned)(value & 1) << i % 8);
}

void
bed_rx_context(unsigned queue, struct bed_rx c)
{
	uint8_t *context = private + RX_CONTEXTS_AT + (size_t)queue * 32;

	memset(context, 0, 32);
	bits_set(context, 32, 57, (uint64_t)(uintptr_t)bed_rx_desc / 128);
	bits_set(context, 89, 13, c.size);
	bits_set(context, 102, 7, c.buffer_bytes / 128);
	bits_set(context, 116, 1, c.desc_32);
	bits_set(context, 117, 1, !c.crc_stays);
	bits_set(context, 174, 14, c.frame_max);
}

struct ring *
bed_rx_on(unsigned queue, struct bed_rx c)
{
	bed_rx_context(queue, c);
	bed_write(XL710_RX_TAIL + 4 * queue, 0);
	bed_write(XL710_RX_ENABLE + 4 * queue, 1);
	return &bed.rx[queue];
}

struct ring *
bed_tx_on(unsigned queue, uint16_t size)
{
	uint8_t *context = private + (size_t)queue * 128;

	memset(context, 0, 128);
	bits_set(context, 32, 57, (uint64_t)(uintptr_t)bed_tx_desc / 128);
	bits_set(context, 161, 13, size);
	bed_write(XL710_TX_ENABLE + 4 * queue, 1);
	return &bed.tx[queue];
}

uint64_t *
bed_quads(const struct ring *r, unsigned i)
{
	return (uint64_t *)(void *)(r->desc + (size_t)i * r->desc_size);
}

uint64_t
bed_buffer_of(unsigned i)
{
	enum { BUFFERS = 0x10000000 };

	return BUFFERS + (uint64_t)i * BED_ROOM;
}

uint64_t
bed_counter(uint32_t offset)
{
	bed_read(offset);
	return bed_read(offset) | (uint64_t)bed_read(offset + 4) << 32;
}
