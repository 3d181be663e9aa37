/* Counters of 82599 and X540: registers that are cleared by reading, computed from rings and report
 * at that time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"

enum { BYTES_LOW = 0x34, BYTES_HIGH = 0x38, PACKETS = 0x30 }; /* in the block of a queue */
enum { TX_BYTES = 0x8700, QUEUE_COUNTERS = 16 };

/*
 * The queues' counters are in pages that do not trap. They are set when the first of these
 * registers is read and cleared when the second one is read, since drivers read one right before
 * and one right after the queues' counters.
 */
enum { QUEUES_BEGIN = 0x3fbc, QUEUES_END = 0x4034 };

static const struct {
	uint32_t offset;
	uint16_t field; /* offset in struct ixgbe_totals */
	bool wide;      /* the upper part is in the next register */
} counters[] = {
#define FIELD(name) offsetof(struct ixgbe_totals, name)
	{ IXGBE_MISSED_FIRST, FIELD(all.missed), false },
	{ 0x4000, FIELD(all.errors), false }, /* CRC */
	{ 0x405c, FIELD(all.rx_sizes[0]), false },
	{ 0x4060, FIELD(all.rx_sizes[1]), false },
	{ 0x4064, FIELD(all.rx_sizes[2]), false },
	{ 0x4068, FIELD(all.rx_sizes[3]), false },
	{ 0x406c, FIELD(all.rx_sizes[4]), false },
	{ 0x4070, FIELD(all.rx_sizes[5]), false },
	{ 0x4074, FIELD(all.rx), false },
	{ 0x4080, FIELD(all.tx), false },
	{ 0x4088, FIELD(rx_bytes_seen), true },
	{ 0x4090, FIELD(tx_octets), true },
	{ 0x40ac, FIELD(all.oversize), false },
	{ 0x40c0, FIELD(rx_octets), true },
	{ 0x40d0, FIELD(all.rx), false },
	{ 0x40d4, FIELD(all.tx), false },
	{ 0x40d8, FIELD(all.tx_sizes[0]), false },
	{ 0x40dc, FIELD(all.tx_sizes[1]), false },
	{ 0x40e0, FIELD(all.tx_sizes[2]), false },
	{ 0x40e4, FIELD(all.tx_sizes[3]), false },
	{ 0x40e8, FIELD(all.tx_sizes[4]), false },
	{ 0x40ec, FIELD(all.tx_sizes[5]), false },
#undef FIELD
};

static_assert(sizeof(counters) / sizeof(counters[0]) == IXGBE_COUNTERS,
	"seen has an entry for each counter");

static unsigned
crc_seen(const struct ixgbe *s)
{
	return atomic_load(&s->crc_stays) ? CRC_BYTES : 0;
}

static void
totals_make(struct model *m)
{
	struct ixgbe *s = ixgbe_state(m);
	struct ixgbe_totals *t = &s->total;
	const struct totals before = t->all;
	struct totals *now = &t->all;

	counts_total(m, &s->counts, now);
	t->rx_bytes_seen += now->rx_bytes - before.rx_bytes + crc_seen(s) * (now->rx - before.rx);
	t->rx_octets = now->rx_bytes + CRC_BYTES * now->rx;
	t->tx_octets = now->tx_bytes + CRC_BYTES * now->tx;
	/* The longest class of these NICs includes all longer frames. */
	now->rx_sizes[SIZES - 2] += now->rx_sizes[SIZES - 1];
	now->tx_sizes[SIZES - 2] += now->tx_sizes[SIZES - 1];
	s->fresh = (UINT64_C(1) << IXGBE_COUNTERS) - 1;
}

static void
add(struct model *m, uint32_t offset, uint64_t n)
{
	model_reg_set(m, offset, (uint32_t)(model_reg(m, offset) + n));
}

static void
add_wide(struct model *m, uint32_t offset, uint64_t n)
{
	n += model_reg(m, offset) | (uint64_t)model_reg(m, offset + 4) << 32;
	model_reg_set(m, offset, (uint32_t)n);
	model_reg_set(m, offset + 4, (uint32_t)(n >> 32));
}

/* Number of the counter, of 16, that counts a queue. first: first of the mapping registers. */
static unsigned
counter_of(const struct model *m, uint32_t first, unsigned queue)
{
	return model_reg(m, first + queue / 4 * 4) >> queue % 4 * 8 & (QUEUE_COUNTERS - 1);
}

static void
queues_show(struct model *m)
{
	struct ixgbe *s = ixgbe_state(m);

	for (unsigned i = 0; i < MODEL_DATA_QUEUES; i++) {
		struct ixgbe_queue_seen *seen = &s->queue_seen[i],
					now = { m->rx[i].packets, m->rx[i].bytes, m->tx[i].packets,
						m->tx[i].bytes };
		uint32_t rx =
			IXGBE_RX_QUEUES + counter_of(m, IXGBE_RX_COUNTER_OF, i) * IXGBE_QUEUE_BYTES;
		unsigned tx = counter_of(m, IXGBE_TX_COUNTER_OF, i);

		add(m, rx + PACKETS, now.rx - seen->rx);
		add_wide(m, rx + BYTES_LOW,
			now.rx_bytes - seen->rx_bytes + crc_seen(s) * (now.rx - seen->rx));
		add(m, IXGBE_TX_QUEUES + tx * IXGBE_QUEUE_BYTES + PACKETS, now.tx - seen->tx);
		add_wide(m, TX_BYTES + 8 * tx, now.tx_bytes - seen->tx_bytes);
		*seen = now;
	}
}

static void
queues_hide(struct model *m)
{
	for (unsigned i = 0; i < QUEUE_COUNTERS; i++) {
		uint32_t rx = IXGBE_RX_QUEUES + i * IXGBE_QUEUE_BYTES;

		model_reg_set(m, rx + PACKETS, 0);
		model_reg_set(m, rx + BYTES_LOW, 0);
		model_reg_set(m, rx + BYTES_HIGH, 0);
		model_reg_set(m, IXGBE_TX_QUEUES + i * IXGBE_QUEUE_BYTES + PACKETS, 0);
		model_reg_set(m, TX_BYTES + 8 * i, 0);
		model_reg_set(m, TX_BYTES + 8 * i + 4, 0);
	}
}

/*
 * All counters show the same moment until one of them is read a second time.
 */
void
ixgbe_counter_read(struct model *m, uint32_t offset)
{
	struct ixgbe *s = ixgbe_state(m);
	uint64_t total, since;

	if (offset == QUEUES_BEGIN)
		queues_show(m);
	else if (offset == QUEUES_END)
		queues_hide(m);
	for (unsigned i = 0; i < IXGBE_COUNTERS; i++) {
		if (counters[i].offset != offset)
			continue;
		if ((s->fresh >> i & 1) == 0)
			totals_make(m);
		s->fresh &= ~(UINT64_C(1) << i);
		memcpy(&total, (const uint8_t *)&s->total + counters[i].field, sizeof(total));
		since = total - s->seen[i];
		s->seen[i] = total;
		model_reg_set(m, offset, (uint32_t)since);
		if (counters[i].wide)
			model_reg_set(m, offset + 4, (uint32_t)(since >> 32));
	}
}
