/* See model_nic_xl710_bed.h. */
#include "model_nic_xl710_bed.h"

#include <stdlib.h>
#include <string.h>

enum {
	COMMANDS = 32,
	EVENTS = 8,
	PRIVATE_BYTES = 2 << 20,
	PAGE = 4096,
	RX_CONTEXTS_AT = 64 * 1024, /* in private memory; Tx contexts at 0 */
};

static uint8_t *private, *buffer;
static struct command *commands, *events;
static uint64_t *pages;

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

int
bed_set_up(void **state)
{
	const uint32_t enabled = UINT32_C(1) << 31;

	bed_power_on(&model_xl710);
	private = bed_zeroed(PRIVATE_BYTES);
	pages = bed_zeroed(PAGE);
	buffer = bed_zeroed(BED_BUFFER);
	commands = bed_zeroed(PAGE);
	events = bed_zeroed(PAGE);
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
	void *all[] = { private, pages, buffer, commands, events };

	bed_power_off();
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

uint64_t
bed_counter(uint32_t offset)
{
	bed_read(offset);
	return bed_read(offset) | (uint64_t)bed_read(offset + 4) << 32;
}
