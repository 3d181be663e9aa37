/* The XL710's admin queue: executes commands when the driver moves the tail. Source: Intel XL710
 * datasheet 7.10. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/xl710/xl710_aq_priv.h"

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

static const struct {
	uint16_t first, last; /* opcodes */
	xl710_answer run;
} answers[] = {
	{ 0x0001, 0x0001, version },
	{ 0x0002, 0x0004, accept }, /* driver version, shutdown, context */
	{ 0x0008, 0x0008, resource },
	{ 0x0009, 0x0009, accept }, /* release */
	{ 0x000a, 0x000b, xl710_aq_capabilities },
	{ 0x0107, 0x0107, xl710_aq_mac_read },
	{ 0x0108, 0x0121, accept }, /* MAC write, PXE, wake on LAN */
	{ 0x0200, 0x0200, xl710_aq_switch_config },
	{ 0x0201, 0x0202, accept }, /* statistics of a VLAN */
	{ 0x0203, 0x0203, xl710_aq_port_parameters },
	{ 0x0205, 0x0205, accept }, /* tags of the switch */
	{ 0x0206, 0x0206, register_read },
	{ 0x0207, 0x0207, register_write },
	{ 0x0210, 0x0210, xl710_aq_vsi_add },
	{ 0x0211, 0x0212, xl710_aq_vsi_access },
	{ 0x0230, 0x0230, xl710_aq_veb_add },
	{ 0x0232, 0x0232, xl710_aq_veb_get },
	{ 0x0243, 0x0243, xl710_aq_element_delete },
	{ 0x0250, 0x0259,
		accept }, /* filters, promiscuous modes: the main VSI receives all frames anyway */
	{ 0x025a, 0x025b, xl710_aq_ethertype },
	{ 0x0271, 0x0271, zeros },  /* packages: none loaded */
	{ 0x0301, 0x0303, accept }, /* DCB */
	{ 0x0400, 0x041d, zeros },  /* bandwidth */
	{ 0x0500, 0x0501, accept },
	{ 0x0600, 0x0600, xl710_aq_phy_abilities },
	{ 0x0601, 0x0601, xl710_aq_phy_config },
	{ 0x0603, 0x0603, xl710_aq_mac_config },
	{ 0x0605, 0x0605, accept }, /* negotiate again */
	{ 0x0607, 0x0607, xl710_aq_link_status },
	{ 0x0613, 0x0613, xl710_aq_event_mask },
	{ 0x0618, 0x0618, xl710_aq_loopback },
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
