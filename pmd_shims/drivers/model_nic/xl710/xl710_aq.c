/* The XL710's admin queue, which executes commands when the driver moves the tail; the firmware's answers about switch, PHY and link. Source: Intel XL710 datasheet 7.10. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/xl710/xl710_aq_priv.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

#include <string.h>

static uint16_t
accept(struct model *m, struct command *c, uint8_t *buffer)
{
	return AQ_OK;
}

static uint16_t
zeros(struct model *m, struct command *c, uint8_t *buffer)
{
	if (buffer != NULL)
		memset(buffer, 0, c->bytes);
	return AQ_OK;
}

/*
 * Report firmware 6.1, since the driver handles VLANs differently with later firmware, and API 1.8,
 * since 1.7 and later report link types with the link.
 */
static uint16_t
version(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { FIRMWARE_MAJOR = 4, FIRMWARE_MINOR = 5, API_MAJOR = 6, API_MINOR = 7 }; /* words */

	memset(c->byte, 0, sizeof(c->byte));
	c->word[FIRMWARE_MAJOR] = 6;
	c->word[FIRMWARE_MINOR] = 1;
	c->word[API_MAJOR] = 1;
	c->word[API_MINOR] = 8;
	return AQ_OK;
}

static uint16_t
resource(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { TIMEOUT_MS = 1 }; /* dword */

	c->dword[TIMEOUT_MS] = 3000;
	return AQ_OK;
}

/* Limit the offset of a register in a command to the BAR; its last register is unused. */
static uint32_t
reachable(const struct model *m, uint32_t offset)
{
	return offset < m->family->bar_len ? offset & ~UINT32_C(3) : m->family->bar_len - 4;
}

/* Dwords of the commands that read and write registers. */
enum { REGISTER_OFFSET = 1, REGISTER_VALUE_HIGH = 2, REGISTER_VALUE = 3 };

static uint16_t
register_read(struct model *m, struct command *c, uint8_t *buffer)
{
	c->dword[REGISTER_VALUE_HIGH] = 0;
	c->dword[REGISTER_VALUE] = model_reg(m, reachable(m, c->dword[REGISTER_OFFSET]));
	return AQ_OK;
}

static uint16_t
register_write(struct model *m, struct command *c, uint8_t *buffer)
{
	uint32_t offset = reachable(m, c->dword[REGISTER_OFFSET]), old = model_reg(m, offset);

	/* A command that starts commands would never end; only a direct write can start them. */
	if (offset == XL710_ATQ_TAIL)
		return AQ_INVALID;
	model_reg_set(m, offset, c->dword[REGISTER_VALUE]);
	xl710_written(m, offset, old, c->dword[REGISTER_VALUE]);
	return AQ_OK;
}

static uint16_t
nvm_read(struct model *m, struct command *c, uint8_t *buffer)
{
	uint32_t module = c->byte[1], base, offset = c->dword[1] & 0xffffff;

	if (buffer == NULL || c->word[1] > c->bytes)
		return AQ_INVALID;
	base = module != 0 ? 2 * (uint32_t)xl710_nvm_word(module) : 0;
	for (uint32_t i = 0; i < c->word[1]; i++)
		buffer[i] = (uint8_t)(xl710_nvm_word((base + offset + i) / 2) >>
			(base + offset + i) % 2 * 8);
	return AQ_OK;
}

static uint16_t
nothing_there(struct model *m, struct command *c, uint8_t *buffer)
{
	return AQ_NO_DEVICE;
}

/* Read or write the RSS key or table by command. */
static uint16_t
rss_access(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { SET_KEY = 0x0b02, SET_TABLE = 0x0b03, GET_KEY = 0x0b04 };
	bool key = c->opcode == SET_KEY || c->opcode == GET_KEY;
	bool set = c->opcode == SET_KEY || c->opcode == SET_TABLE;
	uint32_t first = key ? XL710_HKEY : XL710_HLUT,
		 words = key ? XL710_HKEY_WORDS : XL710_HLUT_WORDS;

	if (buffer == NULL)
		return AQ_INVALID;
	for (uint32_t i = 0; i < words && 4 * i + 4 <= c->bytes; i++) {
		uint32_t offset = first + i * XL710_ARRAY, value = model_reg(m, offset);

		if (set) {
			memcpy(&value, buffer + (size_t)4 * i, 4);
			model_reg_set(m, offset, value);
		} else {
			memcpy(buffer + (size_t)4 * i, &value, 4);
		}
	}
	if (set)
		atomic_fetch_add(&m->rss_generation, 1);
	return AQ_OK;
}

