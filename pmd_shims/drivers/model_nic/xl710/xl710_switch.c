/* Firmware answers about the function, its switch and its VSIs. Source: Intel XL710 datasheet
 * 7.4.9, 7.10. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/xl710/xl710_aq_priv.h"

#include <string.h>

uint16_t
xl710_aq_capabilities(struct model *m, struct command *c, uint8_t *buffer)
{
	static const struct {
		uint16_t id;
		uint32_t number, logical, physical;
	} rows[] = {
		{ 0x0001 },             /* switch mode */
		{ 0x0005, 1 },          /* valid functions */
		{ 0x0017, XL710_VSIS }, /* VSIs */
		{ 0x0018, 1, 1, 1 },    /* DCB: map and number of traffic classes */
		{ 0x0040, 512, 6 },     /* RSS: entries of the table, bits of an entry */
		{ 0x0041, 128 },        /* Rx queues */
		{ 0x0042, 128 },        /* Tx queues */
		{ 0x0043, 129 }, /* vectors: the driver needs more than one for each of 64 queues */
		{ 0x0045, 512,
			/* flow director: filters guaranteed, shared; 0 would fail the probe */
			7680 },
	};
	enum { ROW_BYTES = 32 };
	const unsigned n = sizeof(rows) / sizeof(rows[0]);

	if (buffer == NULL || c->bytes < n * ROW_BYTES) {
		c->bytes = (uint16_t)(n * ROW_BYTES);
		return AQ_NO_MEMORY;
	}
	memset(buffer, 0, c->bytes);
	for (unsigned i = 0; i < n; i++) {
		uint8_t *row = buffer + (size_t)i * ROW_BYTES;

		memcpy(row, &rows[i].id, 2);
		row[2] = 1; /* revision */
		memcpy(row + 4, &rows[i].number, 4);
		memcpy(row + 8, &rows[i].logical, 4);
		memcpy(row + 12, &rows[i].physical, 4);
	}
	c->dword[1] = n;
	c->bytes = (uint16_t)(n * ROW_BYTES);
	return AQ_OK;
}

uint16_t
xl710_aq_mac_read(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { VALID_FUNCTION = 0x10, VALID_PORT = 0x40, PORT = 12, BYTES = 24 };

	if (buffer == NULL || c->bytes < BYTES)
		return AQ_INVALID;
	memset(buffer, 0, BYTES);
	memcpy(buffer, m->mac, sizeof(m->mac));
	memcpy(buffer + PORT, m->mac, sizeof(m->mac));
	c->word[0] |= VALID_FUNCTION | VALID_PORT;
	return AQ_OK;
}

uint16_t
xl710_aq_switch_config(struct model *m, struct command *c, uint8_t *buffer)
{
	const uint16_t one = 1, seid = XL710_SEID, uplink = XL710_UPLINK;
	enum { ELEMENT = 16, BYTES = 32, TYPE_VSI = 19, REGULAR = 1 };

	if (buffer == NULL || c->bytes < BYTES)
		return AQ_INVALID;
	memset(buffer, 0, c->bytes);
	memcpy(buffer, &one, 2);     /* number of elements reported */
	memcpy(buffer + 2, &one, 2); /* total number of elements */
	buffer[ELEMENT] = TYPE_VSI;
	buffer[ELEMENT + 1] = 1;
	memcpy(buffer + ELEMENT + 2, &seid, 2);
	memcpy(buffer + ELEMENT + 4, &uplink, 2);
	buffer[ELEMENT + 11] = REGULAR;
	c->word[0] = 0; /* no more */
	return AQ_OK;
}

uint16_t
xl710_aq_port_parameters(struct model *m, struct command *c, uint8_t *buffer)
{
	c->word[2] = XL710_SEID; /* default */
	return AQ_OK;
}

/* Offsets and bits in a VSI's properties, 128 bytes. */
enum {
	VSI_SECTIONS = 0,
	SECTION_VLAN = 0x04,
	SECTION_QUEUES = 0x40,
	VSI_VLAN_FLAGS = 12,
	VSI_QUEUES = 30,
	VSI_CLASS = 62,
	VSI_FIRMWARE = 96, /* from here on written by firmware */
	VSI_QUEUE_SET = 96,
	VSI_COUNTER = 112,
};

