/* Firmware answers about PHY, MAC and link. The link is up if the cable is connected and the driver
 * has enabled the PHY. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/xl710/xl710_aq_priv.h"

#include <string.h>

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

uint16_t
xl710_aq_phy_abilities(struct model *m, struct command *c, uint8_t *buffer)
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

uint16_t
xl710_aq_phy_config(struct model *m, struct command *c, uint8_t *buffer)
{
	struct xl710_phy *phy = &xl710_state(m)->phy;
	enum { ABILITIES = 0x1f };

	phy->types = c->dword[0];
	phy->speeds = c->byte[4];
	phy->abilities = c->byte[5] & ABILITIES;
	xl710_link_refresh(m);
	return AQ_OK;
}

uint16_t
xl710_aq_mac_config(struct model *m, struct command *c, uint8_t *buffer)
{
	if (c->word[0] > XL710_FRAME_MAX)
		return AQ_INVALID;
	xl710_state(m)->mac_max = c->word[0];
	xl710_frame_max(m);
	return AQ_OK;
}

/* At most one event is sent for each request for events. */
uint16_t
xl710_aq_link_status(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { EVENTS_OFF = 2, EVENTS_ON = 3 };

	if ((c->word[0] & 3) >= EVENTS_OFF)
		xl710_state(m)->link_events = (c->word[0] & 3) == EVENTS_ON;
	link_report(m, c);
	return AQ_OK;
}

uint16_t
xl710_aq_event_mask(struct model *m, struct command *c, uint8_t *buffer)
{
	xl710_state(m)->events_masked = c->word[4];
	return AQ_OK;
}

/* Loopback is not supported; use MODEL_NIC's rx=loop instead. */
uint16_t
xl710_aq_loopback(struct model *m, struct command *c, uint8_t *buffer)
{
	return c->word[0] == 0 ? AQ_OK : AQ_NO_SYSTEM;
}
