/* Enables and disables queues of 82599 and X540. Their registers are in the pages of the doorbells,
 * which do not trap, so writes are noticed before the next poll. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver may stop a queue and start it again before that poll. To detect this, the head register
 * of an enabled queue has a value that no head can have; a driver writes 0 to it when it starts a
 * queue. In idle Tx queues it is the real head, since a driver waits for that before it stops a
 * queue.
 */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"
#include "pmd_shims/drivers/model_nic/model_life.h"

enum { DESC_BYTES = 16, DESCS_MIN = 8, DESCS_MAX = 8192, DESCS_STEP = 8 };

enum { IDLE_POLLS = 16 };

static uint32_t
block_of(unsigned queue, bool rx)
{
	return (rx ? IXGBE_RX_QUEUES : IXGBE_TX_QUEUES) + queue * IXGBE_QUEUE_BYTES;
}

static uint32_t
control_of(const struct model *m, unsigned queue, bool rx)
{
	return model_reg(m, block_of(queue, rx) + IXGBE_QUEUE_CONTROL);
}

/* True if the receiver or the transmitter is enabled. */
static bool
engine_runs(const struct model *m, bool rx)
{
	return (model_reg(m, rx ? IXGBE_RX_CONTROL : IXGBE_TX_CONTROL) & 1) != 0;
}

/* Set up a ring from its queue's registers. Returns NULL, or why the queue cannot be enabled. */
static const char *
ring_set_up(struct model *m, struct ring *r, unsigned queue, bool rx)
{
	const uint32_t kilobytes = 0x1f;
	uint32_t block = block_of(queue, rx), size = model_reg(m, block + IXGBE_BYTES) / DESC_BYTES;

	if (queue >= MODEL_DATA_QUEUES)
		return "a modelled port has 16 queues";
	r->index = (uint16_t)queue;
	r->data_queue = (int16_t)queue;
	r->desc_size = DESC_BYTES;
	r->desc = (uint8_t *)(uintptr_t)((uint64_t)model_reg(m, block + IXGBE_BASE_HIGH) << 32 |
		model_reg(m, block + IXGBE_BASE_LOW));
	r->tail = (volatile uint32_t *)(volatile void *)(m->bar + block + IXGBE_TAIL);
	if (r->desc == NULL || size < DESCS_MIN || size > DESCS_MAX || size % DESCS_STEP != 0)
		return "no ring address, or an unsupported ring size";
	r->size = (uint16_t)size;
	if (!rx)
		return NULL;
	r->buf_len = (uint16_t)((model_reg(m, IXGBE_RX_BUFFER + 4 * queue) & kilobytes) * 1024);
	atomic_store(&m->scattered, atomic_load(&m->frame_max) > r->buf_len);
	return r->buf_len > 0 ? NULL : "the buffer size is 0";
}

static void
ring_on(struct model *m, struct ring *r, unsigned queue, bool rx)
{
	uint32_t at = block_of(queue, rx) + IXGBE_QUEUE_CONTROL;
	const char *why = ring_set_up(m, r, queue, rx);

	if (why != NULL) {
		model_log(m, 0, "%s queue %u cannot be enabled: %s", rx ? "Rx" : "Tx", queue, why);
		model_reg_set(m, at, model_reg(m, at) & ~IXGBE_QUEUE_ENABLE);
		return;
	}
	ixgbe_queue_begin(m, r, rx);
	model_ring_enable(m, r);
}

static bool
queue_wanted(const struct model *m, unsigned queue, bool rx)
{
	return engine_runs(m, rx) && (control_of(m, queue, rx) & IXGBE_QUEUE_ENABLE) != 0;
}

/* True if the driver has restarted the queue: the head register is not as the model left it. */
static bool
queue_restarted(const struct model *m, unsigned queue, bool rx)
{
	return model_reg(m, block_of(queue, rx) + IXGBE_HEAD) !=
		(rx ? IXGBE_HEAD_HIDDEN : ixgbe_state(m)->tx_head[queue]);
}

static bool
queue_startable(const struct model *m, unsigned queue, bool rx)
{
	return queue_wanted(m, queue, rx) && model_reg(m, block_of(queue, rx) + IXGBE_HEAD) == 0;
}

static void
queue_follow(struct model *m, unsigned queue, bool rx)
{
	struct ixgbe *s = ixgbe_state(m);
	struct ring *r = rx ? &m->rx[queue] : &m->tx[queue];

	if (atomic_load(&r->enabled) &&
		(!queue_wanted(m, queue, rx) || queue_restarted(m, queue, rx)))
		model_ring_disable(m, r);
	if (!atomic_load(&r->enabled) && queue_startable(m, queue, rx))
		ring_on(m, r, queue, rx);
	if (queue < MODEL_DATA_QUEUES)
		atomic_store(rx ? &s->rx_seen[queue] : &s->tx_seen[queue],
			control_of(m, queue, rx));
}

void
ixgbe_queues_follow(struct model *m)
{
	uint32_t controls = 0;

	for (unsigned i = 0; i < MODEL_QUEUES_MAX; i++) {
		queue_follow(m, i, false);
		queue_follow(m, i, true);
		controls |= control_of(m, i, true);
	}
	atomic_store(&m->vlan_strip, (controls & IXGBE_QUEUE_STRIP) != 0);
	model_watch(m, engine_runs(m, true) || engine_runs(m, false));
}

void
ixgbe_queues_reset(struct model *m)
{
	struct ixgbe *s = ixgbe_state(m);

	model_watch(m, false);
	model_rings_disable(m);
	for (unsigned i = 0; i < MODEL_DATA_QUEUES; i++) {
		atomic_store(&s->rx_seen[i], 0);
		atomic_store(&s->tx_seen[i], 0);
	}
	atomic_store(&m->vlan_strip, false);
	atomic_store(&m->scattered, false);
}

static void
heads_show(struct model *m)
{
	for (unsigned i = 0; i < MODEL_DATA_QUEUES; i++)
		if (atomic_load_explicit(&m->tx[i].enabled, memory_order_relaxed))
			ixgbe_tx_head_set(m, &m->tx[i], m->tx[i].head);
}

static bool
queue_differs(const struct model *m, unsigned queue, bool rx)
{
	const struct ixgbe *s = ixgbe_state(m);
	const struct ring *r = rx ? &m->rx[queue] : &m->tx[queue];

	return control_of(m, queue, rx) !=
		atomic_load_explicit(rx ? &s->rx_seen[queue] : &s->tx_seen[queue],
			memory_order_relaxed) ||
		(atomic_load_explicit(&r->enabled, memory_order_relaxed)
				? queue_restarted(m, queue, rx)
				: queue_startable(m, queue, rx));
}

bool
ixgbe_queues_watch(struct model *m, unsigned moved)
{
	struct ixgbe *s = ixgbe_state(m);

	for (unsigned i = 0; i < MODEL_DATA_QUEUES; i++)
		if (queue_differs(m, i, true) || queue_differs(m, i, false))
			return true;
	s->idle = moved == 0 ? s->idle + 1 : 0;
	if (s->idle == IDLE_POLLS)
		heads_show(m);
	return false;
}
