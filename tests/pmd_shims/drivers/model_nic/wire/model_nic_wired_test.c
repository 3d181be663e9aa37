/* Two models at the ends of a wire: one sends all the time, and the other goes off and comes back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "fixtures/wait.h"
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/mover.h"

#include <string.h>

enum { RECEIVER, SENDER, PORTS, BAR_BYTES = 1 << 20, CYCLES = 200, FRAMES = 50 };

static uint8_t packet[64];
static atomic_uint sent, arrived, length; /* length: of the last frame that arrived */
static uint32_t sent_bytes;

static void
family_reset(struct model *m)
{
	atomic_store(&m->frame_max, sizeof(packet));
}

/* As a chip does: it looks at registers before it writes anywhere. */
static uint16_t
family_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash)
{
	for (uint32_t offset = 0; offset < BAR_BYTES; offset += 4096)
		*hash |= model_reg(m, offset);
	atomic_store(&length, len);
	atomic_fetch_add(&arrived, 1);
	return 0;
}

static uint16_t
family_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max)
{
	return 0;
}

/* Its driver's ring is never empty. */
static uint16_t
family_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max, uint16_t *descs)
{
	f[0] = (struct frame){ .data = packet, .len = sent_bytes, .flags = FRAME_EOP };
	*descs = 1;
	atomic_fetch_add(&sent, 1);
	return 1;
}

static void
family_tx_done(struct model *m, struct ring *r, uint16_t descs)
{
}

static const struct model_family family = { .name = "test",
	.bar_len = BAR_BYTES,
	.state_size = 16,
	.reset = family_reset,
	.rss = family_rss,
	.rx_peek = family_rx_peek,
	.tx_take = family_tx_take,
	.tx_done = family_tx_done };

static void
rings_on(struct model *m)
{
	m->rx[0].buf_len = 2048;
	model_ring_enable(m, &m->rx[0]);
	model_ring_enable(m, &m->tx[0]);
	/* The receiver's driver sends nothing. */
	if (m->port == RECEIVER)
		model_ring_disable(m, &m->tx[0]);
}

static int
wire_them(void **state)
{
	char why[128];

	memset(&config_current, 0, sizeof(config_current));
	config_current.ports = PORTS;
	config_current.cpu = -1;
	for (unsigned i = 0; i < PORTS; i++)
		config_current.port[i] = (struct port_config){ .family = &family,
			.source = SOURCE_WIRE,
			.peer = (uint16_t)(PORTS - 1 - i),
			.flows = 1 };
	sent_bytes = sizeof(packet);
	assert_int_equal(models_create(why, sizeof(why)), 0);
	for (unsigned i = 0; i < PORTS; i++) {
		assert_int_equal(model_power_on(model_port(i)), 0);
		rings_on(model_port(i));
	}
	return 0;
}

static int
drop(void **state)
{
	mover_stop();
	models_close();
	for (unsigned i = 0; i < PORTS; i++)
		model_power_off(model_port(i));
	models_free();
	return 0;
}

static void
wait_more(atomic_uint *count)
{
	unsigned from = atomic_load(count);

	WAIT_UNTIL(atomic_load(count) - from >= FRAMES);
}

/* While it is off nothing arrives, and nothing reads its registers. */
TEST(off_while_the_peer_sends)
{
	struct model *m = model_port(RECEIVER);

	for (unsigned i = 0; i < CYCLES; i++) {
		unsigned before;

		wait_more(&arrived);
		model_power_off(m);
		before = atomic_load(&arrived);
		wait_more(&sent);
		assert_int_equal(atomic_load(&arrived), before);
		assert_int_equal(model_power_on(m), 0);
		rings_on(m);
	}
}

/* The sender's card pads, not the receiver's. */
TEST(short_frames_are_padded)
{
	sent_bytes = 14;
	atomic_store(&model_port(RECEIVER)->tx_frame_min, 60);
	wait_more(&arrived);
	wait_more(&arrived);
	assert_int_equal(atomic_load(&length), 14);
	atomic_store(&model_port(SENDER)->tx_frame_min, 60);
	wait_more(&arrived);
	wait_more(&arrived);
	assert_int_equal(atomic_load(&length), 60);
}

TESTS(.before = wire_them, .after = drop);