static uint16_t
word_at(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * Apply the main VSI's properties: its queues, and whether tags are stripped.
 */
static void
vsi_learn(struct model *m, const uint8_t *properties)
{
	enum { TAGS_STAY = 0x18, QUEUE_MASK = 0x7ff, CLASS_QUEUES = 9 };
	struct xl710 *s = xl710_state(m);
	uint16_t sections = word_at(properties + VSI_SECTIONS);

	if ((sections & SECTION_VLAN) != 0)
		atomic_store(&m->vlan_strip, (properties[VSI_VLAN_FLAGS] & TAGS_STAY) != TAGS_STAY);
	if ((sections & SECTION_QUEUES) == 0)
		return;
	atomic_store(&s->first_queue, word_at(properties + VSI_QUEUES) & QUEUE_MASK);
	atomic_store(&s->rss_queues, 1 << (word_at(properties + VSI_CLASS) >> CLASS_QUEUES & 7));
	atomic_fetch_add(&m->rss_generation, 1);
}

static void
vsi_answer(const struct xl710 *s, struct command *c, uint8_t *buffer, unsigned number)
{
	const uint16_t counter = XL710_COUNTER, queue_set = (uint16_t)number;
	unsigned used = 0;

	for (unsigned i = 0; i < XL710_VSIS; i++)
		used += s->vsi_used[i];
	memcpy(buffer, s->vsi[number], XL710_VSI_BYTES);
	memset(buffer + VSI_FIRMWARE, 0, XL710_VSI_BYTES - VSI_FIRMWARE);
	memcpy(buffer + VSI_QUEUE_SET, &queue_set, 2);
	memcpy(buffer + VSI_COUNTER, &counter, 2);
	c->word[0] = (uint16_t)(XL710_SEID + number);
	c->word[1] = (uint16_t)number;
	c->word[2] = (uint16_t)used;
	c->word[3] = (uint16_t)(XL710_VSIS - used);
}

uint16_t
xl710_aq_vsi_add(struct model *m, struct command *c, uint8_t *buffer)
{
	struct xl710 *s = xl710_state(m);
	unsigned number = 0;

	if (buffer == NULL || c->bytes < XL710_VSI_BYTES)
		return AQ_INVALID;
	while (number < XL710_VSIS && s->vsi_used[number])
		number++;
	if (number == XL710_VSIS)
		return AQ_NO_SPACE;
	s->vsi_used[number] = true;
	memcpy(s->vsi[number], buffer, XL710_VSI_BYTES);
	vsi_answer(s, c, buffer, number);
	return AQ_OK;
}

/* Read or update a VSI's properties. */
uint16_t
xl710_aq_vsi_access(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { UPDATE = 0x0211 };
	struct xl710 *s = xl710_state(m);
	unsigned number = (c->word[0] & 0x3ffu) - XL710_SEID;

	if (buffer == NULL || c->bytes < XL710_VSI_BYTES)
		return AQ_INVALID;
	if (number >= XL710_VSIS || !s->vsi_used[number])
		return AQ_NO_ENTRY;
	if (c->opcode == UPDATE) {
		memcpy(s->vsi[number], buffer, XL710_VSI_BYTES);
		if (number == 0)
			vsi_learn(m, buffer);
	}
	vsi_answer(s, c, buffer, number);
	return AQ_OK;
}

uint16_t
xl710_aq_veb_add(struct model *m, struct command *c, uint8_t *buffer)
{
	memset(c->byte, 0, sizeof(c->byte));
	c->word[3] = 1; /* switch */
	c->word[4] = XL710_SEID_VEB;
	c->word[6] = 1; /* used */
	return AQ_OK;
}

uint16_t
xl710_aq_veb_get(struct model *m, struct command *c, uint8_t *buffer)
{
	c->word[1] = 1; /* switch */
	c->word[2] = c->word[3] = 0;
	return AQ_OK;
}

uint16_t
xl710_aq_element_delete(struct model *m, struct command *c, uint8_t *buffer)
{
	unsigned number = (c->word[0] & 0x3ffu) - XL710_SEID;

	/* The VSI that exists at power on is not deleted. */
	if (number > 0 && number < XL710_VSIS)
		xl710_state(m)->vsi_used[number] = false;
	return AQ_OK;
}