/* Firmware answers about the function, its switch and its VSIs. Source: Intel XL710 datasheet
 * 7.4.9, 7.10. */

static uint16_t
capabilities(struct model *m, struct command *c, uint8_t *buffer)
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

static uint16_t
mac_read(struct model *m, struct command *c, uint8_t *buffer)
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

static uint16_t
switch_config(struct model *m, struct command *c, uint8_t *buffer)
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

static uint16_t
port_parameters(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { DOUBLE_VLAN = 4 };

	xl710_state(m)->double_vlan = (c->word[0] & DOUBLE_VLAN) != 0;
	xl710_tags_learn(m);
	c->word[2] = XL710_SEID; /* default */
	return AQ_OK;
}

/* The EtherType of the outer tag in double VLAN mode. */
static uint16_t
switch_tags(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { FIRST_TAG = 3 }; /* word */

	xl710_state(m)->first_tag = c->word[FIRST_TAG];
	xl710_tags_learn(m);
	return AQ_OK;
}

/* Offsets and bits in a VSI's properties, 128 bytes. */
enum {
	VSI_SECTIONS = 0,
	SECTION_VLAN = 0x04,
	SECTION_QUEUES = 0x40,
	VSI_VLAN_FLAGS = 12,
	VSI_QUEUES = 30,
	QUEUE_MASK = 0x7ff, /* in VSI_QUEUES */
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
	enum { TAGS_STAY = 0x18, CLASS_QUEUES = 9 };
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

/* A second VSI of the function itself carries the flow director's filters. */
static uint16_t
vsi_add(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { TYPE = 3, TYPE_PF = 2 };
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
	if ((c->word[3] & TYPE) == TYPE_PF &&
		(word_at(buffer + VSI_SECTIONS) & SECTION_QUEUES) != 0)
		atomic_store(&s->filter_queue, word_at(buffer + VSI_QUEUES) & QUEUE_MASK);
	vsi_answer(s, c, buffer, number);
	return AQ_OK;
}

/* Read or update a VSI's properties. */
static uint16_t
vsi_access(struct model *m, struct command *c, uint8_t *buffer)
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

static uint16_t
veb_add(struct model *m, struct command *c, uint8_t *buffer)
{
	memset(c->byte, 0, sizeof(c->byte));
	c->word[3] = 1; /* switch */
	c->word[4] = XL710_SEID_VEB;
	c->word[6] = 1; /* used */
	return AQ_OK;
}

static uint16_t
veb_get(struct model *m, struct command *c, uint8_t *buffer)
{
	c->word[1] = 1; /* switch */
	c->word[2] = c->word[3] = 0;
	return AQ_OK;
}

static uint16_t
element_delete(struct model *m, struct command *c, uint8_t *buffer)
{
	unsigned number = (c->word[0] & 0x3ffu) - XL710_SEID;

	/* The VSI that exists at power on is not deleted. */
	if (number > 0 && number < XL710_VSIS)
		xl710_state(m)->vsi_used[number] = false;
	return AQ_OK;
}

/* Firmware answers about PHY, MAC and link. The link is up if the cable is connected and the driver
 * has enabled the PHY. */

enum { SPEED_40G = 0x10, PHY_TYPE_40G_SR4 = 0x19 };

/* Write the answer to the command Get Link Status. */
static void
link_report(const struct model *m, struct command *c)
{
	enum {
		UP = 0x01,
		UP_PORT = 0x20,
		MEDIA = 0x40,
		SIGNAL = 0x80,
		NEGOTIATED = 0x03,
		PAUSE = 3,
		CRC = 4
	};
	const struct xl710 *s = xl710_state(m);
	const uint32_t type = UINT32_C(1) << PHY_TYPE_40G_SR4;
	const uint16_t frame = XL710_FRAME_MAX;
	bool up = atomic_load(&s->link_up);

	memset(c->byte, 0, sizeof(c->byte));
	c->byte[0] = s->link_events;
	c->byte[2] = PHY_TYPE_40G_SR4;
	c->byte[3] = up ? SPEED_40G : 0;
	c->byte[4] = up ? UP | UP_PORT | MEDIA | SIGNAL : MEDIA;
	c->byte[5] = up ? (uint8_t)(NEGOTIATED | (s->phy.abilities & PAUSE) << 5) : 0;
	memcpy(c->byte + 8, &frame, 2);
	c->byte[10] = CRC;
	memcpy(c->byte + 11, &type, 4);
}

/* Send a link event if the driver has requested one. */
static void
link_event(struct model *m)
{
	enum { LINK = 0x0002 };
	struct xl710 *s = xl710_state(m);
	struct command event = { .flags = XL710_AQ_DONE | XL710_AQ_COMPLETE, .opcode = 0x0607 };

	if (!s->link_events || (s->events_masked & LINK) != 0)
		return;
	s->link_events = false;
	link_report(m, &event);
	s->link_events = !xl710_aq_event(m, &event);
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
	enum { LINK_STATE = 0x1e2420, LINK_UP_40G = 0x58000080, LINK_ON = 0x08 };
	struct xl710 *s = xl710_state(m);
	bool up = atomic_load(&m->link_up) && s->phy.types != 0 &&
		(s->phy.abilities & LINK_ON) != 0 && (s->phy.speeds & SPEED_40G) != 0;

	model_reg_set(m, LINK_STATE, up ? LINK_UP_40G : 0);
	/*
	 * A driver disables the PHY as the last step of a stop. An event about that would arrive
	 * while the driver is closing the port.
	 */
	if (atomic_exchange(&s->link_up, up) != up && rings_on(m))
		link_event(m);
}

static uint16_t
phy_abilities(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { INITIAL = 2, BYTES = 24 };
	const uint32_t type = UINT32_C(1) << PHY_TYPE_40G_SR4;
	const struct xl710_phy *phy = &xl710_state(m)->phy;
	bool initial = (c->dword[0] & INITIAL) != 0;

	if (buffer == NULL || c->bytes < BYTES)
		return AQ_INVALID;
	memset(buffer, 0, c->bytes);
	memcpy(buffer, initial ? &type : &phy->types, 4);
	buffer[4] = initial ? SPEED_40G : phy->speeds;
	buffer[5] = phy->abilities;
	return AQ_OK;
}

static uint16_t
phy_config(struct model *m, struct command *c, uint8_t *buffer)
{
	struct xl710_phy *phy = &xl710_state(m)->phy;
	enum { ABILITIES = 0x1f };

	phy->types = c->dword[0];
	phy->speeds = c->byte[4];
	phy->abilities = c->byte[5] & ABILITIES;
	xl710_link_refresh(m);
	return AQ_OK;
}

static uint16_t
mac_config(struct model *m, struct command *c, uint8_t *buffer)
{
	if (c->word[0] > XL710_FRAME_MAX)
		return AQ_INVALID;
	xl710_state(m)->mac_max = c->word[0];
	xl710_frame_max(m);
	return AQ_OK;
}

/* At most one event is sent for each request for events. */
static uint16_t
link_status(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { EVENTS_OFF = 2, EVENTS_ON = 3 };

	if ((c->word[0] & 3) >= EVENTS_OFF)
		xl710_state(m)->link_events = (c->word[0] & 3) == EVENTS_ON;
	link_report(m, c);
	return AQ_OK;
}

static uint16_t
event_mask(struct model *m, struct command *c, uint8_t *buffer)
{
	xl710_state(m)->events_masked = c->word[4];
	return AQ_OK;
}

/* Loopback is not supported; use MODEL_NIC's rx=loop instead. */
static uint16_t
loopback(struct model *m, struct command *c, uint8_t *buffer)
{
	return c->word[0] == 0 ? AQ_OK : AQ_NO_SYSTEM;
}

static const struct {
	uint16_t first, last; /* opcodes */
	xl710_answer run;
} answers[] = {
	{ 0x0001, 0x0001, version },
	{ 0x0002, 0x0004, accept }, /* driver version, shutdown, context */
	{ 0x0008, 0x0008, resource },
	{ 0x0009, 0x0009, accept }, /* release */
	{ 0x000a, 0x000b, capabilities },
	{ 0x0107, 0x0107, mac_read },
	{ 0x0108, 0x0121, accept }, /* MAC write, PXE, wake on LAN */
	{ 0x0200, 0x0200, switch_config },
	{ 0x0201, 0x0202, accept }, /* statistics of a VLAN */
	{ 0x0203, 0x0203, port_parameters },
	{ 0x0205, 0x0205, switch_tags },
	{ 0x0206, 0x0206, register_read },
	{ 0x0207, 0x0207, register_write },
	{ 0x0210, 0x0210, vsi_add },
	{ 0x0211, 0x0212, vsi_access },
	{ 0x0230, 0x0230, veb_add },
	{ 0x0232, 0x0232, veb_get },
	{ 0x0243, 0x0243, element_delete },
	{ 0x0250, 0x0250, xl710_aq_mac_add },
	{ 0x0251, 0x0251, xl710_aq_mac_remove },
	{ 0x0252, 0x0253, accept }, /* VLANs of a VSI with hash filters */
	{ 0x0254, 0x0254, xl710_aq_promiscuous },
	{ 0x0255, 0x0259, accept }, /* S-tags, E-tags, mirrors */
	{ 0x025a, 0x025b, xl710_aq_ethertype },
	{ 0x0271, 0x0271, zeros },  /* packages: none loaded */
	{ 0x0301, 0x0303, accept }, /* DCB */
	{ 0x0400, 0x041d, zeros },  /* bandwidth */
	{ 0x0500, 0x0501, accept },
	{ 0x0600, 0x0600, phy_abilities },
	{ 0x0601, 0x0601, phy_config },
	{ 0x0603, 0x0603, mac_config },
	{ 0x0605, 0x0605, accept }, /* negotiate again */
	{ 0x0607, 0x0607, link_status },
	{ 0x0613, 0x0613, event_mask },
	{ 0x0618, 0x0618, loopback },
	{ 0x0628, 0x0629, nothing_there }, /* registers of a module */
	{ 0x0701, 0x0701, nvm_read },
	{ 0x0902, 0x0903, zeros }, /* alternate memory */
	{ 0x0a00, 0x0a00, zeros }, /* LLDP: nothing received */
	{ 0x0a01, 0x0a0a, accept },
	{ 0x0b00, 0x0b01, accept }, /* tunnel ports */
	{ 0x0b02, 0x0b05, rss_access },
	{ 0xff03, 0xff03, register_read },
	{ 0xff04, 0xff04, register_write },
};

static void
command_run(struct model *m, struct command *c)
{
	uint64_t address = (uint64_t)c->dword[2] << 32 | c->dword[3];
	uint8_t *buffer = (c->flags & XL710_AQ_BUFFER) != 0 ? (uint8_t *)(uintptr_t)address : NULL;
	uint16_t result = AQ_NO_SYSTEM;

	for (unsigned i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (c->opcode >= answers[i].first && c->opcode <= answers[i].last)
			result = answers[i].run(m, c, buffer);
	c->result = result;
	c->flags |= XL710_AQ_DONE | XL710_AQ_COMPLETE | (result != AQ_OK ? XL710_AQ_ERROR : 0);
	model_log(m, result == AQ_OK ? 3 : 1, "admin command %04x: result %u", c->opcode, result);
}

void
xl710_aq_run(struct model *m)
{
	uint32_t size, head = model_reg(m, XL710_ATQ_HEAD), tail = model_reg(m, XL710_ATQ_TAIL);
	struct command *commands =
		xl710_aq_ring(m, XL710_ATQ_LOW, XL710_ATQ_HIGH, XL710_ATQ_LEN, &size);

	if (commands == NULL || tail >= size || head >= size)
		return;
	for (; head != tail; head = head + 1 == size ? 0 : head + 1)
		command_run(m, &commands[head]);
	model_reg_set(m, XL710_ATQ_HEAD, head);
}
